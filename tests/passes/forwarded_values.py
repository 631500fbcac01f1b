"""An element that a thread has just stored or loaded is not loaded again, unless another thread may have changed it."""

from treadle import cuda


@cuda.jit
def own(x, y):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = y[i] * 2
        y[i] = x[i] + 1


# CHECK-LABEL: == own
# CHECK: rules ({{.*}}): made a new tree
# CHECK-NEXT: {{^}}  forwarded values
# CHECK: t.3 = mul(y.1[i.2], int64 2)
# CHECK-NEXT: store x.0[i.2] = t.3
# CHECK-NEXT: store y.1[i.2] = add(t.3, int64 1)


@cuda.jit
def of_another(x, y):
    i = cuda.grid(1)
    if i + 1 < x.size:
        x[i] = y[i] * 2
        y[i] = x[i + 1] + 1


# CHECK-LABEL: == of_another
# CHECK: rules ({{.*}}): changed nothing


@cuda.jit
def after_a_barrier(x, y):
    i = cuda.grid(1)
    x[i] = y[i] * 2
    cuda.syncthreads()
    y[i] = x[i] + 1


# CHECK-LABEL: == after_a_barrier
# CHECK: rules ({{.*}}): changed nothing


REPORTS = [(kernel, "void(int64[::1], int64[::1])") for kernel in (own, of_another, after_a_barrier)]
