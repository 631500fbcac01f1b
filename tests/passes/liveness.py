"""What variables hold after an `if`, in loops whose iterations run in sequence if no value of one reaches the next."""

from treadle import cuda


@cuda.jit
def both_arms(x, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] > 0:
            sign = 1
            x[i] = 0
        else:
            sign = -1
        out[i] = sign


# CHECK-LABEL: == both_arms
# CHECK: strided loops ({{.*}}): found
# CHECK-NEXT: for i.{{[0-9]+}} in range(grid.x:int64, x.0.size, gridsize.x:int64): iterations run in sequence


@cuda.jit
def one_arm(x, out):
    sign = -1
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if x[i] > 0:
            sign = 1
            x[i] = 0
        out[i] = sign


# CHECK-LABEL: == one_arm
# CHECK: strided loops ({{.*}}): changed nothing


@cuda.jit
def replaced_after(x, out):
    for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
        sign = 1 if x[i] > 0 else -1
        out[i] = sign
    sign = 0
    out[0] = sign


# CHECK-LABEL: == replaced_after
# CHECK: strided loops ({{.*}}): found


@cuda.jit
def read_after(x, out):
    sign = 0
    for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
        sign = 1 if x[i] > 0 else -1
        out[i] = sign
    out[0] = sign


# CHECK-LABEL: == read_after
# CHECK: strided loops ({{.*}}): changed nothing


KERNELS = (both_arms, one_arm, replaced_after, read_after)
REPORTS = [(kernel, "void(int64[::1], int64[::1])") for kernel in KERNELS]
