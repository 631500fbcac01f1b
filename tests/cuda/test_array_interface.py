"""The CUDA Array Interface between libraries on a GPU, on the stand-in: the order of their streams, in exact calls."""

import runs
from test_calls import ENTER, LAUNCH, MARK, steps

LOCATE = f"{ENTER} cuPointerGetAttributes"
KNOW_STREAM = f"{ENTER} cuStreamGetCtx cuCtxGetCurrent cuStreamGetFlags"
WAIT = f"{ENTER} cuStreamWaitEvent"
BEHIND = f"{MARK} {WAIT}"
# Work on a stream that its library may destroy at any time is marked at once.
ON_THEIRS = f"{LAUNCH} {MARK}"
BACK = f"{BEHIND} {MARK}"
BETWEEN = f"{BEHIND} {LAUNCH} {BACK}"

# A library with streams of its own: `theirs` and `other` are the driver's, `f(x, stream)` is an array of it.
HEAD = """
import ctypes
driver = ctypes.CDLL("libcuda.so.1")
def foreign_stream():
    handle = ctypes.c_void_p()
    assert driver.cuStreamCreate(ctypes.byref(handle), 1) == 0
    return handle.value
class Foreign:
    def __init__(self, shown):
        self.__cuda_array_interface__ = shown
def f(array, stream, version=3):
    shown = array.__cuda_array_interface__
    return Foreign({**shown, "stream": stream, "version": version})
def shown(array):
    return array.__cuda_array_interface__
def raises(call, error):
    try:
        call()
    except error as found:
        return str(found)
    raise AssertionError(f"{call} raises nothing")
warm = [cuda.event(timing=False) for _ in range(20)]
for event in warm:
    event.record()
cuda.synchronize()
del warm, event
theirs, other = foreign_stream(), foreign_stream()
s, t = cuda.stream(), cuda.stream(nonblocking=True)
x, y, z = zeros(), zeros(), zeros()
"""
# Their streams were seen before, and the kernels loaded.
KNOWN = """
known = [cuda.as_cuda_array(f(x, stream)) for stream in (theirs, other)]
for source in (x, *known):
    assign[1, 32, t](y, source)
    add[1, 32, t](source[10:], 1)
    assign[1, 32, t](source, source[10:])
cuda.synchronize()
"""


def test_without_a_stream_no_stream_is_touched():
    steps(
        ("None", "a = cuda.as_cuda_array(f(x, None)); add[1, 32](a, 1)", f"{LOCATE} {LAUNCH}"),
        ("version 2", "b = cuda.as_cuda_array(f(x, theirs, 2)); add[1, 32, t](b, 1)", f"{LOCATE} {LAUNCH}"),
        ("ignored", "c = cuda.as_cuda_array(f(x, theirs), sync=False); add[1, 32, t](c, 1)", f"{LOCATE} {LAUNCH}"),
        ("no elements", "d = cuda.as_cuda_array(f(x[:0], None))", ""),
        prepare=HEAD,
    )  # fmt: skip


def test_uses_come_behind_the_producers_stream_and_it_behind_them():
    """Launched on their stream where the program names none; else one event there and one back."""
    steps(
        ("import", "a = cuda.as_cuda_array(f(x, theirs))", LOCATE),
        ("the first of a stream", "foreign = f(x, foreign_stream()); b = cuda.as_cuda_array(foreign)",
         f"cuStreamCreate {LOCATE} {KNOW_STREAM}"),
        ("no stream named", "add[1, 32](a, 1)", ON_THEIRS),
        ("another named", "add[1, 32, t](a, 1)", BETWEEN),
        ("theirs named", "add[1, 32, cuda.external_stream(theirs)](a, 1)", ON_THEIRS),
        ("with an array of our own", "assign[1, 32](y, a)", BETWEEN),
        ("with another on the same stream", "assign[1, 32](a, cuda.as_cuda_array(f(y, theirs)))",
         f"{LOCATE} {ON_THEIRS}"),
        ("with one on another stream", "assign[1, 32](a, cuda.as_cuda_array(f(y, other)))",
         f"{LOCATE} {BEHIND} {BEHIND} {LAUNCH} {BACK} {WAIT} {MARK}"),
        ("both theirs, on ours", "assign[1, 32, t](a, a[10:])", BETWEEN),
        ("views are theirs, too", "add[1, 32, t](a[10:], 1)", BETWEEN),
        prepare=HEAD + KNOWN,
    )  # fmt: skip


