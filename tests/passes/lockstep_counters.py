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


@cuda.jit
def starts_at_the_thread(x, out):
    i = cuda.grid(1)
    k = i + 1
    while k < 100 and x[k] > 0:
        k += 1
    out[i] = k


# CHECK-LABEL: == starts_at_the_thread
# CHECK: rules ({{.*}}): made a new tree
# CHECK: while (lt([[COUNTER:t.*]], int64 100) ? gt(x.0{{\[}}[[COUNTER]]], int64 0) : false)
# CHECK-NEXT: [[COUNTER]] = add([[COUNTER]], int64 1)


@cuda.jit
def starts_at_the_thread_in_a_range(x, out):
    i = cuda.grid(1)
    for k in range(i, 100):
        if x[k] > 0:
            break
    out[i] = k


# CHECK-LABEL: == starts_at_the_thread_in_a_range
# CHECK: rules ({{.*}}): made a new tree
# CHECK: for [[COUNTER:t.*]] in range(
# CHECK-NEXT: k.{{.*}} = [[COUNTER]]
# CHECK-NEXT: if gt(x.0{{\[}}[[COUNTER]]], int64 0)


KERNELS = (
    finds,
    is_not_read_later,
    starts_with_a_variable,
    starts_anywhere,
    starts_at_the_thread,
    starts_at_the_thread_in_a_range,
)
REPORTS = [(kernel, "void(int64[::1], int64[::1])") for kernel in KERNELS]
