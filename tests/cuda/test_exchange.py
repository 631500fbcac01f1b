"""Arrays of GPUs through DLPack, on the stand-in: places, the order of streams, who frees what when."""

import pytest
import runs
from gates import gated
from test_calls import ENTER, FREE, LAUNCH, MARK, steps

TAKE = """
import ctypes
sys.path.insert(0, "tests")
from interop.producers import managed_in, take, delete, Producer
import treadle
s, t = cuda.stream(), cuda.stream(nonblocking=True)
def export(x=x, **wanted):
    return x.__dlpack__(max_version=(1, 3), **wanted)
def raises(call, error):
    try:
        call()
    except error as found:
        return str(found)
    raise AssertionError(f"{call} raises nothing")
"""
WAIT_FOR_ANOTHER = f"{MARK} {ENTER} cuStreamWaitEvent"


def test_the_consumers_stream_waits_and_the_host_does_not():
    """One marker for each stream that uses the array, and one wait; none where nothing is pending."""
    steps(
        ("idle", "export(stream=1)", ""),
        ("the same stream", "add[1, 32](a, 1); export(a, stream=1)", LAUNCH),
        ("without a stream", "add[1, 32, t](b, 1); export(b)", f"{LAUNCH} {WAIT_FOR_ANOTHER}"),
        ("of the thread", "add[1, 32, t](c, 1); export(c, stream=2)", f"{LAUNCH} {WAIT_FOR_ANOTHER}"),
        ("its handle", "add[1, 32, t](d, 1); export(d, stream=int(s.handle))", f"{LAUNCH} {WAIT_FOR_ANOTHER}"),
        ("none wanted", "add[1, 32, t](e, 1); export(e, stream=-1)", LAUNCH),
        prepare=TAKE + "a, b, c, d, e = (zeros() for _ in range(5))\n",
    )  # fmt: skip


def test_streams_that_are_none():
    runs.run(f"import sys\nx = zeros()\n{TAKE}" + """
for wrong in (0, -2):
    assert "stream must be 1" in raises(lambda: export(stream=wrong), ValueError)
for wrong in (object(), 1.0, True):
    assert "must be an int" in raises(lambda: export(stream=wrong), TypeError)
""")  # fmt: skip


def test_places():
    runs.run(f"import sys\nx = zeros()\n{TAKE}" + """
managed, mapped = cuda.managed_array(4, np.float32), cuda.mapped_array(4, np.float32)
arrays = {(2, 0): x, (13, 0): cuda.to_device(managed), (3, 0): cuda.to_device(mapped)}
for place, array in arrays.items():
    array = getattr(array, "_device", array)
    assert array.__dlpack_device__() == place, array.__dlpack_device__()
    tensor = managed_in(export(array)).tensor
    assert (tensor.device.type, tensor.device.id) == place
    assert tensor.data == array.device_ctypes_pointer.value
for wrong in ((2, 1), (13, 0), (8, 0)):
    raises(lambda: export(dl_device=wrong), BufferError)
""")  # fmt: skip


def test_a_copy_in_memory_of_the_host():
    runs.run(f"import sys\nx = zeros()\n{TAKE}" + """
add[4, 32, t](x, 3)
found = managed_in(capsule := export(dl_device=(1, 0)))
assert (found.tensor.device.type, found.tensor.device.id, found.flags) == (1, 0, 2)
assert ctypes.c_float.from_address(found.tensor.data + 8).value == 3
raises(lambda: export(dl_device=(1, 0), copy=False), BufferError)
for stream in (0, 1, int(s.handle), 1 << 80):
    assert "memory of the host has no streams" in raises(lambda: export(dl_device=(1, 0), stream=stream), ValueError)
mapped = cuda.to_device(cuda.mapped_array(4, np.float32))
shared = managed_in(kept := export(getattr(mapped, "_device", mapped), dl_device=(1, 0), copy=False))
assert shared.flags == 0 and shared.tensor.device.type == 1
assert export(copy=True)
del capsule, kept
""")  # fmt: skip


def test_memory_that_others_have_seen_is_freed_and_never_reused():
    """The consumer's own work on it is unknown; a freeing call waits for that."""
    steps(
        ("exported", "capsule = export(y); del capsule", ""),
        ("dropped", "del y; flush()", FREE),
        ("never exported", "del z; flush()", ""),
        prepare=TAKE + "y, z = cuda.device_array(5000), cuda.device_array(90000)\n"
                       "flush = cuda.current_context().deallocations.clear\n",
    )  # fmt: skip


