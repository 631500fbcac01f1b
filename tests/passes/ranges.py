"""What values variables have: bounds of loops and of conditions narrow them."""

from treadle import cuda


@cuda.jit
def bounded(x, n):
    for i in range(10):
        j = i * 2
        x[j] = 1
    if 0 <= n < 5:
        k = n + 1
        x[k] = 1


# CHECK-LABEL: == bounded
# CHECK: ranges ({{.*}}): found
# CHECK-NEXT: j.3 = mul(i.2, int64 2): 0 to 18
# CHECK-NEXT: k.4 = add(n.1, int64 1): 1 to 5


@cuda.jit
def unbounded(x, n):
    """The products may wrap, and each test may be the only one that holds."""
    for i in range(n):
        j = i * 2
        x[j] = 1
    if n >= 0 or n < 5:
        k = n + 1
        x[k] = 1


# CHECK-LABEL: == unbounded
# CHECK: ranges ({{.*}}): changed nothing


REPORTS = [(kernel, "void(int64[::1], int64)") for kernel in (bounded, unbounded)]
