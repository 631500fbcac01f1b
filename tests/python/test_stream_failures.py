"""What goes wrong in queued kernels is raised by whoever waits for them."""

import numpy as np
import pytest
from treadle import cuda


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit(debug=True)
def out_of_bounds(x):
    x[cuda.grid(1) + x.size] = 1


@cuda.jit(debug=True)
def raising(x):
    if cuda.grid(1) == 3:
        raise ArithmeticError("no", 3)


def test_errors_of_kernels_come_with_the_next_synchronisation():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(8))
    out_of_bounds[1, 8, stream](device)
    add[1, 8, stream](device, 1)
    with pytest.raises(IndexError, match=r"out_of_bounds \(.*failures.py\): an index is out of bounds in line"):
        stream.synchronize()
    stream.synchronize()
    assert (device.copy_to_host() == 1).all()
    raising[1, 8, stream](device)
    with pytest.raises(ArithmeticError) as raised:
        cuda.synchronize()
    assert raised.value.args == ("tid=[3, 0, 0] ctaid=[0, 0, 0]: no", 3)
    with pytest.raises(IndexError):
        out_of_bounds[1, 8, stream](np.zeros(8))


def test_events_tell_failures_of_what_they_are_behind():
    @cuda.jit(debug=True)
    def fails(a):
        a[100 + cuda.grid(1)] = 1

    stream, array = cuda.stream(), cuda.to_device(np.zeros(4))
    before, behind = cuda.event(), cuda.event()
    before.record(stream)
    fails[1, 1, stream](array)
    behind.record(stream)
    while not behind.query():
        pass
    before.synchronize()
    with pytest.raises(IndexError, match="fails"):
        behind.synchronize()
    behind.synchronize()  # it is told once
    stream.synchronize()
