"""Ctrl-C ends whatever Treadle waits for or runs, and raises KeyboardInterrupt once."""

import signal
import time

import pytest
from interrupts import run

CASES = {
    "one block": """
interrupt_soon()
try:
    spin[1, 32](flag)
except KeyboardInterrupt:
    print("interrupted")
works()
""",
    "many blocks on the workers": """
interrupt_soon()
try:
    spin[1000, 32](flag)
except KeyboardInterrupt:
    print("interrupted")
works()
""",
    "a long loop": """
interrupt_soon()
out = np.zeros(64, np.int64)
try:
    count[2, 32](out, 10**14)
except KeyboardInterrupt:
    print("interrupted")
works()
""",
    "a launch of many short blocks": """
interrupt_soon()
try:
    count[2**20, 1024](np.zeros(2**30, np.int8), 3000)
except KeyboardInterrupt:
    print("interrupted")
works()
""",
    "again and again": """
for i in range(5):
    interrupt_soon(0.1)
    try:
        spin[2, 32](flag)
    except KeyboardInterrupt:
        print("interrupted", i) if i else print("interrupted")
    works()
""",
    "a handler of the user's that raises": """
class Stop(Exception):
    pass
def handler(*_):
    raise Stop
signal.signal(signal.SIGINT, handler)
interrupt_soon()
try:
    spin[1, 32](flag)
except Stop:
    print("interrupted")
works()
""",
    "faulthandler enabled afterwards": """
interrupt_soon()
try:
    spin[1, 32](flag)
except KeyboardInterrupt:
    pass
faulthandler.enable()
interrupt_soon()
try:
    spin[1, 32](flag)
except KeyboardInterrupt:
    print("interrupted")
works()
""",
    "another thread launches, and this one waits for the device": """
result = []
def work():
    try:
        spin[2, 32](flag)
    except KeyboardInterrupt:
        result.append("interrupted")
thread = threading.Thread(target=work)
thread.start()
interrupt_soon()
try:
    while True:
        cuda.synchronize() # until the thread has begun
except KeyboardInterrupt:
    pass
thread.join()
print(*result)
works()
""",
    "barriers where threads part": """
@cuda.jit
def part(flag):
    if cuda.threadIdx.x % 3 == 0:
        cuda.syncthreads()
        while flag[1] == 0:
            flag[2] += 1
    cuda.syncthreads()

interrupt_soon()
try:
    part[2, 64](np.zeros(3, np.int32))
except KeyboardInterrupt:
    print("interrupted")
works()
""",
    "a grid that synchronises": """
@cuda.jit
def meet(flag):
    grid = cuda.cg.this_grid()
    while flag[0] == 0:
        grid.sync()

interrupt_soon()
try:
    meet[4, 32](flag)
except KeyboardInterrupt:
    print("interrupted")
works()
""",
    "a wait for a stream": """
stream = cuda.stream()
device_flag = cuda.to_device(flag)
spin[1, 32, stream](device_flag)
interrupt_soon()
try:
    stream.synchronize()
except KeyboardInterrupt:
    print("interrupted")
stream.synchronize()
works()
""",
    "a wait for an event": """
stream = cuda.stream()
device_flag = cuda.to_device(flag)
spin[1, 32, stream](device_flag)
event = cuda.event()
event.record(stream)
interrupt_soon()
try:
    event.synchronize()
except KeyboardInterrupt:
    print("interrupted")
event.synchronize()
works()
""",
    "a copy after a kernel": """
stream = cuda.stream()
device_flag = cuda.to_device(flag)
spin[1, 32, stream](device_flag)
interrupt_soon()
try:
    device_flag.copy_to_host(stream=stream)
except KeyboardInterrupt:
    print("interrupted")
cuda.synchronize()
assert device_flag.copy_to_host()[0] == 0
works()
""",
    "a launch after a stream's kernel": """
stream = cuda.stream()
device_flag = cuda.to_device(flag)
spin[1, 32, stream](device_flag)
interrupt_soon()
try:
    works()
except KeyboardInterrupt:
    print("interrupted")
works()
""",
    "a kernel after one of a stream that nobody waits for": """
first, second = cuda.stream(nonblocking=True), cuda.stream(nonblocking=True)
device_flag = cuda.to_device(flag)
spin[1, 32, first](device_flag)
event = cuda.event()
event.record(first)
event.wait(second)
spin[1, 32, second](device_flag)
interrupt_soon()
try:
    second.synchronize()
except KeyboardInterrupt:
    print("interrupted")
cuda.synchronize()
works()
""",
    "a wait, after the handler was set anew while the kernel ran": """
stream = cuda.stream()
device_flag = cuda.to_device(flag)
spin[1, 32, stream](device_flag)
signal.signal(signal.SIGINT, signal.default_int_handler)
interrupt_soon()
try:
    stream.synchronize()
except KeyboardInterrupt:
    print("interrupted")
works()
""",
    "a compilation": """
# Straight code: nearly all of the time is LLVM's.
text = "@cuda.jit\\ndef large(x):\\n    y = x[0]\\n"
for i in range(8000):
    text += f"    y = (y * {i}.5) ** 0.3 + x[0]\\n"
scope = {"cuda": cuda}
exec(text + "    x[1] = 1 + y\\n", scope)
data = np.zeros(2)
interrupt_soon()
try:
    scope["large"][1, 1](data)
except KeyboardInterrupt:
    print("interrupted")
assert data[1] == 0, "the compilation was not ended: the kernel has run"
works()
""",
    "a look at what a name means": """
asked = []
class Constants:
    one = 1
    def __getattr__(self, name):
        if not asked:
            asked.append(name)
            signal.raise_signal(signal.SIGINT)
        raise AttributeError(name)
constants = Constants()

@cuda.jit
def use(out):
    out[0] = constants.one

out = np.zeros(1)
try:
    use[1, 1](out)
except KeyboardInterrupt:
    print("interrupted")
assert asked and out[0] == 0
use[1, 1](out)
assert out[0] == 1
works()
""",
    "a child of a fork, made while a kernel ran": """
stream = cuda.stream()
device_flag = cuda.to_device(flag)
spin[1, 32, stream](device_flag)
thread = threading.Thread(target=spin[1, 32], args=(flag,), daemon=True)
thread.start()
time.sleep(0.1) # so that it most likely runs
import warnings
warnings.simplefilter("ignore")  # Python's own, about forks with threads
child = os.fork()
if child:
    _, status = os.waitpid(child, 0)
    os._exit(os.waitstatus_to_exitcode(status))
interrupt_soon()
mine = np.zeros(1, np.int32)
try:
    spin[1, 32](mine)
except KeyboardInterrupt:
    print("interrupted", flush=True)
works()
os._exit(0)
""",
}


