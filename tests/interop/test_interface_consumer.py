"""Arrays of others by `__cuda_array_interface__`, on the CPU device. What is refused: test_interface_refusals.py."""

import gc
import mmap
import threading
import weakref

import numpy as np
import pytest
from interop.producers import ASKS_FOR_1_0, LEFT_OUT, Foreign, described
from treadle import CompileError, cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def floats(n=6):
    return np.arange(1.0, n + 1)


def values(x):
    return x.copy_to_host().tolist()


@pytest.mark.parametrize(
    "fields",
    [
        {"version": 0, "strides": LEFT_OUT},
        {"version": 1, "mask": None},
        {"version": 2, "strides": None, "mask": None},
        {"version": 3, "stream": None},
        {"version": 3, "stream": 1},
        {"version": 3, "stream": 2},
        {"version": 4, "unknown": object(), "stream": None},
        {"version": 2, "stream": 0},
        {"descr": [("", "<f8")]},
        {"typestr": "=f8"},
    ],
    ids=["0", "1", "2", "no stream", "legacy stream", "thread stream", "4", "a stream too early", "descr", "native"],
)
def test_versions(fields):
    foreign = Foreign(floats(), **fields)
    x = cuda.as_cuda_array(foreign)
    assert values(x) == [1, 2, 3, 4, 5, 6]
    double[1, 32](x)
    double[1, 32](foreign)
    assert foreign.host.tolist() == [4, 8, 12, 16, 20, 24]


def test_the_attribute_is_read_once():
    foreign = Foreign(floats())
    x = cuda.as_cuda_array(foreign)
    double[1, 32](x)
    values(x)
    assert foreign.reads == 1
    double[1, 32](foreign)  # the first time, its class is looked at, not the object
    assert foreign.reads == 2


def test_objects_without_it():
    for thing in (3, None, object(), np.zeros(3)):
        assert not cuda.is_cuda_array(thing)
        with pytest.raises(TypeError, match="expected an object with __cuda_array_interface__"):
            cuda.as_cuda_array(thing)
    with pytest.raises(TypeError, match=r"a value of type (numpy\.)?ndarray, which treadle\.from_dlpack takes"):
        cuda.as_cuda_array(np.zeros(3))
    x = cuda.device_array(3)
    assert cuda.is_cuda_array(x) and cuda.as_cuda_array(x) is x
    assert cuda.is_cuda_array(Foreign(floats()))


def test_what_the_producer_raises_passes():
    class Failing:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("requires grad")

    for use in (cuda.as_cuda_array, double[1, 32]):
        with pytest.raises(RuntimeError, match="requires grad"):
            use(Failing())


