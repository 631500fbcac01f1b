"""Grid-stride loops run warp after warp where nothing but their index is carried from one iteration to the next."""

from treadle import cuda


@cuda.jit
def free(x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] += 1


# CHECK-LABEL: == free
# CHECK: strided loops ({{.*}}): found
# CHECK-NEXT: for i.1 in range(grid.x:int64, x.0.size, gridsize.x:int64): iterations run in sequence


@cuda.jit
def sums(x, out):
    total = 0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    out[cuda.grid(1)] = total


# CHECK-LABEL: == sums
# CHECK: strided loops ({{.*}}): changed nothing


@cuda.jit
def counts_in_a_while(x):
    i = cuda.grid(1)
    while i < x.size:
        x[i] += 1
        i += cuda.gridsize(1)


# CHECK-LABEL: == counts_in_a_while
# CHECK: strided loops ({{.*}}): found
# CHECK-NEXT: while lt(i.1, x.0.size): iterations run in sequence


@cuda.jit
def leaves(x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] == 0:
            break
        x[i] += 1


# CHECK-LABEL: == leaves
# CHECK: strided loops ({{.*}}): changed nothing


REPORTS = [
    (free, "void(int64[::1])"),
    (sums, "void(int64[::1], int64[::1])"),
    (counts_in_a_while, "void(int64[::1])"),
    (leaves, "void(int64[::1])"),
]
