"""Signals in the middle of a copy that the main thread makes, or of one before a copy is queued."""


def test_a_handler_in_the_middle_of_a_copy(run_python):
    """The first call returns, as asyncio's handler does, and the copy goes on; the second raises, and ends it."""
    program = """
import ctypes, signal
import numpy as np
from treadle import cuda

shape = 8192, 8192
source, zeros = np.ones(shape, np.uint8).T, np.zeros(shape, np.uint8)
device = cuda.to_device(zeros)
seen = (ctypes.c_uint8 * source.size).from_address(device.device_ctypes_pointer.value)
def is_partly_copied():
    return seen[0] == 1 and seen[source.size - 1] == 0
calls, is_inside = 0, False
def handler(*_):
    global calls, is_inside, refused
    if is_inside or calls == 2 or not is_partly_copied():
        return # on a slow machine the second signal comes while the first is handled
    calls += 1
    if calls == 2:
        raise KeyboardInterrupt
    is_inside = True
    try:
        device.copy_to_host()
    except RuntimeError as error:
        refused = error
    is_inside = False
signal.signal(signal.SIGALRM, handler)
for attempt in range(100): # until two signals come in the middle
    device.copy_to_device(zeros)
    calls = 0
    signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
    try:
        device.copy_to_device(source)
        assert seen[source.size - 1] == 1
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
        print("interrupted", calls, is_partly_copied())
        print(refused)
        break
signal.setitimer(signal.ITIMER_REAL, 0)
cuda.synchronize()
device.copy_to_device(source)
assert device.copy_to_host().all()
"""
    text = (
        "interrupted 2 True\na signal handler was called in the middle of a kernel or a copy that this thread runs: it "
        "cannot use the device before that has ended; raise an exception to end it, or set a flag\n"
    )
    assert run_python(program) == text


def test_an_interrupt_before_a_copy_is_queued(run_python):
    """A busy stream copies what the host had at the call, from memory into which the call itself has copied it."""
    program = """
import signal, time
import numpy as np
from treadle import cuda

@cuda.jit
def wait_for(flag):
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass

source = np.ones((16384, 8192), np.uint8).T
device = cuda.to_device(np.zeros(source.shape, np.uint8))
stream = cuda.stream()
flag = cuda.mapped_array(1, np.int32)
signal.signal(signal.SIGALRM, signal.default_int_handler)
def copy(target, source, delay):
    flag[0] = 0
    wait_for[1, 1, stream](flag)
    begin = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, delay)
    try:
        target.copy_to_device(source, stream=stream)
        assert delay == 0
    except KeyboardInterrupt:
        assert delay > 0
    seconds = time.monotonic() - begin
    flag[0] = 1
    stream.synchronize()
    return seconds
whole = copy(device, source, 0)
assert device.copy_to_host().all()
device.copy_to_device(np.zeros(source.shape, np.uint8))
copy(device, source, whole / 8)
print("queued", device.copy_to_host().any())
copy(device[:4], source[:4], 0)
print(device.copy_to_host().sum())
"""
    assert run_python(program) == "queued False\n65536\n"
