"""Python's handlers of signals run while Treadle waits or runs a kernel, and what they may do there."""

import pytest
from interrupts import run

HANDLERS = {
    "while the host waits": """
stream = cuda.stream()
spin[1, 32, stream](cuda.to_device(flag))
signal_soon("TERM")
stream.synchronize()
""",
    "while a kernel runs on this thread": """
signal_soon("TERM")
spin[1, 32](flag)
""",
    "while a kernel runs that was short before": """
flag[0] = 1
for _ in range(3):
    spin[1, 32](flag)
flag[0] = 0
signal_soon("TERM")
spin[1, 32](flag)
""",
}


@pytest.mark.parametrize("case", HANDLERS)
def test_handlers_of_other_signals_run(case):
    program = """
def signal_soon(name):
    subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -{name} {os.getpid()}"])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
"""
    assert run(program + HANDLERS[case]) == (7, "", "")


def test_a_handler_that_returns_lets_the_kernel_go_on():
    program = """
def handler(*_):
    print("handler")
    flag[0] = 1
signal.signal(signal.SIGINT, handler)
interrupt_soon()
spin[1, 32](flag)
print("ended by itself")
"""
    assert run(program) == (0, "handler\nended by itself\n", "")


def test_output_and_the_error_of_a_handler():
    """The output of the kernel that the handler ended is shown, and its exception is raised."""
    program = """
@cuda.jit
def announce(flag):
    print("started")
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass

def handler(*_):
    raise ValueError("mine")
signal.signal(signal.SIGINT, handler)
interrupt_soon()
try:
    announce[1, 1](flag)
except ValueError as error:
    print(error)
"""
    assert run(program) == (0, "started\nmine\n", "")


def test_a_handler_in_the_middle_of_a_kernel_cannot_launch():
    program = """
@cuda.jit
def announce(flag):
    flag[1] = 1
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass

flag = np.zeros(2, np.int32)
def handler(*_):
    try:
        works()
    except RuntimeError as error:
        print(error)
    flag[0] = 1
def send():
    while flag[1] == 0:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, handler)
threading.Thread(target=send).start()
announce[1, 1](flag)
works()
"""
    text = (
        "a signal handler was called in the middle of a kernel or a copy that this thread runs: it cannot use the "
        "device before that has ended; raise an exception to end it, or set a flag\n"
    )
    assert run(program) == (0, text, "")


def test_a_handler_may_launch_while_the_host_waits():
    program = """
stream = cuda.stream(nonblocking=True)
device_flag = cuda.mapped_array(1, np.int32)
device_flag[0] = 0
def handler(*_):
    works()
    print("launched")
    device_flag[0] = 1
signal.signal(signal.SIGINT, handler)
spin[1, 32, stream](device_flag)
interrupt_soon()
stream.synchronize()
"""
    assert run(program) == (0, "launched\n", "")
