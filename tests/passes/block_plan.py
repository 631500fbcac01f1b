"""Control flow around barriers runs once for the block, if all its threads decide alike; else warps are fibers."""

from treadle import cuda


@cuda.jit
def counts(x, n):
    while n > 0:
        x[cuda.threadIdx.x] += n
        cuda.syncthreads()
        n -= 1


# CHECK-LABEL: == counts
# CHECK: fibers ({{.*}}): changed nothing


@cuda.jit
def starts_apart(x, n):
    n += cuda.threadIdx.x
    while n > 0:
        x[cuda.threadIdx.x] += n
        cuda.syncthreads()
        n -= 1


# CHECK-LABEL: == starts_apart
# CHECK: fibers ({{.*}}): found
# CHECK-NEXT: warps are fibers


@cuda.jit
def counts_inside(x, n):
    """What the threads do between barriers assigns what the block decides by."""
    while n > 0:
        cuda.syncthreads()
        x[cuda.threadIdx.x] += (n := n - 1)


# CHECK-LABEL: == counts_inside
# CHECK: fibers ({{.*}}): found


@cuda.jit(device=True)
def noted(x, n):
    x[0] += n
    return n


@cuda.jit
def writes(x, n):
    """Each thread is to write."""
    for _ in range(noted(x, n)):
        cuda.syncthreads()


# CHECK-LABEL: == writes
# CHECK: fibers ({{.*}}): found


REPORTS = [(kernel, "void(int64[::1], int64)") for kernel in (counts, starts_apart, counts_inside, writes)]