@pytest.mark.parametrize("case", CASES)
def test_interrupt(case):
    code, out, err = run(CASES[case])
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "interrupted"


def test_uncaught_interrupt_ends_the_program():
    code, _, err = run("interrupt_soon()\nspin[1, 32](flag)\n")
    assert code in (130, -signal.SIGINT)
    assert "KeyboardInterrupt" in err


def test_default_action_kills():
    code, _, _ = run("signal.signal(signal.SIGINT, signal.SIG_DFL)\ninterrupt_soon()\nspin[1, 32](flag)\n")
    assert code == -signal.SIGINT


def test_ignored_interrupts_stay_ignored():
    program = """
signal.signal(signal.SIGINT, signal.SIG_IGN)
interrupt_soon(0.1)
threading.Timer(0.5, flag.__setitem__, (0, 1)).start()
spin[1, 32](flag)
print("ended by itself")
"""
    assert run(program) == (0, "ended by itself\n", "")


def test_no_handler_of_a_signal_is_ours():
    program = """
def caught():
    return [line for line in open("/proc/self/status") if line.startswith(("SigIgn", "SigCgt"))]
before = caught()
stream = cuda.stream()
works()
spin[1, 32, stream](cuda.to_device(np.ones(1, np.int32)))
stream.synchronize()
assert caught() == before
print("none")
"""
    assert run(program) == (0, "none\n", "")


def test_a_kernel_that_was_short_lets_other_threads_run_once_it_lasts():
    program = """
flag[0] = 1
for _ in range(10):
    spin[1, 32](flag)
flag[0] = 0
started = threading.Event()
def end():
    started.wait()
    for _ in range(1000): # Python code, which needs the GIL
        time.sleep(0)
    flag[0] = 1
threading.Thread(target=end).start()
started.set()
spin[1, 32](flag)
print("ended")
"""
    assert run(program) == (0, "ended\n", "")


def test_interrupt_outside_of_kernels_is_pythons_own():
    program = """
flag[0] = 1
spin[1, 32](flag)
interrupt_soon(0.1)
try:
    time.sleep(10)
except KeyboardInterrupt:
    print("python")
works()
"""
    started = time.monotonic()
    assert run(program) == (0, "python\n", "")
    assert time.monotonic() - started < 10


def test_faults_that_are_not_ours_still_kill():
    program = """
interrupt_soon()
try:
    spin[1, 32](flag)
except KeyboardInterrupt:
    pass
import ctypes
ctypes.string_at(8)
"""
    code, _, _ = run(program)
    assert code == -signal.SIGSEGV
