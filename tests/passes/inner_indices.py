"""Indices that are clamped at the edges: statements stand twice, once without the clamps for threads of the inside."""

from treadle import cuda


@cuda.jit
def blurs(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[max(i - 1, 0)] + x[min(i + 1, x.size - 1)]


# CHECK-LABEL: == blurs
# CHECK: inner indices ({{.*}}): made a new tree
# CHECK: if (ge(sub(i.2, int64 1), int64 0) ? le(add(i.2, int64 1), sub(x.0.size, int64 1)) : false)
# CHECK-NEXT: store out.1[i.2] = add(x.0[sub(i.2, int64 1)], x.0[add(i.2, int64 1)])
# CHECK-NEXT: else
# CHECK-NEXT: store out.1[i.2] = add(x.0[max(sub(i.2, int64 1), int64 0)], {{.*}})


@cuda.jit
def takes_one(x, n, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[max(n - 1, 0)]


# CHECK-LABEL: == takes_one
# CHECK: inner indices ({{.*}}): changed nothing


REPORTS = [(blurs, "void(int64[::1], int64[::1])"), (takes_one, "void(int64[::1], int64, int64[::1])")]
