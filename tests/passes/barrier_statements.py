"""A function that waits at a barrier is called in statements of its own: operands before it are kept in variables."""

from treadle import cuda


@cuda.jit(device=True)
def after_all(x, i):
    cuda.syncthreads()
    return x[i]


@cuda.jit(device=True)
def at_once(x, i):
    return x[i]


@cuda.jit
def waits_inside(x):
    i = cuda.threadIdx.x
    x[i] = x[i] * after_all(x, i + 1)


# CHECK-LABEL: == waits_inside
# CHECK: barrier statements ({{.*}}): made a new tree
# CHECK: [[LEFT:t.*]] = x.0[i.1]
# CHECK: {{^}}  barrier
# CHECK-NEXT: [[RIGHT:t.*]] = x.3[i.4]
# CHECK-NEXT: store x.0[i.1] = mul([[LEFT]], [[RIGHT]])


@cuda.jit
def waits_before(x):
    i = cuda.threadIdx.x
    cuda.syncthreads()
    x[i] = x[i] * at_once(x, i + 1)


# CHECK-LABEL: == waits_before
# CHECK: barrier statements ({{.*}}): changed nothing


REPORTS = [(waits_inside, "void(int64[::1])"), (waits_before, "void(int64[::1])")]
