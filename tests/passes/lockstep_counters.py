"""A counter of a loop that lanes leave one by one, read after it: the loop has a counter of its own for its indices."""

from treadle import cuda


@cuda.jit
def finds(x, out):
    k = 0
    while k < 100 and x[k] > 0:
        k += 1
    out[cuda.grid(1)] = k


# CHECK-LABEL: == finds
# CHECK: rules ({{.*}}): made a new tree
# CHECK-NEXT: {{^}}  lockstep counters
# CHECK: while (lt(t.3, int64 100) ? gt(x.0[t.3], int64 0) : false)
# CHECK-NEXT: t.3 = add(t.3, int64 1)
# CHECK-NEXT: k.2 = t.3
# CHECK-NEXT: store out.1[grid.x:int64] = k.2


@cuda.jit
def is_not_read_later(x, out):
    k = 0
    total = 0
    while k < 100 and x[k] > 0:
        total += x[k]
        k += 1
    out[cuda.grid(1)] = total


# CHECK-LABEL: == is_not_read_later
# CHECK: rules ({{.*}}): changed nothing


@cuda.jit
def starts_with_a_variable(x, out):
    for i in range(1, 100):
        k = i - 1
        while k >= 0 and x[k] > out[cuda.grid(1)]:
            k -= 1
        out[cuda.grid(1)] = k


# CHECK-LABEL: == starts_with_a_variable
# CHECK: rules ({{.*}}): made a new tree
# CHECK: [[START:t.*]] = sub(i.{{.*}}, int64 1)
# CHECK-NEXT: k.{{.*}} = [[START]]
# CHECK-NEXT: [[COUNTER:t.*]] = [[START]]
# CHECK-NEXT: while (ge([[COUNTER]], int64 0) ? gt(x.0{{\[}}[[COUNTER]]], out.1[grid.x:int64]) : false)
# CHECK-NEXT: [[COUNTER]] = sub([[COUNTER]], int64 1)


@cuda.jit
def starts_anywhere(x, out):
    k = x[cuda.grid(1)]
    while k < 100 and x[k] > 0:
        k += 1
    out[cuda.grid(1)] = k


# CHECK-LABEL: == starts_anywhere
# CHECK: rules ({{.*}}): changed nothing


KERNELS = (finds, is_not_read_later, starts_with_a_variable, starts_anywhere)
REPORTS = [(kernel, "void(int64[::1], int64[::1])") for kernel in KERNELS]
