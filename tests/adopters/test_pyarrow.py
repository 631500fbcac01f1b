"""PyArrow's arrays, which are immutable, and its buffers and tensors."""

import gc

import numpy as np
import pytest
import treadle
from adopters.kernels import copy, double
from treadle import CompileError, cuda

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("dtype", "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split())
def test_arrays(dtype):
    host = np.arange(10).astype(dtype)
    theirs = pa.array(host)[2:7]
    out = np.zeros(5, dtype)
    copy[1, 32](theirs, out)
    assert np.array_equal(out, host[2:7])
    assert np.array_equal(treadle.from_dlpack(theirs).copy_to_host(), host[2:7])


def test_half_floats():
    theirs = pa.array(np.array([0.5, 1.5], np.float16))
    assert treadle.from_dlpack(theirs).copy_to_host().tolist() == [0.5, 1.5]


def test_they_cannot_be_written():
    theirs = pa.array([1.0, 2.0])
    with pytest.raises(CompileError, match="read-only"):
        double[1, 32](theirs)
    x = treadle.from_dlpack(theirs)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 3
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()
    assert not np.from_dlpack(x).flags.writeable


@pytest.mark.parametrize("values", [[1, None, 2], ["a", "b"], [[1], [2, 3]]])
def test_what_is_no_tensor_is_its_own_error(values):
    for take in (treadle.from_dlpack, lambda x: copy[1, 32](x, np.zeros(3))):
        with pytest.raises(TypeError, match="DLPack"):
            take(pa.array(values))


def test_buffers_and_tensors():
    host = np.arange(6.0).reshape(2, 3)
    out = np.zeros(6)
    copy[1, 32](treadle.from_dlpack(pa.Tensor.from_numpy(host)).reshape(6), out)
    assert np.array_equal(out, host.ravel())
    signed = np.zeros(48, np.int8)
    copy[1, 64](pa.py_buffer(host), signed)
    assert signed.tobytes() == host.tobytes()


def test_our_arrays_in_arrow():
    x = cuda.to_device(np.arange(4.0))
    assert pa.array(x.host_view()).to_pylist() == [0, 1, 2, 3]


def test_who_dies_first():
    x = treadle.from_dlpack(pa.array(np.arange(1000.0)))
    gc.collect()
    junk = [pa.array(np.zeros(1000)) for _ in range(50)]
    assert x.copy_to_host()[-1] == 999 and len(junk) == 50
