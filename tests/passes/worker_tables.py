"""Arrays that are only added to may have a copy for each worker."""

from treadle import cuda


@cuda.jit
def histogram(bins, values):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i] % bins.size, 1)


# CHECK-LABEL: == histogram
# CHECK: worker tables
# CHECK-NEXT: bins: workers may have copies


@cuda.jit
def read_again(bins, values):
    i = cuda.grid(1)
    cuda.atomic.add(bins, values[i], 1)
    values[i] = bins[0]


# CHECK-LABEL: == read_again
# CHECK: worker tables ({{.*}}): changed nothing


@cuda.jit
def two_operations(bins, values):
    i = cuda.grid(1)
    cuda.atomic.add(bins, values[i], 1)
    cuda.atomic.max(bins, values[i], 1)


# CHECK-LABEL: == two_operations
# CHECK: worker tables ({{.*}}): changed nothing


@cuda.jit
def published(bins, values):
    i = cuda.grid(1)
    cuda.atomic.sub(bins, values[i], 1)
    cuda.threadfence()


# CHECK-LABEL: == published
# CHECK: worker tables ({{.*}}): changed nothing


@cuda.jit
def strided(bins, values):
    i = cuda.grid(1)
    cuda.atomic.add(bins, values[i], 1)


# CHECK-LABEL: == strided
# CHECK: worker tables ({{.*}}): changed nothing

PLAIN = "void(int32[::1], int32[::1])"
REPORTS = [
    (histogram, PLAIN),
    (read_again, PLAIN),
    (two_operations, PLAIN),
    (published, PLAIN),
    (strided, "void(int32[:], int32[::1])"),
]
