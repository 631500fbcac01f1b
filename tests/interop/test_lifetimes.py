"""Who keeps whose memory how long, for each protocol: either side may go first, and nothing is left behind."""

import ctypes
import gc
import itertools
import sys
import threading
import weakref

import numpy as np
import pytest
import treadle
from interop.producers import Foreign, LegacyProducer, Producer, api, delete, take
from interop.test_exchange_table import given, lent, own
from treadle import cuda


class Host(np.ndarray):
    """A NumPy array that can have weak references, and attributes."""


def host_array():
    return np.arange(1.0, 7).view(Host)


def figures():
    gc.collect()
    cuda.synchronize()
    return {name: cuda.current_context().memory_manager.figures()[name] for name in ("live_count", "live_bytes")}


@cuda.jit
def nothing(x):
    pass


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def slowly(x):
    for _ in range(200_000):
        x[0] += 1


# Others' memory in our arrays: each gives the producer, the array, and whether the producer's memory is kept.


def taken(producer):
    producer.capsule()
    made = ctypes.py_object()
    assert own().take(ctypes.pointer(producer.managed), ctypes.byref(made)) == 0
    array = made.value
    api.Py_DecRef(ctypes.py_object(array))  # ctypes has taken a reference of its own
    return array


def of_object(make, use):
    producer = make()
    kept = weakref.ref(producer)
    return producer, use(producer), lambda: kept() is not None


def of_tensor(make, use):
    producer = make()
    return producer, use(producer), lambda: producer.deleted == 0


IMPORTS = {
    "NumPy": lambda: of_object(host_array, treadle.from_dlpack),
    "DLPack": lambda: of_tensor(Producer, treadle.from_dlpack),
    "DLPack before 1.0": lambda: of_tensor(LegacyProducer, treadle.from_dlpack),
    "exchange table": lambda: of_tensor(Producer, taken),
    "CUDA Array Interface": lambda: of_object(lambda: Foreign(np.arange(1.0, 7)), cuda.as_cuda_array),
    "dictionary with an owner": lambda: of_object(
        lambda: Foreign(np.arange(1.0, 7)),
        lambda owner: cuda.from_cuda_array_interface(owner.__cuda_array_interface__, owner=owner),
    ),
}


@pytest.mark.parametrize("way", IMPORTS)
def test_producers_go_first(way):
    before = figures()
    producer, x, is_kept = IMPORTS[way]()
    del producer
    gc.collect()
    view = x[1:]
    del x
    gc.collect()
    assert is_kept() and view.copy_to_host().tolist() == [2, 3, 4, 5, 6]
    del view
    gc.collect()
    assert not is_kept() and figures() == before


@pytest.mark.parametrize("way", IMPORTS)
def test_importers_go_first(way):
    producer, x, _ = IMPORTS[way]()
    references = sys.getrefcount(producer)
    double[1, 32](x)
    del x
    gc.collect()
    if isinstance(producer, Producer):
        assert producer.deleted == 1 and list(producer.memory) == [2, 4, 6, 8, 10, 12]
    else:
        assert sys.getrefcount(producer) == references - 1
        assert np.asarray(getattr(producer, "host", producer)).tolist() == [2, 4, 6, 8, 10, 12]


@pytest.mark.parametrize("way", IMPORTS)
def test_both_go_before_queued_work(way):
    stream, slow = cuda.stream(), cuda.to_device(np.zeros(1))
    slowly[1, 1, stream](slow)
    producer, x, is_kept = IMPORTS[way]()
    memory = producer.memory if isinstance(producer, Producer) else getattr(producer, "host", producer).view(np.ndarray)
    double[1, 32, stream](x)
    del producer, x
    stream.synchronize()
    assert list(memory) == [2, 4, 6, 8, 10, 12]
    del memory
    cuda.device_array(1)  # looks at what has ended
    gc.collect()
    assert not is_kept()


# Our memory in what others have of it: each gives the holder, and how it reads element 1.


def consumed(x, **wanted):
    tensor = take(x.__dlpack__(**wanted))
    weakref.finalize(holder := Holder(), delete, tensor)
    holder.read = lambda: ctypes.c_double.from_address(tensor.tensor.data + 8).value
    return holder


