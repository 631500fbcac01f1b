"""Loops that may wait: their end depends on what other threads write, and no bound ends them in any case."""

from treadle import cuda


@cuda.jit
def spins(flag, out):
    while flag[0] == 0:
        out[0] = 1
    flag[0] = 2


# CHECK-LABEL: == spins
# CHECK: waiting loops ({{.*}}): found
# CHECK-NEXT: while eq(flag.0[int64 0], int64 0): waits
# CHECK: fibers ({{.*}}): found


@cuda.jit
def locks(mutex):
    while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
        pass


# CHECK-LABEL: == locks
# CHECK: waiting loops ({{.*}}): found
# CHECK-NEXT: while ne(atomic cas mutex.0[int64 0], int64 0, int64 1, int64 0): waits


@cuda.jit
def walks(x, out):
    i = cuda.grid(1)
    while x[i] > 0:
        i += 1
    out[0] = i


# CHECK-LABEL: == walks
# CHECK: waiting loops ({{.*}}): changed nothing
# CHECK: fibers ({{.*}}): changed nothing


@cuda.jit
def counts(x, n):
    i = 0
    while i < n:
        x[i] = x[0]
        i += 2


# CHECK-LABEL: == counts
# CHECK: waiting loops ({{.*}}): changed nothing


@cuda.jit
def bisects(x, value, out):
    low, high = 0, x.size
    while low < high:
        middle = (low + high) // 2
        if x[middle] < value:
            low = middle + 1
        else:
            high = middle
    out[0] = low


# CHECK-LABEL: == bisects
# CHECK: waiting loops ({{.*}}): changed nothing


REPORTS = [
    (spins, "void(int64[::1], int64[::1])"),
    (locks, "void(int64[::1])"),
    (walks, "void(int64[::1], int64[::1])"),
    (counts, "void(int64[::1], int64)"),
    (bisects, "void(int64[::1], int64, int64[::1])"),
]
