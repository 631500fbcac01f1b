"""NumPy's views of device arrays, and the buffer protocol of those: device arrays by themselves have neither."""

import ctypes
import gc
import time

import ml_dtypes
import numpy as np
import pytest
import treadle
from interop.producers import READ_ONLY, Producer
from treadle import cuda

FORMATS = {
    "?": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "l", "u1": "B", "u2": "H", "u4": "I", "u8": "L", "f2": "e",
    "f4": "f", "f8": "d", "c8": "Zf", "c16": "Zd", "S5": "5s", "U3": "3w", "V7": "7x",
}  # fmt: skip


class Buffer(ctypes.Structure):
    """Py_buffer."""

    _fields_ = [
        ("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)), ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p),
    ]  # fmt: skip


get_buffer = ctypes.pythonapi.PyObject_GetBuffer
get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(Buffer), ctypes.c_int]
release_buffer = ctypes.pythonapi.PyBuffer_Release
release_buffer.argtypes = [ctypes.POINTER(Buffer)]
WRITABLE, FORMAT, ND, STRIDES = 0x1, 0x4, 0x8, 0x18
IN_C_ORDER, IN_FORTRAN_ORDER, IN_EITHER_ORDER = 0x38, 0x58, 0x98


def live_count():
    gc.collect()
    return cuda.current_context().memory_manager.figures()["live_count"]


@pytest.mark.parametrize("dtype", FORMATS)
def test_what_buffers_of_views_say(dtype):
    host = np.zeros((3, 4), dtype)
    x = cuda.to_device(host)
    for array, twin in (
        (x, host),
        (x.T, host.T),
        (x[::2, 1:], host[::2, 1:]),
        (x[::-1], host[::-1]),
        (x[0:0], host[0:0]),
    ):
        buffer = memoryview(array.host_view())
        assert (buffer.format, buffer.itemsize, buffer.readonly) == (FORMATS[dtype], host.itemsize, False)
        assert (buffer.shape, buffer.strides, buffer.nbytes) == (twin.shape, twin.strides, twin.nbytes)


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array, cuda.pinned_array])
@pytest.mark.parametrize("dtype", FORMATS)
def test_what_buffers_of_host_arrays_say(make, dtype):
    array = make((3, 4), dtype, order="F")
    buffer = memoryview(array)
    assert (buffer.format, buffer.itemsize, buffer.readonly) == (FORMATS[dtype], array.itemsize, False)
    assert (buffer.shape, buffer.strides) == ((3, 4), (array.itemsize, 3 * array.itemsize))


def views():
    x = cuda.to_device(np.arange(12.0).reshape(3, 4))
    read_only = treadle.from_dlpack(Producer(shape=(2, 3), strides=(3, 1), flags=READ_ONLY))
    return {"C": x, "Fortran": x.T, "neither": x[:, ::2], "read-only": read_only, "one element": x[1:2, 2:3]}


# With which flags each layout has a buffer.
GIVEN = {
    "C": {0, WRITABLE, FORMAT | ND, ND, STRIDES, IN_C_ORDER, IN_EITHER_ORDER},
    "Fortran": {STRIDES, IN_FORTRAN_ORDER, IN_EITHER_ORDER},
    "neither": {STRIDES},
    "read-only": {0, FORMAT | ND, ND, STRIDES, IN_C_ORDER, IN_EITHER_ORDER},
    "one element": {0, WRITABLE, FORMAT | ND, ND, STRIDES, IN_C_ORDER, IN_FORTRAN_ORDER, IN_EITHER_ORDER},
}
FLAGS = {0, WRITABLE, FORMAT | ND, ND, STRIDES, IN_C_ORDER, IN_FORTRAN_ORDER, IN_EITHER_ORDER}


@pytest.mark.parametrize("layout", GIVEN)
@pytest.mark.parametrize("flags", sorted(FLAGS), ids=hex)
def test_buffers_as_they_are_asked_for(layout, flags):
    array = views()[layout]
    buffer = Buffer()
    if flags not in GIVEN[layout]:
        with pytest.raises((BufferError, ValueError), match="contiguous|read-only|strides"):
            get_buffer(array.host_view(), buffer, flags)
        assert buffer.obj is None
        return
    get_buffer(array.host_view(), buffer, flags)
    assert (buffer.buf, buffer.len, buffer.itemsize) == (array._address, array.nbytes, array.itemsize)
    assert (buffer.format is not None, buffer.readonly) == (bool(flags & FORMAT), layout == "read-only")
    assert bool(buffer.shape) == bool(flags & ND) and bool(buffer.strides) == (flags & STRIDES == STRIDES)
    release_buffer(buffer)


