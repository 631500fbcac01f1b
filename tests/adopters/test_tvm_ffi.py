"""tvm-ffi: arrays through its C functions, by our exchange table, and its tensors, which have none, by DLPack."""

import gc

import numpy as np
import pytest
import treadle
from adopters.kernels import double
from treadle import cuda

tvm_ffi = pytest.importorskip("tvm_ffi")


def echo():
    return tvm_ffi.get_global_func("testing.echo")


def test_through_a_function_and_back():
    x = cuda.to_device(np.arange(6.0).reshape(2, 3))
    back = echo()(x)
    assert type(back) is cuda.DeviceNDArray
    assert (back.shape, back.dtype, back._address) == (x.shape, x.dtype, x._address)
    del x
    gc.collect()
    assert back.copy_to_host().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_their_tensors_are_arguments():
    host = np.arange(6.0)
    tensor = tvm_ffi.from_dlpack(host)
    double[1, 32](tensor)
    assert host.tolist() == [0, 2, 4, 6, 8, 10]
    assert treadle.from_dlpack(tensor)._address == host.ctypes.data


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "complex32", "float8_e4m3fn", "int8", "complex64"])
def test_elements(dtype):
    x = cuda.device_array((3, 2), dtype)
    back = echo()(x)
    assert back._type is x._type
