"""DLPack's C exchange API, on the CPU device: the table of device arrays, and tables of other classes, by ctypes."""

import ctypes
import gc
import sys
import threading
import weakref
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int32, c_int64, c_void_p, py_object

import numpy as np
import pytest
import treadle
from interop.producers import (
    PADDED,
    READ_ONLY,
    DataType,
    Device,
    Producer,
    Tensor,
    Version,
    Versioned,
    api,
    delete,
)
from treadle import CompileError, cuda

SetError = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)
Allocate = CFUNCTYPE(c_int, POINTER(Tensor), POINTER(POINTER(Versioned)), c_void_p, c_void_p)
# With the GIL, as functions of Python's C API have it.
Give = ctypes.PYFUNCTYPE(c_int, py_object, POINTER(POINTER(Versioned)))
Take = ctypes.PYFUNCTYPE(c_int, POINTER(Versioned), POINTER(py_object))
Lend = ctypes.PYFUNCTYPE(c_int, py_object, POINTER(Tensor))
WorkStream = ctypes.PYFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p))


class Table(ctypes.Structure):
    _fields_ = [
        ("version", Version), ("previous", c_void_p), ("allocate", Allocate), ("give", Give), ("take", Take),
        ("lend", Lend), ("work_stream", WorkStream),
    ]  # fmt: skip


NAME = b"dlpack_exchange_api"


def own():
    return Table.from_address(api.PyCapsule_GetPointer(cuda.DeviceNDArray.__dlpack_c_exchange_api__, NAME))


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def test_the_capsule():
    x = cuda.device_array(3)
    capsule = type(x).__dlpack_c_exchange_api__
    assert api.PyCapsule_GetName(capsule) == NAME
    assert x.__dlpack_c_exchange_api__ is capsule is type(x[1:]).__dlpack_c_exchange_api__
    assert cuda.DeviceRecord.__dlpack_c_exchange_api__ is capsule


def test_the_header():
    table = own()
    assert (table.version.major, table.version.minor, table.previous) == (1, 3, None)
    assert all((table.allocate, table.give, table.take, table.lend, table.work_stream))


def given(x):
    found = POINTER(Versioned)()
    assert own().give(x, ctypes.byref(found)) == 0
    return found.contents


def test_owned_tensors():
    x = cuda.to_device(np.arange(12.0).reshape(3, 4))
    view = x[::2, 1:]
    managed = given(view)
    tensor = managed.tensor
    assert (managed.version.major, managed.version.minor, managed.flags) == (1, 3, 0)
    assert (tensor.ndim, tensor.shape[:2], tensor.strides[:2]) == (2, [2, 3], [8, 1])
    assert (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes) == (2, 64, 1)
    assert tensor.data == view.device_ctypes_pointer.value and (tensor.device.type, tensor.device.id) == (1, 0)
    address = tensor.data
    del x, view
    gc.collect()
    assert ctypes.c_double.from_address(address + 8).value == 2
    delete(managed)


def test_what_cannot_be_given():
    found = POINTER(Versioned)()
    for thing in (np.zeros(3), 3, None):
        with pytest.raises(TypeError, match="expected a device array"):
            own().give(thing, ctypes.byref(found))
    with pytest.raises(BufferError, match="no type for elements"):
        own().give(cuda.to_device(np.zeros(3, [("a", "i4")])), ctypes.byref(found))
    assert not found


def test_pending_work_is_waited_for():
    """Memory of the host has no streams that others could wait for."""

    @cuda.jit
    def slow(x, turns):
        for _ in range(turns):
            x[0] += 1

    x, stream = cuda.to_device(np.zeros(1)), cuda.stream()
    for use, expected in ((given, 1e6), (lent, 2e6)):
        for _ in range(10):
            slow[1, 1, stream](x, 100000)
        tensor = use(x)
        data = tensor.tensor.data if use is given else tensor.data
        assert ctypes.c_double.from_address(data).value == expected
        if use is given:
            delete(tensor)


def lent(x):
    tensor = Tensor()
    assert own().lend(x, ctypes.byref(tensor)) == 0
    return tensor


def test_borrowed_tensors():
    x = cuda.to_device(np.arange(12.0).reshape(3, 4))[:, ::-2]
    first, second = lent(x), lent(x)
    for tensor in (first, second):
        assert (tensor.ndim, tensor.shape[:2], tensor.strides[:2]) == (2, [3, 2], [4, -2])
        assert tensor.data == x.device_ctypes_pointer.value and tensor.byte_offset == 0
    assert ctypes.addressof(first.strides.contents) == ctypes.addressof(second.strides.contents)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(1000):
        lent(x)
    assert sys.getallocatedblocks() - before < 50
    assert lent(cuda.device_array((0, 3))).data is None
    assert lent(cuda.device_array(())).ndim == 0