def test_buffers_keep_the_memory():
    before = live_count()
    x = cuda.to_device(np.arange(6.0))
    first = memoryview(x.host_view())
    second = memoryview(x.host_view()[2:])
    with pytest.raises(ValueError, match="resize"):
        x.host_view().resize(12)
    del x
    assert live_count() == before + 1 and first[1] == 1
    first.release()
    assert live_count() == before + 1 and second[0] == 2
    second.release()
    assert live_count() == before


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array, cuda.pinned_array])
def test_buffers_keep_host_arrays(make):
    before = live_count()
    array = make(6)
    array[:] = 3
    with pytest.raises(ValueError, match="resize"):
        array.resize(12)
    buffer = memoryview(array)
    del array
    assert live_count() == before + 1 and buffer[5] == 3
    buffer.release()
    assert live_count() == before


def test_device_arrays_have_no_buffer_and_no_array_interface():
    x = cuda.to_device(np.arange(6.0))
    for use in (memoryview, np.frombuffer):
        with pytest.raises(TypeError, match="bytes-like"):
            use(x)
    buffer = Buffer()
    with pytest.raises(TypeError, match="bytes-like"):
        get_buffer(x, buffer, 0)
    for name in ("__array_interface__", "__array_struct__", "__buffer__"):
        assert not hasattr(x, name)


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, "M8[ns]", "m8[25s]"])
def test_elements_that_buffers_have_no_format_for(dtype):
    view = cuda.to_device(np.zeros(3, dtype)).host_view()
    with pytest.raises(ValueError, match="cannot include dtype"):
        memoryview(view)
    assert memoryview(view.view(f"u{view.itemsize}")).itemsize == view.itemsize


def test_records_in_buffers():
    packed = cuda.to_device(np.zeros(3, [("a", "i4"), ("b", "f8", (2,))])).host_view()
    assert memoryview(packed).format == "T{i:a:(2)=d:b:}"


def test_numpy_copies_and_views_share():
    x = cuda.to_device(np.arange(12.0).reshape(3, 4))
    for array in (x, x.T, x[::2, 1:], x[::-1, ::-1], x[1], x[1:1], x[:0, 2:]):
        copied, shared = np.asarray(array), array.host_view()
        assert (shared.shape, shared.strides, shared.dtype) == (array.shape, array.strides, array.dtype)
        assert (copied == shared).all() and not np.shares_memory(copied, x.host_view())
        assert shared.size == 0 or shared.ctypes.data == array._address
    with pytest.raises(ValueError, match="without a copy; host_view"):
        np.asarray(x, copy=False)
    np.asarray(x)[0, 0] = 77
    assert x[0, 0] == 0
    x.host_view()[0, 0] = 77
    assert x[0, 0] == 77


def test_views_of_arrays_without_axes_or_elements_and_of_read_only_ones():
    scalar = cuda.to_device(np.float64(5)).reshape(())
    view = scalar.host_view()
    assert view.shape == () and view == 5
    view[()] = 6
    assert scalar.copy_to_host() == 6
    for shape in ((0,), (0, 3), (3, 0)):
        empty = cuda.device_array(shape, np.int16)
        for array in (empty.host_view(), np.asarray(empty)):
            assert (array.shape, array.dtype, array.tolist()) == (shape, np.int16, np.zeros(shape).tolist())
    read_only = treadle.from_dlpack(Producer(flags=READ_ONLY))
    assert not read_only.host_view().flags.writeable and not read_only[1:].host_view().flags.writeable
    assert np.asarray(read_only).flags.writeable


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array, cuda.pinned_array])
def test_host_arrays_are_numpys(make):
    array = make((2, 3), np.int32)
    array[:] = [[1, 2, 3], [4, 5, 6]]
    other = np.asarray(type("Object", (), {"__array_interface__": array[:, ::2].__array_interface__})())
    other[1, 1] = 7
    assert array.tolist() == [[1, 2, 3], [4, 5, 7]]


@pytest.mark.parametrize(
    "look",
    [lambda x: x.host_view(), np.from_dlpack, lambda x: x.__cuda_array_interface__],
    ids=["view", "dlpack", "cai"],
)
def test_a_look_tells_what_has_failed_before(look):
    """Also where all work has ended long ago."""

    @cuda.jit(debug=True)
    def fail(x):
        x[0] = 1
        raise ZeroDivisionError("in the kernel")

    x, stream, event = cuda.to_device(np.zeros(4)), cuda.stream(), cuda.event()
    fail[1, 1, stream](x)
    event.record(stream)
    while not event.query():
        time.sleep(0.001)
    with pytest.raises(ZeroDivisionError, match="in the kernel"):
        look(x)
    assert x.host_view()[0] == 1