def test_default_streams():
    steps(
        ("legacy", "a = cuda.as_cuda_array(f(x, 1)); add[1, 32](a, 1)", f"{LOCATE} {LAUNCH}"),
        ("legacy, and a stream of ours", "add[1, 32, t](a, 1)", f"{BEHIND} {LAUNCH} {BEHIND}"),
        ("the thread's", "b = cuda.as_cuda_array(f(x, 2)); add[1, 32](b, 1)", f"{LOCATE} {LAUNCH}"),
        ("the thread's, and ours", "assign[1, 32](y, b)", f"{BEHIND} {LAUNCH} {BEHIND}"),
        ("one of ours", "c = cuda.as_cuda_array(f(x, int(s.handle))); add[1, 32, s](c, 1)", f"{LOCATE} {LAUNCH}"),
        prepare=HEAD + KNOWN,
    )  # fmt: skip


def test_copies():
    """Those that name no stream are on theirs."""
    steps(
        ("to the host", "a.copy_to_host()", f"{ENTER} cuMemcpyDtoHAsync {MARK} {ENTER} cuEventQuery"),
        ("to the host on ours", "a.copy_to_host(stream=t)",
         f"{BEHIND} {MARK} {ENTER} cuEventQuery {ENTER} cuMemcpyDtoHAsync {MARK} {ENTER} cuEventQuery"),
        ("from an own array", "y.copy_to_device(a)", f"{BEHIND} {ENTER} cuMemcpyDtoDAsync {MARK} {ENTER} cuEventQuery"),
        prepare=HEAD + "a = cuda.as_cuda_array(f(x, theirs))\n",
    )  # fmt: skip


def test_elements_are_assigned_behind_what_is_not_told():
    """A library that names no stream may have copied to its array on the default stream, without waiting."""
    steps(
        ("an element", "a[3] = 4", f"{ENTER} cuMemcpyHtoDAsync {MARK} {ENTER} cuEventQuery"),
        prepare=HEAD + "a = cuda.as_cuda_array(f(x, None))\n",
    )


def test_arguments_that_are_not_imported_before():
    steps(
        ("on their stream", "add[1, 32](g, 1)", f"{LOCATE} {ON_THEIRS}"),
        ("on ours", "add[1, 32, t](g, 1)", f"{LOCATE} {BETWEEN}"),
        prepare=HEAD + KNOWN + "g = f(x, theirs)\n",
    )  # fmt: skip


def test_what_is_shown_comes_behind_all_work():
    """Bound arrays show their stream; others a default one, which cannot be destroyed while somebody has it."""
    steps(
        ("idle", "assert shown(x)['stream'] is None", ""),
        ("on the default stream", "add[1, 32](x, 1); assert shown(x)['stream'] == 1", LAUNCH),
        ("on another", "add[1, 32, t](y, 1); assert shown(y)['stream'] == 1", f"{LAUNCH} {BEHIND}"),
        ("on three", "add[1, 32, t](z, 1); add[1, 32, s](z, 1); add[1, 32](z, 1); assert shown(z)['stream'] == 1",
         f"{LAUNCH} {LAUNCH} {LAUNCH} {BEHIND} {BEHIND}"),
        ("bound", "b = u.bind(t); assert shown(b)['stream'] == int(t.handle)", ""),
        ("bound, used elsewhere", "add[1, 32, s](b, 1); assert shown(b)['stream'] == int(t.handle)",
         f"{LAUNCH} {BEHIND}"),
        ("imported", "assert shown(cuda.as_cuda_array(f(w, None)))['stream'] is None", LOCATE),
        ("imported with a stream", "assert shown(a)['stream'] == theirs", ""),
        ("used on ours", "add[1, 32, t](a, 1); assert shown(a)['stream'] == theirs",
         f"{BETWEEN} {WAIT} {MARK}"),
        prepare=HEAD + "u, v, w = zeros(), zeros(), zeros()\na = cuda.as_cuda_array(f(v, theirs))\n",
    )  # fmt: skip