LAYOUTS = {
    "absent": lambda a: (a, {"strides": LEFT_OUT}),
    "C": lambda a: (a, {}),
    "Fortran": lambda a: (np.asfortranarray(a), {}),
    "reversed": lambda a: (a[::-1, ::-1], {}),
    "broadcast": lambda a: (np.broadcast_to(a[:1], (3, 4)), {}),
    "every other": lambda a: (a[:, ::2], {}),
    "one column, any strides": lambda a: (a[:, 1:2], {"strides": (32, -12345)}),
    "overlapping": lambda a: (np.lib.stride_tricks.as_strided(a, (3, 3), (8, 8)), {}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_strides(layout):
    host, fields = LAYOUTS[layout](np.arange(12.0).reshape(3, 4))
    x = cuda.as_cuda_array(Foreign(host, **fields))
    assert x.shape == host.shape

    @cuda.jit
    def copied(to, source):
        i, j = cuda.grid(2)
        if i < source.shape[0] and j < source.shape[1]:
            to[i, j] = source[i, j]

    for source in (x, Foreign(host, **fields)):
        out = np.zeros(host.shape)
        copied[1, (8, 8)](out, source)
        assert (out == host).all()


def test_strides_that_are_no_whole_elements():
    """Taken where each element is aligned."""
    host = np.zeros((3, 2), [("step", "f8"), ("value", "c16")])["value"]
    host[:] = np.arange(6).reshape(3, 2)
    x = cuda.as_cuda_array(Foreign(host))
    assert x.strides == (48, 24)
    assert [x[i, 1] for i in range(3)] == [1, 3, 5]

    @cuda.jit
    def negate(x):
        i, j = cuda.grid(2)
        x[i, j] = -x[i, j]

    negate[1, (3, 2)](x)
    negate[1, (1, 2)](Foreign(host))
    assert host.tolist() == [[0, 1], [-2, -3], [-4, -5]]


def test_single_bytes_have_no_order():
    for typestr in ("|u1", "<u1", ">u1", "=u1"):
        assert values(cuda.as_cuda_array(Foreign(np.arange(3, dtype=np.uint8), typestr=typestr))) == [0, 1, 2]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
@pytest.mark.parametrize("address", [0, None, 12345])
def test_arrays_without_elements(shape, address):
    x = cuda.as_cuda_array(Foreign(np.zeros(shape), data=(address, False), strides=None))
    assert x.shape == shape and x.size == 0 and x.copy_to_host().shape == shape
    double[1, 32](x.reshape(-1) if x.ndim == 1 else x[0:0, 0:0].ravel())


def test_arrays_without_axes():
    host = np.array(3.0)
    x = cuda.as_cuda_array(Foreign(host))
    x[()] = 7
    assert host == 7 and x.shape == ()


def test_read_only_arrays():
    host = floats()
    host.flags.writeable = False
    x = cuda.as_cuda_array(Foreign(host))
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        x.copy_to_device(floats())
    for argument in (x, x[1:], Foreign(host)):
        with pytest.raises(CompileError, match="read-only"):
            double[1, 32](argument)
    assert x.__cuda_array_interface__["data"][1] is True
    assert host.tolist() == [1, 2, 3, 4, 5, 6]


def test_records():
    dtype = np.dtype([("a", "i4"), ("b", "f8")])
    host = np.array([(1, 2.5), (3, 4.5)], dtype)
    x = cuda.as_cuda_array(Foreign(host, descr=dtype.descr))

    @cuda.jit
    def exchange(records):
        i = cuda.grid(1)
        if i < records.size:
            records[i].a, records[i].b = int(records[i].b), float(records[i].a)

    exchange[1, 32](x)
    assert host.tolist() == [(2, 1.0), (4, 3.0)]
    exchange[1, 32](Foreign(host, descr=dtype.descr))
    assert host.tolist() == [(1, 2.0), (3, 4.0)]


def test_read_only_flags_are_passed_on():
    host = floats()
    host.flags.writeable = False
    x = cuda.as_cuda_array(Foreign(host))
    for view in (x, x[::2], x.view(np.int64), cuda.as_cuda_array(Foreign(host, data=(host.ctypes.data, True)))):
        assert view.__cuda_array_interface__["data"][1] is True
        assert not view.host_view().flags.writeable
        if ASKS_FOR_1_0:
            assert not np.from_dlpack(view).flags.writeable
        else:
            with pytest.raises(BufferError, match="read-only"):
                np.from_dlpack(view)


def test_the_owner_lives_as_long_as_the_array():
    foreign = Foreign(floats())
    owner = weakref.ref(foreign)
    view = cuda.as_cuda_array(foreign)[2:]
    del foreign
    gc.collect()
    assert owner() is not None and values(view) == [3, 4, 5, 6]
    del view
    gc.collect()
    assert owner() is None


def test_the_owner_lives_until_queued_work_has_run():
    @cuda.jit
    def wait(flag):
        while cuda.atomic.add(flag, 0, 0) == 0:
            pass

    flag, stream = cuda.mapped_array(1, np.int32), cuda.stream()
    flag[0] = 0
    wait[1, 1, stream](flag)
    foreign = Foreign(floats())
    owner, host = weakref.ref(foreign), foreign.host
    for _ in range(3):
        double[1, 32, stream](foreign)
    view = cuda.as_cuda_array(foreign)
    double[1, 32, stream](view)
    del foreign, view
    gc.collect()
    cuda.device_array(3)
    assert owner() is not None and host[0] == 1
    flag[0] = 1
    stream.synchronize()
    assert host[0] == 16
    cuda.synchronize()
    gc.collect()
    assert owner() is None


def test_cycles_through_foreign_memory_are_collected():
    foreign = Foreign(floats())
    foreign.back = cuda.as_cuda_array(foreign)[1:]
    foreign.more = cuda.from_cuda_array_interface(foreign.__cuda_array_interface__, owner=foreign)
    owner = weakref.ref(foreign)
    del foreign
    gc.collect()
    assert owner() is None


def test_from_cuda_array_interface():
    host = floats()
    x = cuda.from_cuda_array_interface(described(host))
    double[1, 32](x)
    assert host[0] == 2
    owner = Foreign(host)
    kept = weakref.ref(owner)
    x = cuda.from_cuda_array_interface(desc=described(host), owner=owner, sync=False)
    del owner
    gc.collect()
    assert kept() is not None
    del x
    gc.collect()
    assert kept() is None
    with pytest.raises(TypeError):
        cuda.from_cuda_array_interface(3)


@pytest.mark.parametrize("sync", [False, True])
def test_streams_can_be_ignored(sync):
    foreign = Foreign(floats(), stream=99)
    if sync:
        with pytest.raises(ValueError, match="no stream of the device"):
            cuda.as_cuda_array(foreign)
    else:
        assert values(cuda.as_cuda_array(foreign, sync=False)) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("variable", ["TREADLE_CUDA_ARRAY_INTERFACE_SYNC", "NUMBA_CUDA_ARRAY_INTERFACE_SYNC"])
def test_the_setting(variable, run_python):
    run_python(
        "import numpy as np\n"
        "from treadle import cuda\n"
        "host = np.zeros(3)\n"
        "class Foreign:\n"
        "    __cuda_array_interface__ = {'shape': (3,), 'typestr': '<f8', 'data': (host.ctypes.data, False),\n"
        "                                'version': 3, 'stream': 99}\n"
        "cuda.as_cuda_array(Foreign())\n"
        "@cuda.jit\n"
        "def one(x):\n"
        "    x[0] = 1\n"
        "one[1, 1](Foreign())\n"
        "assert host[0] == 1\n",
        **{variable: "0"},
    )


def test_memory_that_cannot_be_read_is_refused():
    page = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    host = np.frombuffer(page, np.float64)
    address = host.ctypes.data
    del host
    page.close()  # nobody else maps there in between
    fields = {"data": (address, False), "shape": (3 * mmap.PAGESIZE // 8,), "strides": None}
    with pytest.raises(BufferError, match="cannot be read by the CPU device"):
        cuda.as_cuda_array(Foreign(floats(), **fields))
    with pytest.raises(BufferError, match="cannot be read by the CPU device"):
        cuda.as_cuda_array(Foreign(floats(), shape=(1 << 44,), strides=None))


def test_memory_whose_end_cannot_be_read_is_refused(run_python):
    """In a process of its own, where no call of the system has failed before."""
    run_python(
        "import ctypes, mmap\n"
        "from treadle import cuda\n"
        "pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)\n"
        "address = ctypes.addressof(ctypes.c_char.from_buffer(pages))\n"
        "libc = ctypes.CDLL(None)\n"
        "assert libc.mprotect(ctypes.c_void_p(address + mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0\n"
        "shown = {'typestr': '|u1', 'data': (address, False), 'version': 3}\n"
        "assert cuda.from_cuda_array_interface({**shown, 'shape': (mmap.PAGESIZE,)}).size == mmap.PAGESIZE\n"
        "try:\n"
        "    cuda.from_cuda_array_interface({**shown, 'shape': (2 * mmap.PAGESIZE,)})\n"
        "except BufferError as error:\n"
        "    assert 'cannot be read' in str(error)\n"
        "else:\n"
        "    raise AssertionError('taken')\n"
    )


def test_attributes_of_objects_count():
    class Bare:
        pass

    with pytest.raises(TypeError):
        double[1, 32](Bare())

    class Wrapped:
        def __init__(self, array):
            self.__cuda_array_interface__ = described(array)

    host = floats()
    double[1, 32](Wrapped(host))
    assert host[0] == 2


def test_the_order_of_protocols():
    """Whoever shows the interface is used by it; an object that has none to show, by what else it has."""

    class Both(np.ndarray):
        pass

    class Several:
        shown = True

        def __init__(self):
            self.gpu, self.host = floats(), floats()

        @property
        def __cuda_array_interface__(self):
            if not self.shown:
                raise AttributeError("a tensor of the host")
            return described(self.gpu)

        def __dlpack__(self, **asked):
            return self.host.__dlpack__(**asked)

        def __dlpack_device__(self):
            return self.host.__dlpack_device__()

    several = Several()
    double[1, 32](several)
    assert (several.gpu[0], several.host[0]) == (2, 1)
    several.shown = False
    double[1, 32](several)
    assert (several.gpu[0], several.host[0]) == (2, 2)
    array = floats().view(Both)
    array.__cuda_array_interface__ = None
    double[1, 32](array)
    assert array[0] == 2


def test_arrays_of_others_are_sources_of_copies():
    foreign = Foreign(floats())
    x = cuda.to_device(foreign)
    double[1, 32](x)
    assert foreign.host[0] == 2  # in place, as with Numba
    y = cuda.device_array(6)
    y.copy_to_device(foreign)
    assert values(y) == [2, 4, 6, 8, 10, 12]
    y[2:4] = Foreign(np.array([7.0, 8.0]))
    assert values(y) == [2, 4, 7, 8, 10, 12]
    cuda.to_device(foreign, to=y)
    assert values(y) == foreign.host.tolist()
    like = cuda.device_array_like(Foreign(np.zeros((3, 2), np.int16, order="F")))
    assert (like.shape, like.dtype, like.strides) == ((3, 2), np.int16, (2, 6))
    with pytest.raises(ValueError, match="contiguous"):
        y.copy_to_device(Foreign(np.zeros(12)[::2]))
    with pytest.raises(TypeError):
        y.copy_to_device(Foreign(np.zeros(6, np.int32)))
    with pytest.raises(NotImplementedError, match="mask"):
        y.copy_to_device(Foreign(floats(), mask=np.ones(6)))


def test_arguments_on_streams_are_not_waited_for():
    """Those of launches without a stream are used in place, as NumPy's arrays are; a stream has its own time."""

    @cuda.jit
    def wait_and_fill(flag, x):
        while flag[0] == 0:
            cuda.threadfence_system()
        x[0] = 7

    flag, stream, foreign = cuda.mapped_array(1, np.int32), cuda.stream(), Foreign(floats())
    flag[0] = 0
    timer = threading.Timer(1, flag.__setitem__, (0, 1))
    timer.start()
    wait_and_fill[1, 1, stream](flag, foreign)
    assert foreign.host[0] == 1
    timer.join()
    stream.synchronize()
    assert foreign.host[0] == 7


def test_arguments_in_place():
    foreign = [Foreign(floats()) for _ in range(3)]

    @cuda.jit
    def add(x, y, z):
        x[0] += y[1] + z[2]

    add[1, 1](*foreign)
    assert foreign[0].host[0] == 1 + 2 + 3
    read_only = Foreign(floats(), data=(foreign[1].host.ctypes.data, True))
    with pytest.raises(CompileError, match="read-only"):
        add[1, 1](read_only, *foreign[1:])


def test_typestrings_are_told_apart_whatever_their_addresses():
    kinds = ["<f8", "<i8", "<u8", "<c16", "<f4", "<M8[ns]"]
    kept = ["".join(kinds[i % len(kinds)]) for i in range(600)]  # texts that are equal, and objects that are not
    for typestr in [*kept, *kept[::-1], *(bytes(text, "ascii").decode() for text in kept)]:
        dtype = np.dtype(typestr)
        foreign = Foreign(np.zeros(2, dtype), typestr=typestr)
        assert cuda.as_cuda_array(foreign).dtype == dtype