def test_read_only_arrays_are_not_lent():
    x = treadle.from_dlpack(Producer(flags=READ_ONLY))
    with pytest.raises(BufferError, match="read-only"):
        own().lend(x, ctypes.byref(Tensor()))
    managed = given(x)
    assert managed.flags == READ_ONLY
    delete(managed)


def test_elements_of_less_than_a_byte_are_not_lent():
    x = treadle.from_dlpack(Producer(dtype=(17, 4, 1), flags=PADDED))
    with pytest.raises(BufferError, match="a borrowed tensor cannot say"):
        own().lend(x, ctypes.byref(Tensor()))


def test_tensors_are_taken():
    producer = Producer()
    producer.capsule()
    made = py_object()
    assert own().take(ctypes.pointer(producer.managed), ctypes.byref(made)) == 0
    x = made.value
    api.Py_DecRef(py_object(x))  # ctypes has taken a reference of its own
    assert x.copy_to_host().tolist() == [1, 2, 3, 4, 5, 6] and producer.deleted == 0
    double[1, 32](x)
    assert producer.memory[1] == 4
    del x
    gc.collect()
    assert producer.deleted == 1


@pytest.mark.parametrize("wrong", [{"dtype": (2, 24, 1)}, {"device": (8, 0)}, {"version": (2, 0)}, {"ndim": 99}])
def test_a_tensor_that_cannot_be_taken_is_deleted_once(wrong):
    producer = Producer(**wrong)
    producer.capsule()
    with pytest.raises(BufferError):
        own().take(ctypes.pointer(producer.managed), ctypes.byref(py_object()))
    gc.collect()
    assert producer.deleted == 1


def prototype(shape=(2, 3), dtype=(2, 32, 1), device=(1, 0), ndim=None):
    extents = (c_int64 * max(len(shape), 1))(*shape)
    tensor = Tensor(dtype=DataType(*dtype), device=Device(*device), ndim=len(shape) if ndim is None else ndim)
    tensor.shape = ctypes.cast(extents, POINTER(c_int64))
    tensor.kept = extents
    return tensor


def test_the_allocator():
    made = POINTER(Versioned)()
    assert own().allocate(ctypes.byref(prototype()), ctypes.byref(made), None, None) == 0
    tensor = made.contents.tensor
    assert (tensor.ndim, tensor.shape[:2], tensor.strides[:2], tensor.byte_offset) == (2, [2, 3], [3, 1], 0)
    ctypes.memset(tensor.data, 0, 24)
    delete(made.contents)


@pytest.mark.parametrize(
    "wrong", [{"dtype": (17, 4, 1)}, {"device": (2, 0)}, {"ndim": -1}, {"ndim": 9}, {"shape": (-1,)},
              {"shape": (1 << 46, 1 << 16)}, {"shape": (1 << 46,)}],
)  # fmt: skip
def test_the_allocator_tells_what_is_wrong_once(wrong):
    told = []
    note = SetError(lambda context, kind, message: told.append((context, kind, message)))
    made = POINTER(Versioned)()
    tensor = prototype(**wrong)
    assert own().allocate(ctypes.byref(tensor), ctypes.byref(made), 77, ctypes.cast(note, c_void_p)) == -1
    [(context, kind, message)] = told
    assert context == 77 and kind in (b"BufferError", b"MemoryError") and message and not made
    assert own().allocate(ctypes.byref(tensor), ctypes.byref(made), None, None) == -1