def test_what_arrays_show():
    runs.run(HEAD + """
assert hasattr(x, "__cuda_array_interface__")
base, host = x.device_ctypes_pointer.value, np.arange(100, dtype=np.float32)
assert shown(x) == {"shape": (100,), "typestr": "<f4", "data": (base, False), "strides": None, "version": 3,
                    "mask": None, "stream": None}
grid, twin = x.reshape(10, 10), host.reshape(10, 10)
for key in (np.s_[1:3, 2:], np.s_[::-1, ::-2], np.s_[2], np.s_[:, 3], np.s_[4:5, :]):
    found, view = shown(grid[key]), twin[key]
    assert found["shape"] == view.shape and found["data"] == (base + view.ctypes.data - host.ctypes.data, False)
    assert found["strides"] == (None if view.flags.c_contiguous else view.strides), key
assert shown(grid.T)["strides"] == (4, 40)
assert shown(x.reshape(100, 1)[3])["strides"] is None
assert shown(grid[3, 4:5].reshape(()))["shape"] == ()
for shape in ((0,), (0, 3), (3, 0)):
    assert shown(cuda.device_array(shape))["data"] == (0, False)
broadcast = shown(cuda.to_device(np.broadcast_to(np.arange(3.0), (4, 3))))
assert broadcast["strides"] == (0, 8)
for made in (cuda.pinned_array(3), cuda.mapped_array(3) + 1):
    assert not hasattr(made, "__cuda_array_interface__")
""")  # fmt: skip


def test_arrays_that_the_host_sees_show_their_stream():
    runs.run(
        HEAD
        + """
own = cuda.stream()
like = lambda stream: cuda.mapped_array_like(np.zeros(8, np.float32), stream=stream)
for make in (lambda stream: cuda.mapped_array(8, np.float32, stream=stream),
             lambda stream: cuda.managed_array(8, np.float32, stream=stream), like):
    bound, free = make(own), make(0)
    assert shown(bound)["stream"] == shown(bound[2:])["stream"] == int(own)
    assert shown(free)["stream"] is None
    add[1, 32, t](bound, 1)
    with fake.trace() as traced:
        assert shown(bound)["stream"] == int(own)  # after that was made to wait
    assert traced.of("cuStreamWaitEvent")[0].arguments["stream"] == int(own)
"""
    )


def test_the_stream_that_is_shown_lives_as_long_as_the_array():
    runs.run(HEAD + """
def handles():
    cuda.current_context().deallocations.clear()
    return {one.handle for one in fake.live("stream")}
own = cuda.stream()
handle = int(own.handle)
a = cuda.to_device(np.zeros(8, np.float32), stream=own)
del own
view = a[2:]
del a
assert shown(view)["stream"] == handle and handle in handles()
add[1, 32](view, 1)
assert shown(view)["stream"] == handle and handle in handles()
del view
cuda.synchronize()
assert handle not in handles()
""")  # fmt: skip


TORCH = """
import sys, types
class Tensor:
    requires_grad = False
    def __init__(self, shown, device):
        self.__cuda_array_interface__, self.device = {**shown, "version": 2}, device
        del self.__cuda_array_interface__["stream"]
    def is_neg(self):
        return False
class Stream:
    def __init__(self, handle):
        self.cuda_stream = handle
current = {"cuda:0": Stream(theirs), "the default": Stream(0)}
sys.modules["torch"] = types.SimpleNamespace(
    Tensor=Tensor, cuda=types.SimpleNamespace(current_stream=lambda device: current[device]))
"""


def test_pytorchs_tensors_are_used_on_its_current_stream():
    """Those of versions without DLPack's C exchange API show version 2 of the interface, which has no streams."""
    steps(
        ("on its stream", "add[1, 32](g, 1)", f"{LOCATE} {ON_THEIRS}"),
        ("on ours", "add[1, 32, t](g, 1)", f"{LOCATE} {BETWEEN}"),
        ("imported", "a = cuda.as_cuda_array(g); assert a.stream == theirs", LOCATE),
        ("without order", "a = cuda.as_cuda_array(g, sync=False); add[1, 32, t](a, 1)", f"{LOCATE} {LAUNCH}"),
        ("its default stream", "add[1, 32](Tensor(shown(y), 'the default'), 1)", f"{LOCATE} {LAUNCH}"),
        prepare=HEAD + KNOWN + TORCH + "g = Tensor(shown(x), 'cuda:0')\n",
    )  # fmt: skip


def test_settings():
    runs.run(HEAD + """
add[1, 32](x, 1)
assert shown(x)["stream"] == 2, shown(x)
""", TREADLE_PER_THREAD_DEFAULT_STREAM="1")  # fmt: skip
    for setting in ("unordered", "2"):
        runs.run(HEAD + """
add[1, 32, t](x, 1)
assert shown(x).get("stream") is None
""", TREADLE_CUDA_ARRAY_INTERFACE=setting)  # fmt: skip


