"""What the tests of graphs share."""

import numpy as np
import pytest
from treadle import cuda
from treadle.cuda.cudadrv.driver import CudaAPIError

UNSUPPORTED, UNJOINED, IMPLICIT, CAPTURED_EVENT = 900, 904, 906, 907


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


@cuda.jit
def together(x):
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    x[i] += 1
    grid.sync()
    if i == 0:
        x[0] = x[x.size - 1] + 1


@cuda.jit(debug=True, opt=False)
def checked(x, i):
    x[i] += 1


def zeros(n=100):
    return cuda.to_device(np.zeros(n, np.float32))


def values(x):
    """The only value that the elements have."""
    host = x.copy_to_host()
    assert (host == host[0]).all(), host
    return host[0]


@pytest.fixture
def x():
    array = zeros()
    add[4, 32](array, 0)
    scale[4, 32](array, 1)
    cuda.synchronize()
    return array


def refused(code, call, *arguments):
    with pytest.raises(CudaAPIError) as caught:
        call(*arguments)
    assert caught.value.code == code, caught.value
