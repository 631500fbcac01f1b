"""Which expressions have the same value: an element stored under one is not loaded again under another."""

from treadle import cuda


@cuda.jit
def same_extent(x, y):
    i = cuda.grid(1)
    last = x.shape[1] - 1
    x[i, last] = y[i] * 2
    y[i] = x[i, x.shape[1] - 1] + 1


# CHECK-LABEL: == same_extent
# CHECK: store x.0[i.2, last.3] = [[VALUE:t.*]]
# CHECK-NEXT: store y.1[i.2] = add([[VALUE]], int64 1)


@cuda.jit
def other_extent(x, y):
    i = cuda.grid(1)
    last = x.shape[1] - 1
    x[i, last] = y[i] * 2
    y[i] = x[i, x.shape[0] - 1] + 1


# CHECK-LABEL: == other_extent
# CHECK: rules ({{.*}}): changed nothing


@cuda.jit
def same_part(x, y):
    i = cuda.grid(1)
    one, other = x[i, 1:], x[i, 1:]
    one[0] = y[i] * 2
    y[i] = other[0] + 1


# CHECK-LABEL: == same_part
# CHECK: store one.3[int64 0] = [[VALUE:t.*]]
# CHECK-NEXT: store y.1[i.2] = add([[VALUE]], int64 1)


@cuda.jit
def other_part(x, y):
    i = cuda.grid(1)
    one, other = x[i, 1:], x[i, :1]
    one[0] = y[i] * 2
    y[i] = other[0] + 1


# CHECK-LABEL: == other_part
# CHECK: rules ({{.*}}): changed nothing


@cuda.jit
def of_pairs(x, y):
    """Two threads have each index."""
    i = cuda.grid(1) // 2
    x[i, 0] = y[i] * 2
    y[i] = x[i, 0] + 1


# CHECK-LABEL: == of_pairs
# CHECK: rules ({{.*}}): changed nothing

KERNELS = (same_extent, other_extent, same_part, other_part, of_pairs)
REPORTS = [(kernel, "void(int64[:, ::1], int64[::1])") for kernel in KERNELS]
