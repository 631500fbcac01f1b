"""Barriers that only some threads of a warp may reach at a time are found; a condition of the block is none."""

from treadle import cuda


@cuda.jit
def by_thread(x):
    if x[cuda.threadIdx.x] > 0:
        cuda.syncthreads()


# CHECK-LABEL: == by_thread
# CHECK: divergent barriers ({{.*}}): found
# CHECK-NEXT: barrier: threads of a warp may arrive one by one


@cuda.jit
def by_block(x, n):
    if n + cuda.blockIdx.x > 0:
        cuda.syncthreads()


# CHECK-LABEL: == by_block
# CHECK: divergent barriers ({{.*}}): changed nothing


REPORTS = [(by_thread, "void(int64[::1])", 90), (by_block, "void(int64[::1], int64)", 90)]
