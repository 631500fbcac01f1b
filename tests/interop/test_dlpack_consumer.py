"""Arrays of others through DLPack, on the CPU device."""

import ctypes
import gc
import mmap
import sys
import weakref

import numpy as np
import pytest
import treadle
from interop.producers import (
    ASKS_FOR_1_0,
    CUDA,
    IS_COPIED,
    READ_ONLY,
    Deleter,
    LegacyProducer,
    Producer,
    Version,
    Versioned,
    api,
    name_of,
)
from treadle import cuda

FAR = 1 << 62


def values(x):
    return x.copy_to_host().tolist()


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def test_what_the_producer_is_asked():
    versioned, legacy = Producer(), LegacyProducer()
    treadle.from_dlpack(versioned)
    treadle.from_dlpack(legacy)
    assert versioned.asked == [{"max_version": (1, 3)}]
    assert legacy.asked == [{"stream": None}]
    treadle.from_dlpack(versioned, copy=True)
    assert versioned.asked[-1] == {"max_version": (1, 3), "stream": None, "dl_device": None, "copy": True}
    treadle.from_dlpack(versioned, device="cpu")
    assert versioned.asked[-1]["dl_device"] == (1, 0)
    for wanted in ({"copy": False}, {"device": (1, 0)}):
        with pytest.raises(TypeError, match="unexpected keyword"):
            treadle.from_dlpack(legacy, **wanted)


def test_exceptions_of_the_producer_pass():
    class Failing(Producer):
        def __dlpack__(self, **asked):
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        treadle.from_dlpack(Failing())


def test_a_type_error_of_its_own_is_no_reason_to_ask_again():
    class Nulls(TypeError):
        pass

    class Own(Producer):
        def __dlpack__(self, **asked):
            self.asked.append(asked)
            raise Nulls("no")

    producer = Own()
    with pytest.raises(Nulls):
        treadle.from_dlpack(producer)
    assert len(producer.asked) == 1


def test_objects_without_the_protocol():
    for thing in (3, object(), [1.0]):
        with pytest.raises(AttributeError, match="__dlpack_device__"):
            treadle.from_dlpack(thing)
    with pytest.raises(AttributeError, match="__dlpack__"):
        treadle.from_dlpack(type("Half", (), {"__dlpack_device__": lambda self: (1, 0)})())
    with pytest.raises(TypeError, match="one array"):
        treadle.from_dlpack()
    with pytest.raises(TypeError, match="no argument 'stream'"):
        treadle.from_dlpack(Producer(), stream=1)


@pytest.mark.parametrize("kind", [Producer, LegacyProducer])
def test_both_structs(kind):
    producer = kind(shape=(2, 3), strides=(3, 1))
    x = treadle.from_dlpack(producer)
    assert (x.shape, x.strides, x.dtype) == ((2, 3), (12, 4), np.float32)
    assert values(x) == [[1, 2, 3], [4, 5, 6]]
    double[1, 32](x.ravel())
    assert list(producer.memory) == [2, 4, 6, 8, 10, 12]
    assert producer.deleted == 0
    del x
    gc.collect()
    assert producer.deleted == 1


class Once(Producer):
    """Gives one capsule again and again."""

    given = None

    def capsule(self):
        self.given = self.given or super().capsule()
        return self.given


def test_a_capsule_is_taken_once():
    producer = Once()
    x = treadle.from_dlpack(producer)
    assert name_of(producer.given) == b"used_dltensor_versioned"
    with pytest.raises(ValueError, match="used_dltensor_versioned"):
        treadle.from_dlpack(producer)
    del x
    assert producer.deleted == 1


