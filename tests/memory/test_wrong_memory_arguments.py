"""Arguments of memory, streams and events that are rejected, or that look wrong but are accepted."""

import gc
import pickle

import numpy as np
import pytest
from treadle import cuda, errors

RECORD = np.dtype([("x", "f4"), ("n", "i4")])


@cuda.jit
def spoil(a):
    a[0] = 5


@cuda.jit
def spoil_record(r):
    r.x = 5


@pytest.mark.parametrize(
    ("shape", "options", "error", "text"),
    [
        ((-1,), {}, ValueError, r"shape must not have negative extents, found \(-1,\)"),
        (2.5, {}, TypeError, "shape must be an int or a tuple of ints, found 2.5"),
        ((2, None), {}, TypeError, r"shape must be .* found \(2, None\)"),
        (3, {"strides": -8}, ValueError, "strides must not be negative"),
        (3, {"strides": (2.5,)}, TypeError, "strides must be an int or a tuple of ints"),
        ((3, 2), {"strides": (8,)}, ValueError, "strides must have one number for each of 2 axes"),
        (3, {"offset": -8}, ValueError, "offset must be a number of bytes, from 0 .* found -8"),
        (3, {"offset": 2.5}, TypeError, "offset must be an int, found 2.5"),
    ],
)
def test_layouts_that_no_array_of_another_process_has(shape, options, error, text):
    with pytest.raises(error, match=text), cuda.open_ipc_array(bytes(64), shape, np.float64, **options):
        pass


def test_captured_arrays_that_are_closed(run_python):
    program = """
import pickle, sys
import numpy as np
from treadle import cuda, errors

handle = pickle.loads(bytes.fromhex(sys.argv[1]))
x = handle.open()

@cuda.jit
def take(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]

out = cuda.to_device(np.zeros(3))
take[1, 32](out)
print(out.copy_to_host().tolist())
handle.close()
try:
    take[1, 32](out)
except errors.CudaAPIError as error:
    print(error)
"""
    try:
        handle = cuda.to_device(np.arange(3.0)).get_ipc_handle()
    except NotImplementedError as error:
        pytest.skip(str(error))
    values, error = run_python(program, pickle.dumps(handle).hex()).splitlines()
    assert values == "[0.0, 1.0, 2.0]"
    assert error.startswith("[400] ") and "the memory of an array that it captured was closed" in error


def test_what_a_kernel_writes_to_in_is_dropped():
    array, mapped = np.zeros(3), cuda.mapped_array(3)
    mapped[:] = 0
    data, record = bytearray(3), np.zeros(1, RECORD)[0]
    for value in (array, mapped, data, memoryview(data)):
        spoil[1, 1](cuda.In(value))
        assert list(value) == [0, 0, 0]
    spoil_record[1, 1](cuda.In(record))
    assert record["x"] == 0
    device = cuda.to_device(array)
    spoil[1, 1](cuda.In(device))
    assert device.copy_to_host()[0] == 5  # device arrays are passed unchanged


def test_read_only_arrays_are_not_mapped():
    array = np.zeros(3)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"), cuda.mapped(array):
        pass
    with cuda.pinned(array):
        pass


def test_targets_of_to_device():
    device = cuda.to_device(np.arange(6.0))
    for wrong in (np.zeros(3), 3):
        with pytest.raises(TypeError, match="`to` must be a device array, found (ndarray|int)"):
            cuda.to_device(np.zeros(3), to=wrong)
    with pytest.raises(ValueError, match="`to` is not contiguous"):
        cuda.to_device(np.zeros(3), to=device[::2])
    with pytest.raises(ValueError, match=r"contiguous, found shape \(3,\) with strides \(16,\)"):
        cuda.to_device(np.zeros(6)[::2])
    broadcast = np.broadcast_to(np.arange(3.0), (2, 3))
    assert np.array_equal(cuda.to_device(broadcast).copy_to_host(), broadcast)


@pytest.mark.parametrize(
    ("attempt", "text"),
    [
        (lambda: cuda.to_device(None), "type NoneType, of which NumPy makes an array of dtype object"),
        (lambda: cuda.to_device("text"), "type str, of which NumPy makes an array of dtype <U4"),
        (lambda: cuda.device_array_like("a"), "expected an array, found 'a' of type str"),
        (lambda: cuda.device_array_like(None), "expected an array, found None of type NoneType"),
        (lambda: cuda.device_array_like(3), "expected an array, found 3 of type int"),
        (lambda: cuda.mapped_array_like([1.5]), r"expected an array, found \[1.5\] of type list"),
    ],
)
def test_messages_about_arrays_are_not_about_kernels(attempt, text):
    with pytest.raises(TypeError, match=text) as caught:
        attempt()
    assert "kernel" not in str(caught.value)


def test_masked_arrays_are_refused_as_launches_refuse_them():
    masked = np.ma.masked_array([1.0, -999.0, 3.0], [False, True, False])
    device = cuda.to_device(np.zeros(3))
    for attempt in (
        lambda: cuda.to_device(masked),
        lambda: cuda.to_device(masked, to=device),
        lambda: device.copy_to_device(masked),
        lambda: device.__setitem__(..., masked),
        lambda: cuda.device_array_like(masked),
        lambda: spoil[1, 1](masked),
    ):
        with pytest.raises(TypeError, match=r"masked arrays are not supported: pass \.filled"):
            attempt()
    assert device.copy_to_host().tolist() == [0, 0, 0]
    assert cuda.to_device(masked.filled(5)).copy_to_host().tolist() == [1, 5, 3]


