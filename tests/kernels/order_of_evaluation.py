# Operands are evaluated in Python's order, each once, even if only some of them are needed.
import numpy as np
from treadle import cuda

from kernels.harness import check

IS_DEBUG = False


@cuda.jit(device=True)
def tick(c, i):
    c[i] += 1
    return c[i]


@cuda.jit(device=True)
def pair(c, i):
    c[i] *= 2
    return c[i], c[i] + 1


@cuda.jit(device=True)
def place(c, i):
    return i, tick(c, i)


@cuda.jit(device=True)
def nothing(c, i):
    c[i] += 5


@cuda.jit(device=True)
def digits(x, y, z):
    return x * 100 + y * 10 + z


@cuda.jit
def index_of_an_atomic_before_its_value(c, out):
    i = cuda.grid(1)
    if i < c.size:
        cuda.atomic.add(out, (i, tick(c, i)), tick(c, i))


@cuda.jit
def element_read_before_a_call_changes_it(c, out):
    i = cuda.grid(1)
    if i < c.size:
        cuda.atomic.add(out, (i, c[i]), tick(c, i))
        out[i, 2] = digits(c[i], tick(c, i), c[i])
        out[i, 3] = c[i] * 10 + tick(c, i)
        out[i, 4] = max(c[i] * 5, tick(c, i), c[i] * 5)


@cuda.jit
def keywords_as_written(c, out):
    i = cuda.grid(1)
    if i < c.size:
        out[i, 0] = digits(tick(c, i), z=tick(c, i), y=tick(c, i))
        out[i, 1] = digits(y=c[i], z=tick(c, i), x=c[i])


@cuda.jit
def unpacked_arguments_behind_others(c, out):
    i = cuda.grid(1)
    if i < c.size:
        out[i, 0] = digits(tick(c, i), *pair(c, i))


@cuda.jit
def bounds_of_a_slice(c, out):
    i = cuda.grid(1)
    if i < c.size:
        part = out[i, tick(c, i) : tick(c, i) + 5 : tick(c, i)]
        out[i, 0] = part.size


@cuda.jit
def value_before_the_slice_that_takes_it(c, out):
    i = cuda.grid(1)
    if i < c.size:
        out[i, tick(c, i) : tick(c, i) + 1] = tick(c, i)


@cuda.jit
def value_before_the_index_that_takes_it(c, out):
    i = cuda.grid(1)
    if i < c.size:
        out[i, tick(c, i)] = tick(c, i)
        out[place(c, i)] = tick(c, i)


@cuda.jit
def item_of_a_display(c, out):
    i = cuda.grid(1)
    if i < c.size:
        out[i, 0] = (tick(c, i), tick(c, i), tick(c, i))[0]
        out[i, 1] = (nothing(c, i), tick(c, i))[1]
        out[i, 2] = c[i]


@cuda.jit
def argument_whose_type_alone_is_used(c, out):
    i = cuda.grid(1)
    if i < c.size:
        number = type(tick(c, i))
        out[i, 0] = number(2.5)
        out[i, 1] = type(tick(c, i)) is np.int64
        out[i, 2] = c[i]


@cuda.jit
def slice_of_a_display(c, out):
    i = cuda.grid(1)
    if i < c.size:
        part = (tick(c, i), tick(c, i), tick(c, i))[1:]
        out[i, 0] = part[0] * 10 + part[1]
        out[i, 1] = c[i]


@cuda.jit
def tuples_joined(c, out):
    i = cuda.grid(1)
    if i < c.size:
        first, second, third = (tick(c, i),) + pair(c, i)
        out[i, 0] = digits(first, second, third)


@cuda.jit
def membership_evaluates_all_items(c, out):
    i = cuda.grid(1)
    if i < c.size:
        out[i, 0] = tick(c, i) + 1 in (tick(c, i), tick(c, i), tick(c, i))
        out[i, 1] = c[i]


