"""Signals in the middle of a copy that the main thread makes."""


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
calls = 0
def handler(*_):
    global calls, refused
    if calls == 2 or not is_partly_copied():
        return
    calls += 1
    if calls == 2:
        raise KeyboardInterrupt
    try:
        device.copy_to_host()
    except RuntimeError as error:
        refused = error
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