def test_results_in_the_order_of_both_libraries():
    """Their work, ours, theirs, ours, on streams that nothing else orders."""
    runs.run(HEAD + """
import random
handles = [theirs, other]
streams = {handle: cuda.external_stream(handle) for handle in handles}
random.seed(3)
arrays = [(zeros(64), handle) for handle in handles for _ in range(2)]
imported = [cuda.as_cuda_array(f(array, handle)) for array, handle in arrays]
expected = [0.0] * len(arrays)
@cuda.jit
def mix(to, source):
    i = cuda.grid(1)
    to[i] = 2 * to[i] + source[i] + 1
for _ in range(60):
    a, b = random.sample(range(len(arrays)), 2)
    stream = random.choice([0, s, t, 0])
    args = [random.choice([imported[i], f(arrays[i][0], arrays[i][1])]) for i in (a, b)]
    mix[2, 32, stream](*args)
    expected[a] = np.float32(2 * expected[a] + expected[b] + 1)
    # What they do themselves, with what they know of our work: nothing.
    c = random.randrange(len(arrays))
    driver.cuMemsetD32Async(ctypes.c_uint64(arrays[c][0].device_ctypes_pointer.value), 0, ctypes.c_size_t(64),
                            ctypes.c_void_p(arrays[c][1]))
    expected[c] = 0.0
for array, value in zip(imported, expected):
    assert (array.copy_to_host() == value).all()
""")  # fmt: skip


def test_where_memory_is():
    runs.run(HEAD + """
host = np.zeros(100, np.float32)
class Host:
    __cuda_array_interface__ = {"shape": (100,), "typestr": "<f4", "data": (host.ctypes.data, False), "version": 3}
assert "no GPU knows the memory" in raises(lambda: cuda.as_cuda_array(Host()), BufferError)
assert "no GPU knows the memory" in raises(lambda: add[1, 32](Host(), 1), TypeError)
with cuda.pinned(host):
    a = cuda.as_cuda_array(Host())
    add[4, 32](a, 1)
    cuda.synchronize()
    assert (host == 1).all() and a.__dlpack_device__() == (3, 0)
    del a
managed, mapped = cuda.managed_array(4, np.float32), cuda.mapped_array(4, np.float32)
managed[:], mapped[:] = 0, 0
for array, place in ((managed, (13, 0)), (mapped, (3, 0)), (x, (2, 0))):
    again = cuda.as_cuda_array(Foreign(array.__cuda_array_interface__))
    assert again.__dlpack_device__() == place, (again.__dlpack_device__(), place)
    add[1, 32](again, 2)
    cuda.synchronize()
assert (managed == 2).all() and (mapped == 2).all()
assert "is no stream of the device" in raises(lambda: cuda.as_cuda_array(f(x, 99)), ValueError)
""")  # fmt: skip


def test_another_gpu():
    runs.run(HEAD + """
with cuda.gpus[1]:
    far = cuda.to_device(np.ones(8, np.float32))
near = cuda.as_cuda_array(f(far, None))
assert near._ordinal == 1
assert "another device" in raises(lambda: add[1, 32](near, 1), ValueError)
with cuda.gpus[1]:
    add[1, 32](near, 1)
    assert (near.copy_to_host() == 2).all()
""", FAKE_CUDA_DEVICES="2")  # fmt: skip


def test_gpu_and_cpu():
    """Memory of the host is the CPU device's where there is one, and that of a GPU never."""
    runs.run(HEAD + """
with cuda.gpus[1]:
    far = cuda.to_device(np.ones(8, np.float32))
    assert raises(lambda: add[1, 32](f(x, None), 1), ValueError)
assert cuda.as_cuda_array(f(far, None))._ordinal == 1
assert cuda.as_cuda_array(f(x, None))._ordinal == 0
""", TREADLE_DEVICE="cuda,cpu")  # fmt: skip


def test_memory_that_others_have_seen_is_freed_and_never_reused():
    from test_calls import FREE

    steps(
        ("shown", "shown(a)", ""),
        ("dropped", "del a; flush()", FREE),
        ("never shown", "del b; flush()", ""),
        prepare=HEAD + "a, b = cuda.device_array(5000), cuda.device_array(90000)\n"
                       "flush = cuda.current_context().deallocations.clear\n",
    )  # fmt: skip


def test_imports_end_with_a_reset():
    runs.run(HEAD + """
a = cuda.as_cuda_array(f(x, theirs))
cuda.get_current_device().reset()
raises(lambda: add[1, 32](a, 1), errors.CudaAPIError)
raises(lambda: shown(x), errors.CudaAPIError)
del a, x
""")  # fmt: skip