@cuda.jit
def comparison_of_tuples_evaluates_all_items(c, out):
    i = cuda.grid(1)
    if i < c.size:
        out[i, 0] = (tick(c, i), tick(c, i)) == (tick(c, i), tick(c, i))
        out[i, 1] = c[i]
        out[i, 2] = (tick(c, i), tick(c, i)) != (tick(c, i),)
        out[i, 3] = c[i]


@cuda.jit
def left_side_before_a_walrus_on_the_right(c, out):
    i = cuda.grid(1)
    if i < c.size:
        x = 1
        for _ in range(5):
            if x < (x := x + 1) < 10:
                out[i, 0] += 1
        out[i, 1] = digits(x, (x := x + 1), x)
        out[i, 2] = x == (x := x + 1)
        out[i, x - 7] = out[i, 4] = x


@cuda.jit
def index_of_an_augmented_element_before_its_value(c, out):
    i = cuda.grid(1)
    if i < c.size:
        k = 0
        for _ in range(3):
            out[i, k] += (k := k + 1)
        out[i, 3] = c[i]
        out[i, 3] += tick(c, i) * 10 + out[i, 3]
        out[i, tick(c, i)] -= tick(c, i)


@cuda.jit
def value_once_for_several_targets(c, out):
    i = cuda.grid(1)
    if i < c.size:
        k = 5
        out[i, (k := 1)] = out[i, k + 1] = k
        out[i, tick(c, i) + 2] = out[i, tick(c, i) + 2] = tick(c, i)


@cuda.jit
def value_of_a_call_for_nothing(c, out):
    i = cuda.grid(1)
    if i < c.size:
        out[i, 0] = nothing(c, i) is None
        nothing(c, i) if i % 2 else nothing(c, i)
        i % 3 == 0 and nothing(c, i)
        out[i, 1] = nothing(c, i) == nothing(c, i)
        out[i, 2] = c[i]
        out[i, 3] = out[place(c, i)[0] : tick(c, i) * 0 + 2].ndim
        out[i, 4] = len((tick(c, i), tick(c, i)))
        out[i, 5] = c[i]


@cuda.jit
def tests_that_a_later_operand_decides(c, out):
    i = cuda.grid(1)
    if i < c.size:
        if (k := tick(c, i)) > 0 and IS_DEBUG:
            out[i, 0] = 1
        if not ((tick(c, i) > 50 and IS_DEBUG) or tick(c, i) > 50 or not IS_DEBUG):
            out[i, 1] = 1
        while tick(c, i) < 50 and IS_DEBUG:
            out[i, 2] = 1
        else:
            out[i, 3] = c[i] * 10 + k
        while tick(c, i) < 5 or not IS_DEBUG:
            out[i, 4] += 1
            if c[i] > 8:
                break
        if IS_DEBUG and tick(c, i) > 0:
            out[i, 5] = 1


@cuda.jit
def bounds_of_a_range(c, out):
    i = cuda.grid(1)
    if i < c.size:
        for k in range(tick(c, i), tick(c, i) + 6, tick(c, i)):
            out[i, 0] = out[i, 0] * 10 + k


KERNELS = [
    index_of_an_atomic_before_its_value,
    element_read_before_a_call_changes_it,
    keywords_as_written,
    unpacked_arguments_behind_others,
    bounds_of_a_slice,
    value_before_the_slice_that_takes_it,
    value_before_the_index_that_takes_it,
    item_of_a_display,
    argument_whose_type_alone_is_used,
    slice_of_a_display,
    tuples_joined,
    membership_evaluates_all_items,
    comparison_of_tuples_evaluates_all_items,
    left_side_before_a_walrus_on_the_right,
    index_of_an_augmented_element_before_its_value,
    value_once_for_several_targets,
    value_of_a_call_for_nothing,
    tests_that_a_later_operand_decides,
    bounds_of_a_range,
]
PTX = [(kernel, "(int64[::1], int64[:, ::1])") for kernel in KERNELS]


def run():
    for kernel in KERNELS:
        for count in (1, 40):
            check(kernel, 1, 64, np.zeros(count, np.int64), np.zeros((count, 8), np.int64))
