"""A warp spans blocks where nothing says which threads share a block."""

from treadle import cuda


@cuda.jit
def by_position(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = i


# CHECK-LABEL: == by_position
# CHECK: block spans ({{.*}}): found
# CHECK-NEXT: warps may span blocks


@cuda.jit
def by_block(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = cuda.blockIdx.x


# CHECK-LABEL: == by_block
# CHECK: block spans ({{.*}}): changed nothing


REPORTS = [(by_position, "void(int64[::1])"), (by_block, "void(int64[::1])")]