def owned(x):
    tensor = given(x)
    weakref.finalize(holder := Holder(), delete, tensor)
    holder.read = lambda: ctypes.c_double.from_address(tensor.tensor.data + 8).value
    return holder


class Holder:
    def __init__(self, held=None, read=None):
        self.held = held
        self.read = read or (lambda: held[1])


class Theirs:
    """Another library's object around an array of ours."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


EXPORTS = {
    "NumPy": lambda x: Holder(np.from_dlpack(x)),
    "DLPack": lambda x: consumed(x, max_version=(1, 3)),
    "DLPack before 1.0": lambda x: consumed(x),
    "DLPack, not consumed": lambda x: Holder(x.__dlpack__(), lambda: 2),
    "DLPack, copied": lambda x: consumed(x, max_version=(1, 0), copy=True),
    "exchange table": owned,
    "view of NumPy": lambda x: Holder(x.host_view()),
    "buffer": lambda x: Holder(memoryview(x.host_view())),
    "array interface": lambda x: Holder(np.asarray(type("Object", (), {"__array_interface__": x.host_view()
                                                                       .__array_interface__, "kept": x})())),
    "CUDA Array Interface": lambda x: Holder(cuda.as_cuda_array(Theirs(x))),
    "imported again": lambda x: Holder(treadle.from_dlpack(np.from_dlpack(treadle.from_dlpack(x)))),
}  # fmt: skip


@pytest.mark.parametrize("way", EXPORTS)
def test_exporters_go_first(way):
    before = figures()
    x = cuda.to_device(np.arange(1.0, 7))
    holder = EXPORTS[way](x)
    del x
    assert figures()["live_count"] > before["live_count"] and holder.read() == 2
    del holder
    assert figures() == before


@pytest.mark.parametrize("way", EXPORTS)
def test_consumers_go_first(way):
    before = figures()
    x = cuda.to_device(np.arange(1.0, 7))
    references = sys.getrefcount(x)
    holder = EXPORTS[way](x)
    del holder
    gc.collect()
    assert sys.getrefcount(x) == references
    double[1, 32](x)
    assert x.copy_to_host().tolist() == [2, 4, 6, 8, 10, 12]
    del x
    assert figures() == before


def test_dictionaries_and_borrowed_tensors_hold_nothing():
    before = figures()
    x = cuda.to_device(np.arange(1.0, 7))
    shown, borrowed = x.__cuda_array_interface__, lent(x)
    assert shown["data"][0] == borrowed.data
    del x
    assert figures() == before


def exchanges():
    """Ways of exchange, each with the objects whose references are counted."""
    x, host = cuda.to_device(np.arange(10.0)), np.arange(10.0)
    foreign, view = Foreign(host), cuda.to_device(np.arange(10.0))[::2]
    bare = Foreign(host)
    bare.fields["strides"] = None
    return {
        "from NumPy": (lambda: treadle.from_dlpack(host), host),
        "to NumPy": (lambda: np.from_dlpack(x), x),
        "there and back": (lambda: np.from_dlpack(treadle.from_dlpack(host)), host),
        "capsule": (lambda: view.__dlpack__(max_version=(1, 3)), view),
        "legacy capsule": (lambda: view.__dlpack__(), view),
        "attribute": (lambda: view.__cuda_array_interface__, view),
        "as_cuda_array": (lambda: cuda.as_cuda_array(foreign), foreign),
        "argument": (lambda: nothing[1, 1](bare), bare),
        "given": (lambda: delete(given(view)), view),
        "lent": (lambda: lent(view), view),
    }


def blocks_left_by(exchange, count):
    """Python's blocks of memory that are there afterwards and were not before, with those of the measurement."""
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in itertools.repeat(None, count):
        exchange()
    gc.collect()
    return sys.getallocatedblocks() - before


