"""Arrays that are only stored to may be written past the caches."""

from treadle import cuda


@cuda.jit
def copies(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


# CHECK-LABEL: == copies
# CHECK: streams ({{.*}}): found
# CHECK-NEXT: out: only stored to


@cuda.jit
def adds(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] += x[i]


# CHECK-LABEL: == adds
# CHECK: streams ({{.*}}): changed nothing


REPORTS = [(copies, "void(int64[::1], int64[::1])"), (adds, "void(int64[::1], int64[::1])")]