def test_the_allocator_works_on_threads_without_the_lock():
    def allocate():
        for _ in range(100):  # CFUNCTYPE gives the lock away
            made = POINTER(Versioned)()
            assert own().allocate(ctypes.byref(prototype()), ctypes.byref(made), None, None) == 0
            delete(made.contents)
        done.append(True)

    done = []
    running = [threading.Thread(target=allocate) for _ in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert len(done) == 4


def test_the_stream_is_null():
    stream = c_void_p(5)
    assert own().work_stream(1, 0, ctypes.byref(stream)) == 0 and stream.value is None


def test_all_functions_in_turn():
    """As PyTorch tests a table: the header, given, taken again, lent, allocated, the stream."""
    table, x = own(), cuda.to_device(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    before = cuda.current_context().memory_manager.figures()["live_count"]
    assert (table.version.major, table.version.minor) == (1, 3)
    tensor = given(x).tensor
    assert (tensor.ndim, tensor.shape[:3], tensor.strides[:3]) == (3, [2, 3, 4], [12, 4, 1])
    assert (tensor.device.type, tensor.device.id, tensor.data) == (1, 0, x._address)
    made = py_object()
    owned = Versioned.from_address(ctypes.addressof(tensor) - Versioned.tensor.offset)
    assert table.take(ctypes.pointer(owned), ctypes.byref(made)) == 0
    again = made.value
    api.Py_DecRef(py_object(again))  # ctypes has taken a reference of its own
    assert type(again) is cuda.DeviceNDArray and again._address == x._address
    assert (again.shape, again.dtype, again.copy_to_host().tolist()) == (x.shape, x.dtype, x.copy_to_host().tolist())
    borrowed = lent(x)
    assert (borrowed.ndim, borrowed.data, borrowed.byte_offset) == (3, x._address, 0)
    allocated = POINTER(Versioned)()
    assert table.allocate(ctypes.byref(prototype((3, 4))), ctypes.byref(allocated), None, None) == 0
    assert allocated.contents.tensor.shape[:2] == [3, 4] and allocated.contents.flags == 0
    delete(allocated.contents)
    stream = c_void_p(5)
    assert table.work_stream(1, 0, ctypes.byref(stream)) == 0 and stream.value is None
    del again, made
    gc.collect()
    assert cuda.current_context().memory_manager.figures()["live_count"] == before


def test_failures_are_errors_of_python():
    """Whatever fails inside, each function returns, with an error set."""
    table, found, tensor = own(), POINTER(Versioned)(), Tensor()
    records = cuda.to_device(np.zeros(3, [("a", "i4")]))
    producer = Producer(ndim=99)
    producer.capsule()
    wrong = ctypes.pointer(producer.managed)
    for error, call in (
        (BufferError, lambda: table.give(records, ctypes.byref(found))),
        (BufferError, lambda: table.lend(records, ctypes.byref(tensor))),
        (TypeError, lambda: table.lend(None, ctypes.byref(tensor))),
        (BufferError, lambda: table.take(wrong, ctypes.byref(py_object()))),
    ):
        with pytest.raises(error):
            call()
    for number in (1, 2, 3):  # ever larger, to what no machine has
        huge = prototype((1 << (37 + 3 * number),))
        made = POINTER(Versioned)()
        assert table.allocate(ctypes.byref(huge), ctypes.byref(made), None, None) == -1 and not made


def foreign_class(version=(1, 3), previous=None, attribute="__dlpack_c_exchange_api__", as_int=False, **fields):
    """A class whose exchange table gives the tensors of the producer that each object has."""

    @Give
    def give(thing, found):
        thing.given += 1
        thing.producer.capsule()
        found[0] = ctypes.pointer(thing.producer.managed)
        return 0

    functions = {"give": give, **fields}
    table = Table(version=Version(*version), previous=previous, **functions)

    class Foreign:
        kept = (table, functions)
        asked = 0

        def __init__(self, **tensor):
            self.producer, self.given = Producer(**tensor), 0

        def __dlpack_device__(self):
            return self.producer.device

        def __dlpack__(self, **asked):
            self.asked += 1
            return self.producer.__dlpack__(**asked)

    address = ctypes.addressof(table)
    setattr(Foreign, attribute, address if as_int else api.PyCapsule_New(address, NAME, None))
    return Foreign


def test_kernels_take_tensors_by_the_table():
    thing = foreign_class()()
    double[1, 32](thing)
    double[1, 32](thing)
    assert list(thing.producer.memory) == [4, 8, 12, 16, 20, 24]
    assert (thing.given, thing.asked) == (2, 0)
    gc.collect()
    assert thing.producer.deleted == 2


def lending(**tensor):
    """A tensor of a class that lends tensors, too, and counts how often."""
    lent = []

    @Lend
    def lend(thing, found):
        lent.append(thing)
        thing.producer.capsule()
        found[0] = thing.producer.managed.tensor
        return 0

    thing = foreign_class(lend=lend)(**tensor)
    return thing, lent


def test_tensors_are_borrowed_for_arguments():
    thing, lent = lending()
    double[1, 32](thing)
    assert thing.producer.memory[:3] == [2, 4, 6]
    assert (thing.given, thing.asked, len(lent), thing.producer.deleted) == (0, 0, 1, 0)
    x = treadle.from_dlpack(thing)
    assert (thing.given, len(lent)) == (1, 1), "an import outlives the call"
    assert x.copy_to_host().tolist()[:3] == [2, 4, 6]
    wrong, lent = lending(dtype=(2, 24, 1))
    with pytest.raises(TypeError, match="float24"):
        double[1, 32](wrong)
    strided, _ = lending(shape=(3,), strides=(-2,), byte_offset=16)
    double[1, 32](strided)
    assert strided.producer.memory[:] == [2, 2, 6, 4, 10, 6]


def test_a_class_that_does_not_lend_an_array_may_give_it():
    thing = foreign_class(lend=own().lend)()  # which lends arrays of its own class alone
    double[1, 32](thing)
    assert (thing.given, thing.asked) == (1, 0)
    assert thing.producer.memory[:3] == [2, 4, 6]
    gc.collect()
    assert thing.producer.deleted == 1


def test_read_only_tensors_stay_so():
    with pytest.raises(CompileError, match="read-only"):
        double[1, 32](foreign_class()(flags=READ_ONLY))


@pytest.mark.parametrize("wrong", [{"dtype": (4, 16, 1)}, {"device": (2, 0)}, {"version": (2, 0)}])
def test_tensors_that_cannot_be_arguments(wrong):
    thing = foreign_class()(**wrong)
    with pytest.raises(TypeError, match="argument 1 .'x'. is of type Foreign"):
        double[1, 32](thing)
    gc.collect()
    assert thing.producer.deleted == 1


def test_errors_of_the_table_pass():
    thing = foreign_class(give=own().give)()
    with pytest.raises(TypeError, match="^expected a device array, found a value of type Foreign$"):
        double[1, 32](thing)


def test_a_table_that_fails_without_a_reason():
    @Give
    def fail(thing, found):
        return -1

    with pytest.raises(TypeError, match="argument 1 .'x'.*gives no tensor, and no reason"):
        double[1, 32](foreign_class(give=fail)())


def test_older_tables_behind_newer_ones():
    older = foreign_class()
    newer = foreign_class(version=(2, 0), previous=ctypes.addressof(older.kept[0]))
    thing = newer()
    double[1, 32](thing)
    assert (thing.given, thing.asked) == (1, 0)
    unknown = foreign_class(version=(2, 0))()
    double[1, 32](unknown)
    assert (unknown.given, unknown.asked) == (0, 1)
    endless = foreign_class(version=(2, 0))
    endless.kept[0].previous = ctypes.addressof(endless.kept[0])
    thing = endless()
    double[1, 32](thing)
    assert (thing.given, thing.asked) == (0, 1)


@pytest.mark.parametrize("as_int", [False, True])
def test_the_spelling_of_version_1_2(as_int):
    thing = foreign_class(attribute="__c_dlpack_exchange_api__", as_int=as_int)()
    double[1, 32](thing)
    assert (thing.given, thing.asked) == (1, 0)


@pytest.mark.parametrize("number", [-1, -4096, 0, 1, 8, 2**63, 2**64 - 8, 2**64, 10**30, 123456789])
def test_numbers_that_are_no_address_are_no_table(run_python, number):
    """A process of its own: the address would be read."""
    code = """
import sys, numpy as np, treadle
from treadle import cuda

class Numbered:
    __c_dlpack_exchange_api__ = int(sys.argv[1])
    def __init__(self):
        self.array = np.arange(3.0)
    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

@cuda.jit
def double(x):
    x[cuda.grid(1)] *= 2

thing = Numbered()
double[1, 3](thing)
print(thing.array.tolist(), treadle.from_dlpack(Numbered()).copy_to_host().tolist())
"""
    assert run_python(code, str(number), TREADLE_DEVICE="cpu") == "[0.0, 2.0, 4.0] [0.0, 1.0, 2.0]\n"


def test_a_table_without_that_function():
    thing = foreign_class(give=Give())()
    double[1, 32](thing)
    assert (thing.given, thing.asked) == (0, 1)


def test_the_table_is_the_classs():
    """Each exact class has its own, and is kept by those who know its table."""
    base = foreign_class()

    class Derived(base):
        pass

    thing = Derived()
    double[1, 32](thing)
    assert thing.given == 1
    kept = weakref.ref(thing)
    del base, Derived, thing
    gc.collect()
    assert kept() is None
    double[1, 32](foreign_class()())


@pytest.mark.parametrize("name", ["__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"])
@pytest.mark.parametrize("value", ["nothing", True, 1 << 70, 0])
def test_what_is_no_table(name, value):
    producer = type("Wrong", (Producer,), {name: value})()
    double[1, 32](producer)
    assert producer.memory[0] == 2


def test_an_int_is_a_table_under_the_older_name_alone():
    thing = foreign_class(as_int=True)()
    double[1, 32](thing)
    assert (thing.given, thing.asked) == (0, 1)
