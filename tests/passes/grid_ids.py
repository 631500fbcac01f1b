"""The global index written out is one operation, and the variables that only it reads are not computed."""

from treadle import cuda


@cuda.jit
def written_out(out):
    first = cuda.blockIdx.x * cuda.blockDim.x
    i = first + cuda.threadIdx.x
    out[i] = 1


# CHECK-LABEL: == written_out
# CHECK: grid ids ({{.*}}): found
# CHECK-NEXT: first.1 = mul({{.*}}): not needed
# CHECK-NEXT: add(first.1, convert:int64(tid.x:int32)): grid.x


@cuda.jit
def of_two_axes(out):
    i = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.x
    out[i] = 1


# CHECK-LABEL: == of_two_axes
# CHECK: grid ids ({{.*}}): changed nothing


REPORTS = [(written_out, "void(int64[::1])"), (of_two_axes, "void(int64[::1])")]
