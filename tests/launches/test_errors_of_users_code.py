"""What the user's own code raises while Treadle asks an object what it is passes as it is, and what Treadle finds out
later is right. Ctrl-C may come there, too."""

import numpy as np
import pytest
from treadle import cuda

ERRORS = [KeyboardInterrupt, MemoryError, RuntimeError]


@cuda.jit
def doubled(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def raising_once(error, value):
    """A property that raises when it is asked first, then gives value(object)."""
    asked = []

    def ask(thing):
        asked.append(thing)
        if len(asked) == 1:
            raise error
        return value(thing)

    return property(ask)


def array_class(error, attribute):
    def base(array):
        return getattr(array.view(np.ndarray), attribute)

    return type("Asked", (np.ndarray,), {attribute: raising_once(error, base)})


@pytest.mark.parametrize("attribute", ["dtype", "ndim"])
@pytest.mark.parametrize("error", ERRORS)
def test_an_array_that_is_an_argument(error, attribute):
    x = np.ones(4, np.float32).view(array_class(error, attribute))
    with pytest.raises(error):
        doubled[1, 4](x)
    doubled[1, 4](x)
    assert x.tolist() == [2, 2, 2, 2]
    assert cuda.to_device(np.asarray(x)).dtype == np.float32


@pytest.mark.parametrize("error", ERRORS)
def test_a_captured_array(error):
    table = np.arange(4.0).view(array_class(error, "dtype"))

    @cuda.jit
    def kernel(x):
        x[0] = table[3]

    x = np.zeros(1)
    with pytest.raises(error):
        kernel[1, 1](x)
    kernel[1, 1](x)
    assert x[0] == 3


@pytest.mark.parametrize("error", ERRORS)
def test_the_fields_of_a_named_tuple(error):
    class Asked(type):
        _fields = raising_once(error, lambda _: ("a", "b"))

    class Pair(tuple, metaclass=Asked):
        pass

    @cuda.jit
    def kernel(pair, x):
        x[0] = pair.a - pair.b

    x = np.zeros(1)
    with pytest.raises(error):
        kernel[1, 1](Pair((5, 3)), x)
    kernel[1, 1](Pair((5, 3)), x)
    assert x[0] == 2


@pytest.mark.parametrize("error", ERRORS)
def test_a_dtype(error):
    def new():
        class Asked:
            dtype = raising_once(error, lambda _: np.dtype("f4"))

        return Asked()

    # NumPy 2.2 replaces every error by a TypeError.
    with pytest.raises((error, TypeError)) as of_numpy:
        np.dtype(new())
    asked = new()
    with pytest.raises(of_numpy.type):
        cuda.device_array(3, asked)
    assert cuda.device_array(3, asked).nbytes == 12


@pytest.mark.parametrize("error", ERRORS)
def test_what_a_class_declares(error):
    class Meta(type):
        def __getattr__(cls, name):
            if name == "__treadle_type__":
                raise error
            raise AttributeError(name)

    class Asked(metaclass=Meta):
        pass

    with pytest.raises(error):
        cuda.device_array(3, Asked())


@pytest.mark.parametrize("error", ERRORS)
def test_a_stream_of_another_library(error):
    class Asked:
        __cuda_stream__ = raising_once(error, lambda _: lambda: (0, 1))

    stream = Asked()
    x = np.ones(4)
    with pytest.raises(error):
        doubled[1, 4, stream](x)
    doubled[1, 4, stream](x)
    cuda.synchronize()
    assert x.tolist() == [2, 2, 2, 2]
