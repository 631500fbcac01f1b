"""Kernels' fallbacks are counted: the counts fill the table that test runs print."""

import numpy as np
from treadle import _core, cuda


@cuda.jit
def straight(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@cuda.jit
def roundabout(x, places):
    i = cuda.grid(1)
    old = x[places[i]]
    if i % 2:
        cuda.syncthreads()
    cuda.atomic.add(x, places[i], old)


def counted(kernel, *arguments):
    before = _core.fallbacks()
    kernel[1, 64](*arguments)
    after = _core.fallbacks()
    return {what: count - before.get(what, 0) for what, count in after.items() if count != before.get(what, 0)}


def test_a_kernel_of_vectors_has_none():
    assert counted(straight, np.zeros(64)) == {"kernels": 1}


def test_each_kind_is_counted_once_for_a_kernel():
    found = counted(roundabout, np.zeros(64), np.arange(64))
    assert found.pop("warps that split, at run time") == 2
    assert found == {"kernels": 1, "gather": 1, "atomic, lane by lane": 1, "warps are fibers": 1}
