"""Whose memory a loop reads: the loop may wait if the launch writes it, also through a view or in a function."""

import numpy as np
from treadle import cuda

captured = cuda.to_device(np.zeros(1, np.int64))


@cuda.jit(device=True)
def put(array):
    array[0] = 1


@cuda.jit
def by_function(x, flags):
    put(flags[1:])
    i = cuda.grid(1)
    while flags[i] == 0:
        i += 1
    x[0] = i


# CHECK-LABEL: == by_function
# CHECK: waiting loops ({{.*}}): found
# CHECK-NEXT: while eq(flags.1[i.2], int64 0): may wait


@cuda.jit
def to_another(x, flags):
    put(x[1:])
    i = cuda.grid(1)
    while flags[i] == 0:
        i += 1
    x[0] = i


# CHECK-LABEL: == to_another
# CHECK: waiting loops ({{.*}}): changed nothing


@cuda.jit
def perhaps_to_another(x, flags):
    """With a captured array, nothing says that the arguments are different memory."""
    i = cuda.grid(1)
    while flags[i] == 0:
        i += 1
    x[0] = captured[0]


# CHECK-LABEL: == perhaps_to_another
# CHECK: waiting loops ({{.*}}): found
# CHECK-NEXT: while eq(flags.1[i.2], int64 0): may wait


@cuda.jit
def perhaps_to_the_captured(x, flags):
    """The captured array may be the one that x is."""
    i = cuda.grid(1)
    while captured[i] == 0:
        i += 1
    x[0] = i


# CHECK-LABEL: == perhaps_to_the_captured
# CHECK: waiting loops ({{.*}}): found
# CHECK-NEXT: while eq(captured 0[i.2], int64 0): may wait

REPORTS = [
    (by_function, "void(int64[::1], int64[::1])"),
    (to_another, "void(int64[::1], int64[::1])"),
    (perhaps_to_another, "void(int64[::1], int64[::1])"),
    (perhaps_to_the_captured, "void(int64[::1], int64[::1])"),
    (perhaps_to_another, "void(float64[::1], int64[::1])"),
    (perhaps_to_the_captured, "void(float64[::1], int64[::1])"),
]
# Of the last two reports, in which the arguments have other elements.
# CHECK-LABEL: == perhaps_to_another
# CHECK: waiting loops ({{.*}}): changed nothing
# CHECK-LABEL: == perhaps_to_the_captured
# CHECK: waiting loops ({{.*}}): changed nothing