def test_imports_come_behind_what_the_producer_has_put_on_the_default_stream():
    steps(
        ("import", "y = treadle.from_dlpack(x)", f"{MARK}"),
        ("on the default stream", "add[1, 32](y, 1)", LAUNCH),
        ("on another", "y = treadle.from_dlpack(x); add[1, 32, t](y, 1)",
         f"{MARK} {ENTER} cuStreamWaitEvent {LAUNCH}"),
        prepare=TAKE,
    )  # fmt: skip


def test_imported_memory_lives_until_its_work_has_run():
    runs.run(f"import sys\nx = zeros()\n{TAKE}" + """
import gc
memory = zeros()
producer = Producer(shape=(100,), data=memory.device_ctypes_pointer.value, device=(2, 0))
y = treadle.from_dlpack(producer)
assert producer.asked == [{"max_version": (1, 3), "stream": 1}]
add[4, 32, t](y, 5)
del y
t.synchronize()
assert (memory.copy_to_host() == 5).all()
del memory
for _ in range(200):
    zeros()
gc.collect()
assert producer.deleted == 1, producer.deleted
assert "cuda.to_device(array) copies it" in raises(lambda: treadle.from_dlpack(np.zeros(3)), BufferError)
host = Producer(device=(3, 0))
assert treadle.from_dlpack(host).__dlpack_device__() == (3, 0)
""")  # fmt: skip


def test_a_read_only_import_is_never_written():
    runs.run(f"import sys\nx = zeros()\n{TAKE}" + """
y = treadle.from_dlpack(Producer(shape=(32,), data=x.device_ctypes_pointer.value, device=(2, 0), flags=1))
assert y._is_read_only and y[1:]._is_read_only
raises(lambda: y.__setitem__(0, 1), ValueError)
raises(lambda: add[1, 32](y, 1), treadle.CompileError)
raises(lambda: x.copy_to_device(np.zeros(3)), (TypeError, ValueError))
""")  # fmt: skip


TABLES = (
    TAKE
    + """
from interop.test_exchange_table import WorkStream, foreign_class
driver = ctypes.CDLL("libcuda.so.1")
theirs = ctypes.c_void_p()
assert driver.cuStreamCreate(ctypes.byref(theirs), 1) == 0
asked = []
def works_on(handle):
    @WorkStream
    def answer(kind, number, stream):
        asked.append((kind, number))
        stream[0] = handle
        return 0
    return answer
def of(array, handle, place=(2, 0)):
    made = foreign_class(work_stream=works_on(handle))
    return made(shape=(100,), data=array.device_ctypes_pointer.value, device=place)
y = zeros()
"""
)
SEEN = """
warm = [cuda.event(timing=False) for _ in range(20)]
for event in warm:
    event.record()
add[1, 32](of(y, theirs.value), 1)
add[1, 32, t](of(y, theirs.value), 1)
assign[1, 32, t](x, y)
cuda.synchronize()
del asked[:], warm, event
"""


def test_tensors_of_the_table_are_used_in_the_order_of_their_stream():
    """The stream that their library works on is asked for; null is the legacy default stream."""
    on_theirs, back = f"{LAUNCH} {MARK}", f"{MARK} {ENTER} cuStreamWaitEvent {MARK}"
    steps(
        ("on their stream", "add[1, 32](of(y, theirs.value), 1); assert asked == [(2, 0)]", on_theirs),
        ("on ours", "add[1, 32, t](of(y, theirs.value), 1)", f"{WAIT_FOR_ANOTHER} {LAUNCH} {back}"),
        ("with an array of our own", "assign[1, 32](x, of(y, theirs.value))", f"{WAIT_FOR_ANOTHER} {LAUNCH} {back}"),
        ("on the default stream", "add[1, 32](of(y, None), 1)", LAUNCH),
        prepare=TABLES + SEEN,
    )  # fmt: skip


def test_borrowed_memory_is_kept_until_its_work_has_run():
    gated(f"import sys\nx = zeros()\n{TABLES}" + """
import weakref
from interop.test_exchange_table import Lend
@Lend
def lend(thing, found):
    thing.producer.capsule()
    found[0] = thing.producer.managed.tensor
    return 0
memory = zeros()
thing = foreign_class(lend=lend)(shape=(100,), data=memory.device_ctypes_pointer.value, device=(2, 0))
lives, gate = weakref.ref(thing), Gate()
add[4, 32, gate.stream](thing, 5)
assert thing.given == 0
del thing
gc.collect()
assert lives(), "the kernel has not run"
gate.open()
cuda.synchronize()
gc.collect()
assert lives() is None
assert (memory.copy_to_host() == 5).all()
""")  # fmt: skip


