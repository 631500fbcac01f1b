"""Patterns in which programs launch for hours, each as a function that makes so many turns of it.

`tests/memory/test_soak.py` counts what they leave behind, `bench/soak.py` measures what their turns cost.
"""

import itertools

import numpy as np
from treadle import cuda

BLOCK = (1, 32)


@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += y[i]


@cuda.jit
def scale(x, by):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= by


def array(count=8):
    return cuda.to_device(np.ones(count, np.float32))


def weights_and_batches():
    """Weights that stay, and new batches, each launched three times: a training loop."""
    weights = array()

    def turn():
        batch = array()
        for _ in range(3):
            add[BLOCK](batch, weights)

    return turn


def batches_on_a_stream():
    """The same on a stream, which is waited for now and then."""
    weights, stream, numbers = array(), cuda.stream(), itertools.count(1)

    def turn():
        batch = cuda.to_device(np.ones(8, np.float32), stream=stream)
        for _ in range(3):
            add[1, 32, stream](batch, weights)
        if next(numbers) % 20 == 0:
            stream.synchronize()

    return turn


def levels(count):
    """One launcher and many sets of arrays in turn: the levels of multigrid, the layers of a network."""
    sets, launcher = [(array(), array()) for _ in range(count)], add[BLOCK]

    def turn():
        for x, y in sets:
            launcher(x, y)

    return turn


def nine_levels():
    return levels(9)


def sixteen_levels():
    return levels(16)


def double_buffers():
    """Two arrays that change places, with a number of each turn."""
    pair, numbers = [array(), array()], itertools.count()

    def turn():
        add[BLOCK](*pair)
        scale[BLOCK](pair[0], next(numbers) * 0.5)
        pair.reverse()

    return turn


def launchers_of_every_turn():
    """A configuration that changes, so that each launcher is a new one."""
    x, y, sizes = array(), array(), itertools.cycle(range(1, 200))

    def turn():
        launcher = add[next(sizes), 32]
        for _ in range(3):
            launcher(x, y)

    return turn


def exchanged_in_bound_launches():
    """A bound launch over forty arrays, two calls of each."""
    arrays = [array() for _ in range(40)]
    bound, places = add.bind(*BLOCK, 0, arrays[0], array()), itertools.cycle(arrays)

    def turn():
        bound[0] = next(places)
        bound()
        bound()

    return turn


def bound_launches_made_anew():
    """Bound launches that are made, called and dropped."""
    x, y = array(), array()

    def turn():
        bound = add.bind(*BLOCK, 0, x, y)
        for _ in range(3):
            bound()

    return turn


def graphs_over_one_array():
    """Graphs that are captured, replayed and dropped."""
    x, y = array(), array()
    for _ in range(3):
        add[BLOCK](x, y)

    def turn():
        graph = cuda.graph()
        with graph:
            add[BLOCK](x, y)
            add[BLOCK](y, x)
        graph.replay()
        graph.replay()

    return turn


def integers_of_both_types():
    """A number that is int64 in some turns and uint64 in others, small and large."""
    x, launcher = array(), scale[BLOCK]
    values = itertools.cycle((1, 2**63, -1, 2**40, 2**64 - 1, True))

    def turn():
        launcher(x, next(values))

    return turn


def views_of_one_array():
    """New views of an array that stays, as in loops over slices."""
    x, y = array(64), array(64)

    def turn():
        for begin in range(0, 64, 16):
            one, other = x[begin : begin + 16], y[begin : begin + 16]
            add[BLOCK](one, other)
            add[BLOCK](one, other)

    return turn


def functions_of_elements():
    """NumPy's functions of device arrays."""
    x, y = array(), array()

    def turn():
        np.add(x, y, out=x)
        np.multiply(x, 0.5)

    return turn


PATTERNS = [
    weights_and_batches, batches_on_a_stream, nine_levels, sixteen_levels, double_buffers, launchers_of_every_turn,
    exchanged_in_bound_launches, bound_launches_made_anew, graphs_over_one_array, integers_of_both_types,
    views_of_one_array, functions_of_elements,
]  # fmt: skip
WITH_GRAPHS = [graphs_over_one_array]