def check_nothing_is_left(way, count):
    first = figures()
    exchange, counted = exchanges()[way]
    for times in (1000, 0):  # what is made once, and what others have left
        blocks_left_by(exchange, times)
    own = blocks_left_by(exchange, 0)
    memory, references = figures(), sys.getrefcount(counted)
    left = []
    while len(left) < 5 and (not left or abs(left[-1] - own) > 2):  # the allocator's own figure moves; leaks stay
        left.append(blocks_left_by(exchange, count))
        assert (figures(), sys.getrefcount(counted)) == (memory, references)
    assert abs(left[-1] - own) <= 2, left
    del exchange, counted
    assert figures() == first


@pytest.mark.parametrize("way", exchanges())
def test_exchanges_leave_nothing(way):
    check_nothing_is_left(way, 1000)


@pytest.mark.deep
@pytest.mark.parametrize("way", exchanges())
def test_a_million_exchanges_leave_nothing(way):
    check_nothing_is_left(way, 1_000_000 // len(exchanges()))


def test_threads_exchange_one_array():
    before = figures()
    x, host = cuda.to_device(np.arange(10.0)), np.arange(10.0)
    references = sys.getrefcount(x), sys.getrefcount(host)
    problems, begin = [], threading.Barrier(8)

    def exchange():
        begin.wait()
        try:
            for _ in range(500):
                again = treadle.from_dlpack(np.from_dlpack(x))
                assert again._address == x._address and x.__cuda_array_interface__["data"][0] == x._address
                assert treadle.from_dlpack(host)[1:]._address == host.ctypes.data + 8
                assert cuda.as_cuda_array(Theirs(again)).size == 10
        except BaseException as problem:
            problems.append(problem)

    running = [threading.Thread(target=exchange) for _ in range(8)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert not problems
    gc.collect()
    assert (sys.getrefcount(x), sys.getrefcount(host)) == references
    x = host = None
    assert figures() == before


AT_EXIT = {
    "view of NumPy": "kept = x.host_view(); del x",
    "NumPy by DLPack": "kept = np.from_dlpack(x); del x",
    "buffer": "kept = memoryview(x.host_view())[1:]; del x",
    "capsules": "kept = x.__dlpack__(), x.__dlpack__(max_version=(1, 3)); del x",
    "consumed capsule": "from interop.producers import take; kept = take(x.__dlpack__()); del x",
    "given tensor": "from interop.test_exchange_table import given, lent; kept = given(x), lent(x)",
    "import from NumPy": "kept = treadle.from_dlpack(np.arange(6.0))[1:]",
    "import from a producer": "from interop.producers import Producer; kept = treadle.from_dlpack(Producer())",
    "CUDA Array Interface": "from interop.producers import Foreign; kept = cuda.as_cuda_array(Foreign(np.ones(3)))[1:]",
    "cycle": "from interop.producers import Foreign; kept = Foreign(np.ones(3)); kept.own = cuda.as_cuda_array(kept)",
    "mapped array": "kept = np.from_dlpack(cuda.mapped_array(4)), memoryview(cuda.managed_array(4)); del x",
    "queued work": "from interop.producers import Foreign, Producer\n"
                   "stream = cuda.stream(); slowly[1, 1, stream](x)\n"
                   "slowly[1, 1, stream](Foreign(np.ones(3)))\nslowly[1, 1, stream](treadle.from_dlpack(Producer()))",
    "daemon thread": "import threading, time\n"
                     "def exchange():\n    while True:\n        np.from_dlpack(treadle.from_dlpack(np.ones(3)))\n"
                     "threading.Thread(target=exchange, daemon=True).start(); time.sleep(0.05)",
}  # fmt: skip
PROGRAM = """
import sys
sys.path.insert(0, "tests")
import numpy as np
import treadle
from treadle import cuda
@cuda.jit
def slowly(x):
    for _ in range(200_000):
        x[0] += 1
x = cuda.to_device(np.arange(6.0))
"""


@pytest.mark.parametrize("kind", AT_EXIT)
@pytest.mark.parametrize("end", ["", "\nsys.modules[__name__].cycle = sys.modules", "\nimport os, atexit\n"
                                 "atexit.register(lambda: np.from_dlpack(cuda.to_device([1.0])))"],
                         ids=["plain", "module in a cycle", "exchange at exit"])  # fmt: skip
def test_interpreters_end_with_live_views(kind, end, run_python):
    assert run_python(PROGRAM + AT_EXIT[kind] + end) == ""