def test_a_table_that_names_no_stream_and_no_reason():
    runs.run(f"import sys\nx = zeros()\n{TABLES}" + """
@WorkStream
def fail(kind, number, stream):
    return -1
thing = foreign_class(work_stream=fail)(shape=(100,), data=y._address, device=(2, 0))
assert "argument 1 ('x') is of type Foreign" in raises(lambda: add[1, 32](thing, 1), TypeError)
assert thing.producer.deleted == 1
""")  # fmt: skip


def test_the_stream_of_our_own_table():
    for setting, handle in (("0", 1), ("1", 2)):
        runs.run(f"import sys\nx = zeros()\n{TABLES}" + f"""
from interop.test_exchange_table import own
stream = ctypes.c_void_p()
assert own().work_stream(2, 0, ctypes.byref(stream)) == 0 and stream.value == {handle}
""", TREADLE_PER_THREAD_DEFAULT_STREAM=setting)  # fmt: skip


def test_the_allocator_gives_memory_of_the_kind_that_is_asked_for():
    """What is said to be the host's can be written by the host."""
    runs.run(f"import sys\nx = zeros()\n{TABLES}" + """
from interop.test_exchange_table import POINTER, Versioned, own, prototype
for place in ((3, 0), (13, 0)):
    made = POINTER(Versioned)()
    assert own().allocate(ctypes.byref(prototype(device=place)), ctypes.byref(made), None, None) == 0
    tensor = made.contents.tensor
    assert (tensor.device.type, tensor.device.id) == place
    ctypes.memset(tensor.data, 0, 24)
    delete(made.contents)
""")  # fmt: skip


def test_tensors_of_the_table_are_given_without_work_on_streams():
    steps(
        ("given", "add[1, 32, t](y, 1); tensor = given(y)", LAUNCH),
        ("lent", "lent(y)", ""),
        ("allocated", "made = POINTER(Versioned)(); "
         "assert own().allocate(ctypes.byref(prototype(device=(2, 0))), ctypes.byref(made), None, None) == 0",
         f"{MARK} {ENTER} cuEventQuery {ENTER} cuMemAlloc"),
        prepare=TABLES + "from interop.test_exchange_table import POINTER, Versioned, given, lent, own, prototype\n",
    )  # fmt: skip


def test_failures_of_the_driver_are_errors_of_python():
    runs.run(f"import sys\nx = zeros()\n{TABLES}" + """
from interop.test_exchange_table import POINTER, SetError, Versioned, Tensor, own, prototype
told = []
note = SetError(lambda context, kind, message: told.append(kind))
made = POINTER(Versioned)()
for function, result in (("cuMemAlloc", fake.OUT_OF_MEMORY), ("cuMemAlloc", fake.INVALID_VALUE)):
    for _ in range(2):
        fake.inject(function, result)
    big = prototype((1 << 20,), device=(2, 0))
    assert own().allocate(ctypes.byref(big), ctypes.byref(made), None, ctypes.cast(note, ctypes.c_void_p)) == -1
    fake.clear_faults()
assert told == [b"MemoryError", b"RuntimeError"], told
cuda.get_current_device().reset()
raises(lambda: own().give(x, ctypes.byref(made)), errors.CudaAPIError)
raises(lambda: own().lend(x, ctypes.byref(Tensor())), errors.CudaAPIError)
""")  # fmt: skip


def test_imports_that_fail_when_the_tensor_was_taken_delete_it_once():
    runs.run(f"import sys\nx = zeros()\n{TAKE}" + """
producer = Producer(shape=(100,), data=x.device_ctypes_pointer.value, device=(2, 0))
fake.inject("cuEventRecord", fake.OUT_OF_MEMORY)
raises(lambda: treadle.from_dlpack(producer), errors.CudaAPIError)
assert fake.faults_happened() == 1
assert producer.deleted == 1, producer.deleted
assert (treadle.from_dlpack(producer).copy_to_host() == 0).all()
""")  # fmt: skip


TWO_GPUS = """
driver = ctypes.CDLL("libcuda.so.1")
def current():
    context = ctypes.c_void_p()
    assert driver.cuCtxGetCurrent(ctypes.byref(context)) == 0
    return context.value
def context_of(gpu):
    context = ctypes.c_void_p()
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), gpu) == 0
    assert driver.cuDevicePrimaryCtxRelease_v2(gpu) == 0
    return context.value
"""


