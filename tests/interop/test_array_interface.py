"""Memory of the host by NumPy's array interface, of objects that have no buffer protocol."""

import ctypes

import numpy as np
import pytest
from treadle import CompileError, cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


class OfInstance:
    def __init__(self, array, **fields):
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, **fields}


class OfClass:
    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


class AsStruct:
    def __init__(self, array):
        self.array = array

    @property
    def __array_struct__(self):
        return self.array.__array_struct__


@pytest.mark.parametrize("kind", [OfInstance, OfClass, AsStruct])
def test_F135_F136_kernels_use_the_memory(kind):
    host = np.arange(6.0)
    double[1, 32](kind(host))
    double[1, 32](kind(host[::2]))
    double[1, 32, cuda.stream()](kind(host))
    assert host.tolist() == [0, 4, 16, 12, 32, 20]
    assert cuda.to_device(kind(host)).copy_to_host().tolist() == host.tolist()


def test_F135_F136_read_only_memory():
    host = np.arange(6.0)
    host.flags.writeable = False
    for kind in (OfInstance, AsStruct):
        with pytest.raises(CompileError, match="read-only"):
            double[1, 32](kind(host))


def test_F135_data_in_a_buffer_with_an_offset():
    memory = bytearray(np.arange(8.0).tobytes())
    shown = {"shape": (4,), "typestr": "<f8", "version": 3, "data": memory, "offset": 16}

    class Buffered:
        __array_interface__ = shown

    double[1, 32](Buffered())
    assert np.frombuffer(memory).tolist() == [0, 1, 4, 6, 8, 10, 6, 7]


@pytest.mark.parametrize("fields", [{"typestr": ">f8"}, {"typestr": "<f2"}, {"typestr": "|S8"}])
def test_F135_elements_that_kernels_have_not(fields):
    with pytest.raises(TypeError, match="argument 1 .'x'. is of type OfInstance: arrays (of dtype >f8|can hold)"):
        double[1, 32](OfInstance(np.zeros(4), **fields))


def test_F135_what_numpy_raises_passes():
    class Wrong:
        __array_interface__ = {"shape": (4,)}

    with pytest.raises(ValueError, match="typestr"):
        double[1, 32](Wrong())

    class Missing:
        @property
        def __array_interface__(self):
            raise AttributeError("not now")

    with pytest.raises(TypeError):
        double[1, 32](Missing())


def test_F137_the_buffer_protocol_comes_first():
    class Both(ctypes.c_double * 4):
        @property
        def __array_interface__(self):
            raise AssertionError("asked")

    both = Both(1, 2, 3, 4)
    double[1, 32](both)
    assert list(both) == [2, 4, 6, 8]
