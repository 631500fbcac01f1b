"""A difference from a multiple of a quotient is a remainder, where the quotient is of the same value."""

from treadle import cuda


@cuda.jit
def of_a_variable(x, out):
    i = cuda.grid(1)
    seconds = x[i]
    minutes = seconds // 60
    out[i] = seconds - minutes * 60


# CHECK-LABEL: == of_a_variable
# CHECK: remainders ({{.*}}): made a new tree
# CHECK: minutes.{{.*}} = floordiv(seconds.[[X:[0-9]*]], int64 60)
# CHECK-NEXT: store out.1[{{.*}}] = mod(seconds.[[X]], int64 60)


@cuda.jit
def at_once_and_in_loops(x, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = i - 24 * (i // 24)
        for k in range(3):
            day = k // 7
            out[k] = k - day * 7


# CHECK-LABEL: == at_once_and_in_loops
# CHECK: remainders ({{.*}}): made a new tree
# CHECK: store out.1[i.{{.*}}] = mod(i.{{.*}}, int64 24)
# CHECK: store out.1[k.{{.*}}] = mod(k.{{.*}}, int64 7)


@cuda.jit
def of_other_values(x, out):
    i = cuda.grid(1)
    minutes = i // 60
    out[i] = i - minutes * 61 + (x[i] - minutes * 60) + (minutes * 60 - i)


# CHECK-LABEL: == of_other_values
# CHECK: remainders ({{.*}}): changed nothing


@cuda.jit
def of_a_value_that_changes(x, out):
    i = cuda.grid(1)
    hours = x[i]
    days = hours // 24
    if days > 3:
        hours += days
    out[i] = hours - days * 24


# CHECK-LABEL: == of_a_value_that_changes
# CHECK: remainders ({{.*}}): changed nothing


@cuda.jit
def of_the_last_round(x, out):
    total = 0
    days = 0
    for k in range(9):
        hours = x[k]
        total += hours - days * 24
        days = hours // 24
    out[0] = total


# CHECK-LABEL: == of_the_last_round
# CHECK: remainders ({{.*}}): changed nothing


@cuda.jit
def that_is_not_always_assigned(x, out):
    i = cuda.grid(1)
    hours = x[i]
    if hours > 5:
        days = hours // 24
        x[i] = days
    else:
        days = 1
    out[i] = hours - days * 24


# CHECK-LABEL: == that_is_not_always_assigned
# CHECK: remainders ({{.*}}): changed nothing


KERNELS = (
    of_a_variable, at_once_and_in_loops, of_other_values, of_a_value_that_changes, of_the_last_round,
    that_is_not_always_assigned,
)  # fmt: skip
REPORTS = [(kernel, "void(int64[::1], int64[::1])") for kernel in KERNELS]