@pytest.mark.parametrize("kind", [Producer, LegacyProducer])
@pytest.mark.parametrize(
    "wrong",
    [
        {"dtype": (3, 64, 1)}, {"dtype": (99, 32, 1)}, {"dtype": (2, 32, 2)}, {"dtype": (2, 32, 0)},
        {"dtype": (2, 24, 1)}, {"dtype": (6, 1, 1)}, {"dtype": (15, 8, 1)}, {"dtype": (4, 32, 1)},
        {"tensor_device": (2, 0)}, {"tensor_device": (8, 0)}, {"tensor_device": (0, 0)}, {"tensor_device": (1, 7)},
        {"ndim": -1}, {"ndim": 9}, {"ndim": 1 << 30}, {"has_shape": False}, {"data": None},
        {"shape": (-1,)}, {"shape": (-(1 << 63),)}, {"shape": (FAR,)}, {"shape": (1 << 40, 1 << 40), "strides": (0, 0)},
        {"strides": (FAR,)}, {"strides": (-FAR,)}, {"strides": (-(1 << 63),)}, {"byte_offset": (1 << 64) - 1},
        {"byte_offset": 1 << 63}, {"shape": (3, 3), "strides": ((1 << 61) - 1, -(1 << 61))},
        {"shape": (1 << 40,), "strides": None, "byte_offset": (1 << 63) - (1 << 41)},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_tensors_are_refused_and_deleted_once(kind, wrong):
    producer = kind(**wrong)
    with pytest.raises(BufferError, match="arrays have 0 to 8" if "ndim" in wrong else None):
        treadle.from_dlpack(producer)
    assert producer.deleted == 1


@pytest.mark.parametrize("name", [b"dltensor_versioned2", b"used_dltensor", b"whatever"])
def test_an_error_before_it_is_taken_leaves_the_capsule_alone(name):
    class Named(Producer):
        def capsule(self):
            self.name = name
            self.given = super().capsule()
            return self.given

    producer = Named()
    with pytest.raises(ValueError, match=name.decode()):
        treadle.from_dlpack(producer)
    assert producer.deleted == 0 and name_of(producer.given) == name
    producer.capsule = lambda: 3
    with pytest.raises(TypeError, match="must give a capsule, found a value of type int"):
        treadle.from_dlpack(producer)


@pytest.mark.parametrize("kind", [Producer, LegacyProducer])
def test_without_a_deleter(kind):
    x = treadle.from_dlpack(kind(has_deleter=False))
    assert values(x)[0] == 1


def test_another_major_version_is_deleted_unread():
    producer = Producer(version=(2, 0), data=8, ndim=-77, shape=(5,), dtype=(99, 99, 99))
    with pytest.raises(BufferError, match="DLPack 2.0"):
        treadle.from_dlpack(producer)
    assert producer.deleted == 1


def test_of_another_major_version_nothing_behind_the_flags_is_read():
    """The tensor would be on a page that cannot be read."""
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    end = begin + mmap.PAGESIZE
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(end), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    managed = Versioned.from_address(end - Versioned.tensor.offset)
    deleted = []
    managed.version, managed.flags = Version(2, 7), READ_ONLY
    managed.deleter = Deleter(deleted.append)

    class Newer(Producer):
        def capsule(self):
            return api.PyCapsule_New(ctypes.addressof(managed), Versioned.name, None)

    with pytest.raises(BufferError, match="DLPack 2.7"):
        treadle.from_dlpack(Newer())
    assert deleted == [ctypes.addressof(managed)]
    assert libc.mprotect(ctypes.c_void_p(end), ctypes.c_size_t(mmap.PAGESIZE), mmap.PROT_READ | mmap.PROT_WRITE) == 0


def test_another_minor_version_is_read():
    assert values(treadle.from_dlpack(Producer(version=(1, 99)))) == [1, 2, 3, 4, 5, 6]
    for unknown in ({"dtype": (18, 32, 1)}, {"tensor_device": (21, 0)}):
        producer = Producer(version=(1, 99), **unknown)
        with pytest.raises(BufferError):
            treadle.from_dlpack(producer)
        assert producer.deleted == 1


def test_without_strides():
    assert values(treadle.from_dlpack(Producer(shape=(3, 2), strides=None))) == [[1, 2], [3, 4], [5, 6]]
    x = treadle.from_dlpack(Producer(shape=(), strides=None, has_shape=False))
    assert x.shape == () and x.copy_to_host() == 1


def test_byte_offset():
    assert values(treadle.from_dlpack(Producer(shape=(2,), byte_offset=8))) == [3, 4]
    x = treadle.from_dlpack(Producer(shape=(2,), byte_offset=8, flags=READ_ONLY))
    assert values(x) == [3, 4] and x._is_read_only
    assert values(treadle.from_dlpack(Producer(shape=(0,), byte_offset=8))) == []


def test_strides_of_any_kind():
    def element(x):
        return [[float(x[i, j]) for j in range(x.shape[1])] for i in range(x.shape[0])]

    backwards = treadle.from_dlpack(Producer(shape=(2, 3), strides=(-3, -1), byte_offset=20))
    assert element(backwards) == [[6, 5, 4], [3, 2, 1]]
    repeated = treadle.from_dlpack(Producer(shape=(2, 3), strides=(0, 1)))
    assert element(repeated) == [[1, 2, 3], [1, 2, 3]]
    alone = treadle.from_dlpack(Producer(shape=(1, 3), strides=(FAR, 1)))
    assert element(alone) == [[1, 2, 3]] and alone.is_c_contiguous()


@pytest.mark.parametrize("wrong", [{"byte_offset": 1}, {"byte_offset": 2}], ids=str)
def test_misaligned_elements_are_refused(wrong):
    producer = Producer(shape=(2,), **wrong)
    with pytest.raises(BufferError, match="multiples of 4 bytes"):
        treadle.from_dlpack(producer)
    assert producer.deleted == 1
    assert values(treadle.from_dlpack(Producer(shape=(2,), dtype=(1, 8, 1), byte_offset=1))) == [0, 128]


def test_arrays_without_elements():
    for data in (None, 12345):
        x = treadle.from_dlpack(Producer(shape=(0, 3), strides=(3, 1), data=data))
        assert x.shape == (0, 3) and x.copy_to_host().shape == (0, 3)
    with pytest.raises(BufferError, match="address is 0"):
        treadle.from_dlpack(Producer(data=None))


def test_read_only_arrays_are_read_only():
    producer = Producer(flags=READ_ONLY)
    x = treadle.from_dlpack(producer)
    for write in (
        lambda: x.__setitem__(0, 1.0),
        lambda: x[1:].__setitem__(0, 1.0),
        lambda: x.copy_to_device(np.ones(6, np.float32)),
        lambda: cuda.to_device(np.ones(6, np.float32), to=x),
        lambda: x.T._fill(0, 0),
    ):
        with pytest.raises(ValueError, match="read-only"):
            write()
    with pytest.raises(treadle.CompileError, match="read-only"):
        double[1, 32](x)
    assert not x.host_view().flags.writeable
    assert list(producer.memory) == [1, 2, 3, 4, 5, 6]
    if ASKS_FOR_1_0:
        assert not np.from_dlpack(x).flags.writeable
    else:
        with pytest.raises(BufferError, match="read-only"):
            np.from_dlpack(x)
    legacy = treadle.from_dlpack(LegacyProducer())  # cannot say it
    legacy[0] = 7
    assert values(legacy)[0] == 7 and np.from_dlpack(legacy).flags.writeable == ASKS_FOR_1_0


def test_copied_memory_is_ours():
    x = treadle.from_dlpack(Producer(flags=IS_COPIED))
    x[0] = 8
    assert values(x)[0] == 8


def test_the_device_is_asked_first_and_the_capsule_decides():
    producer = Producer(device=(CUDA, 0), tensor_device=(1, 0))
    assert values(treadle.from_dlpack(producer))[5] == 6
    assert producer.asked == [{"max_version": (1, 3), "stream": 1}]


@pytest.mark.parametrize("device", [(0, 0), (1, 1), (CUDA, 0), (8, 0), (10, 0), (17, 0), (99, 0), (-1, 0)])
def test_devices_that_are_not_there(device):
    producer = Producer(device=device)
    with pytest.raises(BufferError, match="no device that TREADLE_DEVICE names has that memory"):
        treadle.from_dlpack(producer)
    assert producer.deleted == 1


@pytest.mark.skipif(not ASKS_FOR_1_0, reason="NumPy before 2.1 knows no wishes")
def test_wishes_are_passed_on():
    host = np.arange(6.0)
    for wishes in ({}, {"copy": None}, {"copy": False}, {"device": "cpu"}, {"device": (1, 0), "copy": False}):
        assert treadle.from_dlpack(host, **wishes)._address == host.ctypes.data
    for wishes in ({"copy": True}, {"device": "cpu", "copy": True}):
        x = treadle.from_dlpack(host, **wishes)
        assert x._address != host.ctypes.data and values(x) == host.tolist()
        x[0] = 9
        assert host[0] == 0
    for device in ("cuda", (CUDA, 0), (1, 1)):
        with pytest.raises(BufferError):
            treadle.from_dlpack(cuda.to_device(host), device=device)


@pytest.mark.parametrize("device", [None, 3, (1,), (1, 2, 3), ("a", 0)])
def test_devices_that_are_none(device):
    class Odd(Producer):
        def __dlpack_device__(self):
            return device

    with pytest.raises(TypeError):
        treadle.from_dlpack(Odd())


@pytest.mark.parametrize("device, error", [("tpu", ValueError), ("cuda:x", ValueError), (3, TypeError)])
def test_names_of_devices(device, error):
    with pytest.raises(error, match="device must be"):
        treadle.from_dlpack(Producer(), device=device)


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"])
def test_from_numpy(dtype):
    host = np.arange(24).reshape(4, 6).astype(dtype)
    for view in (host, host.T, host[::2, 1:], host[1]):
        x = treadle.from_dlpack(view)
        assert x._address == view.ctypes.data and x.strides == view.strides
        assert (x.copy_to_host() == view).all()
    kept = weakref.ref(host)
    x = cuda.from_dlpack(host)
    first = host.copy()
    del host, view
    gc.collect()
    assert kept() is not None
    assert (x.copy_to_host() == first).all()
    del x
    gc.collect()
    assert kept() is None


def test_numpys_arrays_are_shared_without_a_capsule():
    """And behave as if they came in one."""
    host = np.arange(24.0).reshape(4, 6)
    for view in (host, host[::-1, ::2], host.T, host[:0], host[1, 2:3]):
        x = treadle.from_dlpack(view)
        assert (x.shape, x.strides) == (view.shape, view.strides)
        assert np.array_equal(x.host_view(), view)
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        treadle.from_dlpack(frozen)[0] = 1
    x = treadle.from_dlpack(np.full(1000, 7.0))
    junk = [np.zeros(1000) for _ in range(100)]
    assert (x.copy_to_host() == 7).all() and len(junk) == 100
    odd = np.zeros(17, np.uint8)[1:].view(np.float64)
    for wrong, message in ((odd, "multiples of 8 bytes"), (np.zeros(3, ">f8"), None), (np.zeros(3, object), None)):
        with pytest.raises(BufferError, match=message):
            treadle.from_dlpack(wrong)
    if ASKS_FOR_1_0:
        assert treadle.from_dlpack(host, copy=True)._address != host.ctypes.data

    class Own(np.ndarray):
        def __dlpack__(self, **asked):
            raise KeyError("asked")

    with pytest.raises(KeyError, match="asked"):
        treadle.from_dlpack(host.view(Own))


def test_from_ourselves():
    x = cuda.to_device(np.arange(6.0))
    same = treadle.from_dlpack(x)
    same[2] = 77
    assert x[2] == 77


def test_overlapping_imports_are_copied_as_if_through_a_third():
    host = np.arange(10.0)
    x, y = treadle.from_dlpack(host), treadle.from_dlpack(host)
    x[1:] = y[:-1]
    assert host.tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]


def test_many_round_trips_leave_nothing():
    host = np.arange(10.0)
    manager = cuda.current_context().memory_manager
    references = sys.getrefcount(host)
    before = manager.figures()["live_count"]
    for _ in range(100_000):
        np.from_dlpack(treadle.from_dlpack(host))
    gc.collect()
    assert manager.figures()["live_count"] == before
    assert sys.getrefcount(host) == references


def test_a_deleter_of_pythons_runs_beside_a_pending_exception():
    producer = Producer()

    def lose():
        return [treadle.from_dlpack(producer), {}["mine"]]  # the first is dropped by the second's exception

    with pytest.raises(KeyError, match="mine"):
        lose()
    assert producer.deleted == 1


def test_queued_launches_keep_the_memory():
    producer = Producer()
    stream = cuda.stream()
    slow = cuda.to_device(np.zeros(64))
    slowly[1, 64, stream](slow)
    x = treadle.from_dlpack(producer)
    double[1, 32, stream](x)
    del x
    stream.synchronize()
    assert list(producer.memory) == [2, 4, 6, 8, 10, 12]
    cuda.to_device([1.0])  # looks at what has ended
    assert producer.deleted == 1


@cuda.jit
def slowly(x):
    for _ in range(20_000):
        x[cuda.grid(1)] += 1