def test_exports_of_another_gpus_memory_leave_the_callers_gpu_current():
    runs.run(f"import sys\nx = zeros()\n{TAKE}{TWO_GPUS}" + """
add[1, 32, t](x, 1)
with cuda.gpus[1]:
    own = zeros()
    add[1, 32](own, 1)
    before = context_of(1)
    assert before != context_of(0) and driver.cuCtxSetCurrent(ctypes.c_void_p(before)) == 0
    for wanted in ({}, {"stream": 1}, {"stream": -1}, {"dl_device": (1, 0)}, {"copy": True}, {"copy": False}):
        place = managed_in(capsule := export(x, **wanted)).tensor.device
        assert (place.type, place.id) == wanted.get("dl_device", (2, 0))
        assert current() == before and cuda.get_current_device().id == 1
    shown = x.__cuda_array_interface__
    assert current() == before and cuda.get_current_device().id == 1
""", FAKE_CUDA_DEVICES="2")  # fmt: skip


def test_the_device_of_the_producer_is_current_while_it_is_asked():
    runs.run(f"import sys\nx = zeros()\n{TAKE}{TWO_GPUS}" + """
with cuda.gpus[1]:
    far = zeros()
class Asked(Producer):
    def __dlpack__(self, **wanted):
        self.current = current()
        return super().__dlpack__(**wanted)
asked = Asked(shape=(100,), data=far.device_ctypes_pointer.value, device=(2, 1))
add[1, 32](x, 1)
y = treadle.from_dlpack(asked)
assert y._ordinal == 1 and cuda.get_current_device().id == 0 and current() == context_of(0)
assert asked.current == context_of(1)
""", FAKE_CUDA_DEVICES="2")  # fmt: skip


def test_the_number_of_memory_that_all_gpus_reach_does_not_matter():
    """Managed and pinned memory is imported on the selected GPU."""
    runs.run(f"import sys\nx = zeros()\n{TAKE}" + """
managed, mapped = cuda.managed_array(4, np.float32), cuda.mapped_array(4, np.float32)
managed[:], mapped[:] = 0, 0
for array, kind in ((managed, 13), (mapped, 3)):
    for number in (0, 1, 7):
        for selected in (0, 1):
            with cuda.gpus[selected]:
                place = {"device": (kind, number), "shape": (4,)}
                y = treadle.from_dlpack(Producer(data=array.__cuda_array_interface__["data"][0], **place))
                assert y._ordinal == selected and y.__dlpack_device__() == (kind, 0)
                add[1, 32](y, 1)
                cuda.synchronize()
    assert (array == 6).all(), array
""", FAKE_CUDA_DEVICES="2")  # fmt: skip


def test_wishes_on_a_gpu():
    runs.run(f"import sys\nx = zeros()\n{TAKE}" + """
add[4, 32, t](x, 3)
for wishes in ({}, {"copy": False}, {"device": (2, 0)}, {"device": "cuda", "copy": False}):
    assert treadle.from_dlpack(x, **wishes)._address == x._address
own = treadle.from_dlpack(x, copy=True)
assert own._address != x._address and own.__dlpack_device__() == (2, 0)
host = treadle.from_dlpack(x, device="cpu")
assert host.__dlpack_device__() == (1, 0) and (host.host_view() == 3).all()
for wishes in ({"device": "cpu", "copy": False}, {"device": (2, 1)}, {"device": (8, 0)}):
    raises(lambda: treadle.from_dlpack(x, **wishes), BufferError)
""", TREADLE_DEVICE="cuda,cpu")  # fmt: skip


@pytest.mark.parametrize(
    "kept",
    ["export(), x.__dlpack__()", "take(export())", "treadle.from_dlpack(x)[1:]", "given(x), lent(x)",
     "cuda.as_cuda_array(Shown(x))", "cuda.as_cuda_array(Shown(cuda.managed_array(4)))",
     "treadle.from_dlpack(Producer(shape=(100,), data=x._address, device=(2, 0)))",
     "treadle.from_dlpack(x, device='cpu')"],
)  # fmt: skip
@pytest.mark.parametrize("work", ["", "add[1, 32, t](x, 1)"], ids=["idle", "used"])
def test_interpreters_end_with_live_views(kept, work):
    device = "cuda,cpu" if "cpu" in kept else "cuda"
    runs.run(f"import sys\nx = zeros()\n{TAKE}" + f"""
from interop.test_exchange_table import given, lent
class Shown:
    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__
kept = {kept}
y = zeros()
{work if "cpu" not in kept else ""}
del x
""", TREADLE_DEVICE=device)  # fmt: skip
