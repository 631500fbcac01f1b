"""Cases: arrays of numba-cuda and of Treadle in the kernels and copies of each other."""

import gc

import numpy as np
import treadle
from numba import cuda as theirs
from treadle import cuda

from numba_launches.cases import case


@theirs.jit
def their_add(x, value):
    i = theirs.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit
def our_add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@case
def ours_in_their_kernels():
    for dtype in ("int8", "int32", "uint64", "float32", "float64"):
        x = cuda.to_device(np.arange(8).astype(dtype))
        their_add[1, 32](x, x.dtype.type(1))
        their_add[1, 32](x[::2], x.dtype.type(10))
        np.testing.assert_array_equal(x.copy_to_host(), np.arange(8) + 1 + 10 * (np.arange(8) % 2 == 0))


@case
def theirs_in_our_kernels():
    x = theirs.to_device(np.arange(8.0))
    our_add[1, 32](x, 1)
    our_add[1, 32](x[1:3], 10)
    np.testing.assert_array_equal(x.copy_to_host(), [1, 12, 13, 4, 5, 6, 7, 8])


@case
def views_of_each_others_memory():
    x = cuda.to_device(np.arange(24.0).reshape(4, 6))
    view = theirs.as_cuda_array(x[1:, ::2])
    assert view.shape == (3, 3) and view.strides == (48, 16)
    y = theirs.to_device(np.arange(24.0).reshape(4, 6))
    back = cuda.as_cuda_array(y)
    back[1] = 7
    cuda.synchronize()
    np.testing.assert_array_equal(y.copy_to_host()[1], np.full(6, 7))
    again = theirs.as_cuda_array(back)
    assert again.device_ctypes_pointer.value == y.device_ctypes_pointer.value
    mapped = theirs.mapped_array(4, np.float64)
    mapped[:] = 1
    our_add[1, 32](mapped, 2)
    cuda.synchronize()
    np.testing.assert_array_equal(mapped, np.full(4, 3))


@case
def empty_arrays():
    x = cuda.device_array((0, 3))
    assert theirs.as_cuda_array(x).shape == (0, 3)
    y = theirs.device_array((0, 3))
    assert cuda.as_cuda_array(y).shape == (0, 3)
    our_add[1, 32](theirs.device_array(0), 1)


@case
def each_on_a_stream_of_its_own():
    """Neither waits for the other on the host; the streams do."""
    stream, ours = theirs.stream(), cuda.stream()
    x = theirs.to_device(np.zeros(64), stream=stream)
    for step in range(5):
        their_add[2, 32, stream](x, float(step))
        our_add[2, 32, ours](x, 100)
        our_add[2, 32](x, 1000)
    np.testing.assert_array_equal(x.copy_to_host(stream=stream), np.full(64, 10 + 500 + 5000))
    y = cuda.to_device(np.zeros(64), stream=ours)
    for step in range(5):
        our_add[2, 32, ours](y, step)
        their_add[2, 32, stream](y, 100.0)
        stream.synchronize()
    np.testing.assert_array_equal(y.copy_to_host(), np.full(64, 510))


@case
def their_streams_are_streams():
    stream = theirs.stream()
    handle = int(stream.handle)
    x = cuda.to_device(np.zeros(64))
    our_add[2, 32, cuda.external_stream(handle)](x, 3)
    np.testing.assert_array_equal(x.copy_to_host(), np.full(64, 3))


@case
def who_dies_first():
    x = theirs.to_device(np.arange(1000.0))
    view = cuda.as_cuda_array(x)
    del x
    gc.collect()
    junk = [theirs.to_device(np.zeros(1000)) for _ in range(20)]
    assert view.copy_to_host()[-1] == 999
    y = cuda.to_device(np.arange(1000.0))
    theirs_view = theirs.as_cuda_array(y)
    del y
    gc.collect()
    junk += [cuda.to_device(np.zeros(1000)) for _ in range(20)]
    assert theirs_view.copy_to_host()[-1] == 999 and len(junk) == 40


@case
def views_of_cuda_core():
    """The description that cuda.core's users get of an array: by DLPack, and by the CUDA Array Interface."""
    from cuda.core.utils import StridedMemoryView

    x = cuda.to_device(np.arange(24.0).reshape(4, 6))[:, ::2]
    for make in (StridedMemoryView.from_dlpack, StridedMemoryView.from_cuda_array_interface):
        view = make(x, stream_ptr=1)
        assert view.ptr == x.device_ctypes_pointer.value and view.shape == (4, 3)
        assert view.strides == (6, 2) and view.dtype == np.float64 and view.is_device_accessible
        assert not view.readonly


@case
def conversions_of_half_floats():
    x = cuda.to_device(np.arange(4, dtype=np.float16))
    np.testing.assert_array_equal(theirs.as_cuda_array(x).copy_to_host(), np.arange(4, dtype=np.float16))
    y = theirs.to_device(np.arange(4, dtype=np.float16))
    np.testing.assert_array_equal(cuda.as_cuda_array(y).copy_to_host(), np.arange(4, dtype=np.float16))
    assert treadle.cuda.as_cuda_array(y).dtype == np.float16
