# raise and assert: kernels compiled with debug raise the same class, prefixed with the thread; others continue.
import math
import types

import numpy as np
import pytest
from treadle import cuda


class Overflow(Exception):
    pass


@cuda.jit(debug=True)
def guarded(x):
    i = cuda.grid(1)
    if x[i] > 90:
        raise Overflow("it's too large", 3, 2.5, None)
    x[i] = -1


@cuda.jit(debug=True)
def asserted(x):
    i, j = cuda.grid(2)
    assert x[i, j] < 5, "above five"


@cuda.jit(debug=True)
def bare(x):
    if x[cuda.grid(1)] == 7:
        raise ValueError


@cuda.jit(device=True)
def root(value):
    if value < 0:
        raise ArithmeticError("negative")
    return value**0.5


@cuda.jit(debug=True)
def inside(x):
    x[cuda.grid(1)] = root(x[cuda.grid(1)])


@cuda.jit(device=True)
def turns(x, i):
    if x[i] < 0:
        raise ArithmeticError("negative")
    return x[i]


@cuda.jit(debug=True)
def of_whole_blocks(x, out):
    for _ in range(turns(x, cuda.blockIdx.x)):
        cuda.syncthreads()
        out[cuda.grid(1)] += 1


@cuda.jit(debug=True)
def around_a_barrier(x, out, first):
    if cuda.threadIdx.x < first:
        return
    for _ in range(turns(x, cuda.blockIdx.x)):
        cuda.syncthreads()
        out[cuda.grid(1)] += 1


@cuda.jit
def ignored(x):
    if x[0] == 0:
        raise ValueError("not raised without debug")
    assert x[0] > 100
    x[0] = 2


PTX = [(ignored, "(float64[::1],)")]


def run():
    x = np.zeros(64)
    x[37] = 91
    with pytest.raises(Overflow) as caught:
        guarded[2, 32](x)
    assert caught.value.args == ("tid=[5, 0, 0] ctaid=[1, 0, 0]: it's too large", 3, 2.5, None)
    assert x[37] == 91
    y = np.zeros((8, 12))
    y[6, 10] = 6
    with pytest.raises(AssertionError) as caught:
        asserted[(2, 3), (4, 4)](y)
    assert caught.value.args == ("tid=[2, 2, 0] ctaid=[1, 2, 0]: above five",)
    with pytest.raises(ValueError) as caught:
        bare[1, 8](np.arange(8.0))
    assert caught.value.args == ("tid=[7, 0, 0] ctaid=[0, 0, 0]",)
    with pytest.raises(ArithmeticError, match=r"^tid=\[1, 0, 0\] ctaid=\[0, 0, 0\]: negative$"):
        inside[1, 2](np.array([4.0, -1.0]))
    for first in (0, 3, 40):
        out = np.zeros(192)
        around_a_barrier[3, 64](np.array([1, 2, 3]), out, first)
        assert out.reshape(3, 64).sum(1).tolist() == [(64 - first) * n for n in (1, 2, 3)]
        place = r"^tid=\[\d+, 0, 0\] ctaid=\[1, 0, 0\]: negative$"
        with pytest.raises(ArithmeticError, match=place):
            around_a_barrier[2, 64](np.array([1, -2]), out, first)
    # Any of the threads that fail may be the one that is told; on the CPU device it is the first.
    with pytest.raises(ArithmeticError, match=r"^tid=\[\d+, 0, 0\] ctaid=\[1, 0, 0\]: negative$"):
        of_whole_blocks[2, 64](np.array([1, -2]), np.zeros(128))
    z = np.zeros(1)
    ignored[1, 1](z)
    assert z[0] == 2
    guarded[2, 32](np.zeros(64))
    raises_what_the_name_means_where_it_stands()
    raises_with_what_floats_can_be()
    raises_instances()


class Elsewhere(KeyError):
    """Has the same name as a class in the module below."""


LIBRARY = """
from treadle import cuda
class Elsewhere(Exception):
    pass
class Errors:
    class Inner(Exception):
        pass
@cuda.jit(device=True)
def checked(a):
    if a == 1:
        raise Elsewhere("one")
    if a == 2:
        raise Errors.Inner("two")
    return a
"""


def raises_what_the_name_means_where_it_stands():
    library = types.ModuleType("library")
    exec(LIBRARY, library.__dict__)
    checked = library.checked

    class Local(Exception):
        pass

    @cuda.jit(debug=True)
    def kernel(x):
        if x[0] == 0:
            raise Local("zero")
        if x[0] == 3:
            raise Elsewhere("three")
        x[0] = checked(x[0])

    wanted = [Local, library.Elsewhere, library.Errors.Inner, Elsewhere]
    for value, expected in enumerate(wanted):
        with pytest.raises(expected) as caught:
            kernel[1, 1](np.full(1, value))
        assert type(caught.value) is expected
    stream = cuda.stream()
    kernel[1, 1, stream](cuda.to_device(np.full(1, 2)))
    with pytest.raises(library.Errors.Inner):
        stream.synchronize()


def raises_with_what_floats_can_be():
    @cuda.jit(debug=True)
    def infinite(x):
        raise ValueError(math.inf, -math.inf, math.nan, 1e308, "'inf'\n")

    for config in ((1, 1), (1, 1, cuda.stream())):
        with pytest.raises(ValueError) as caught:
            infinite[config](cuda.to_device(np.zeros(1)))
            config[2].synchronize()
        first, low, missing, large, text = caught.value.args
        assert first == "tid=[0, 0, 0] ctaid=[0, 0, 0]: inf"
        assert (low, large, text) == (-math.inf, 1e308, "'inf'\n")
        assert math.isnan(missing)


PREPARED = Overflow("made before", 3)
EMPTY = Overflow()


def raises_instances():
    @cuda.jit(debug=True)
    def prepared(x):
        if x[0] == 0:
            raise PREPARED
        raise EMPTY

    for value, arguments in (
        (0, ("tid=[0, 0, 0] ctaid=[0, 0, 0]: made before", 3)),
        (1, ("tid=[0, 0, 0] ctaid=[0, 0, 0]",)),
    ):
        with pytest.raises(Overflow) as caught:
            prepared[1, 1](np.full(1, value))
        assert caught.value.args == arguments
    assert PREPARED.args == ("made before", 3)