def test_assigned_values_have_no_more_dimensions_than_what_they_are_assigned_to():
    device = cuda.to_device(np.zeros((4, 6)))
    for value in (np.ones((1, 6)), cuda.to_device(np.ones((1, 6)))):
        with pytest.raises(ValueError, match=r"at most 1 dimensions, found shape \(1, 6\)"):
            device[0] = value
    device[0] = np.ones(6)
    device[:2] = np.ones(6)
    assert device.copy_to_host().sum() == 12


def test_messages_name_shapes_and_types():
    device = cuda.device_array((2, 3))
    with pytest.raises(ValueError, match=r"the device's \(2, 3\), the other one \(3,\)"):
        device.copy_to_host(np.zeros(3))
    with pytest.raises(TypeError, match=r"the device's float64, the other one float32; convert it with astype"):
        device.copy_to_host(np.zeros((2, 3), np.float32))


@pytest.mark.parametrize("value", [-0.5, float("nan")])
def test_ratios_are_numbers_from_zero_on(value):
    with pytest.raises(ValueError, match="from 0 on"):
        cuda.current_context().deallocations.max_pending_ratio = value


def test_counts_are_integers():
    with pytest.raises(TypeError):
        cuda.current_context().deallocations.max_pending_count = 1.5


@pytest.mark.parametrize("text", ["-0.5", "nan"])
def test_ratios_of_the_environment_are_checked(run_python, text):
    code = """
from treadle import cuda, errors
try:
    cuda.device_array(3)
except Exception as error:
    print(type(error).__name__, error)
"""
    printed = run_python(code, TREADLE_MAX_PENDING_DEALLOCS_RATIO=text)
    assert "TREADLE_MAX_PENDING_DEALLOCS_RATIO" in printed and text in printed


def test_closing_inside_of_a_selected_device():
    with cuda.gpus[0]:
        cuda.close()
    with pytest.raises(RuntimeError, match="was not pushed last"):
        cuda.current_context().pop()
    assert cuda.get_current_device().id == 0


def test_whatever_a_callback_raises_the_next_one_is_called(run_python):
    code = """
import sys, warnings
from treadle import cuda
warnings.simplefilter("error")
sys.stderr = sys.stdout
stream, called = cuda.stream(), []
def fails(stream, status, arg):
    raise arg
for error in (SystemExit(3), KeyboardInterrupt(), ValueError("no")):
    stream.add_callback(fails, error)
stream.add_callback(lambda *_: called.append(1))
stream.synchronize()
import time
deadline = time.monotonic() + 60
while not called and time.monotonic() < deadline:
    time.sleep(0.01)
print(called)
"""
    *warned, called = run_python(code).splitlines()
    assert called == "[1]"
    assert [line.partition(" raised ")[2] for line in warned] == [
        "SystemExit(3)",
        "KeyboardInterrupt()",
        "ValueError('no')",
    ]


def test_pinned_memory_of_others():
    context = cuda.current_context()
    owner = np.arange(16, dtype=np.uint8)
    pinned = context.mempin(owner, owner.ctypes.data, owner.nbytes)
    assert pinned.tolist() == list(range(16))
    part = pinned[4:8]
    del pinned
    with pytest.raises(errors.CudaAPIError, match="pinned already"), cuda.pinned(owner):
        pass
    assert part.tolist() == [4, 5, 6, 7]
    del part
    gc.collect()
    with cuda.pinned(owner):
        pass
    with pytest.raises(ValueError, match="size must not be negative, found -1"):
        context.mempin(owner, owner.ctypes.data, -1)


def test_numbers_of_streams_and_devices():
    for wrong in ("x", 1.5, None):
        for call in (cuda.external_stream, cuda.select_device, cuda.gpus.__getitem__):
            with pytest.raises(TypeError):
                call(wrong)
    stream = cuda.stream()
    assert cuda.external_stream(np.int64(stream.handle)) == stream
    with pytest.raises(TypeError, match="expected an event, found None"):
        cuda.event().elapsed_time(None)


TWO = """
import numpy as np
import pytest
from treadle import cuda, errors

of_first, event_of_first = cuda.stream(), cuda.event()
on_first = cuda.to_device(np.zeros(3))
event_of_first.record(of_first)
with cuda.gpus[1]:
    on_second, event = cuda.to_device(np.zeros(3)), cuda.event()
    event.record()
    event.synchronize()
    for wrong in (
        lambda: cuda.device_array(3, stream=of_first),
        lambda: cuda.device_array_like(on_second, stream=of_first),
        lambda: cuda.mapped_array(3, stream=of_first),
        lambda: cuda.managed_array(3, stream=of_first),
        lambda: cuda.mapped(np.zeros(3), stream=of_first).__enter__(),
        lambda: cuda.to_device(np.zeros(3), stream=of_first),
        lambda: on_second.setitem(0, 1, of_first),
        lambda: on_second.getitem(0, of_first),
        lambda: on_second.bind(of_first),
        lambda: on_second.copy_to_host(stream=of_first),
        lambda: event.record(of_first),
        lambda: event_of_first.record(),
        lambda: event_of_first.record(cuda.default_stream()),  # of the second, which is selected
    ):
        with pytest.raises(ValueError, match="device"):
            wrong()
    event.wait(of_first)  # streams of any device may wait for any event
    with pytest.raises(errors.CudaAPIError, match="devices 1 and 0"):
        event.elapsed_time(event_of_first)
    on_first.copy_to_device(np.ones(3), stream=of_first)
of_first.synchronize()
assert on_first.copy_to_host().tolist() == [1, 1, 1]
print("done")
"""


def test_streams_and_events_of_another_device(run_python):
    assert run_python(TWO, TREADLE_CPU_DEVICES="2") == "done\n"
