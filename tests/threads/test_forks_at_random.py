"""What other threads of a parent were in the middle of when it forked is none of its child's business: the child can do
all that the parent could."""

import os

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")

HEAD = """
import io, os, pickle, random, signal, sys, threading, time, traceback, warnings
import numpy as np
import treadle
from treadle import cuda
from treadle.cuda.cudadrv import driver

warnings.simplefilter("ignore")  # Python's own, about forks with threads


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit
def count(x, turns):
    for _ in range(turns):
        x[0] += 1


def in_child(work):
    # Its exit status. A child that hangs is ended by its alarm.
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(90)
        try:
            work()
            os._exit(0)
        except BaseException:
            os.write(2, traceback.format_exc().encode())
            os._exit(1)
    return os.waitpid(child, 0)[1]


def while_another_thread(begins):
    # Runs `begins(begun, end)` on a thread, and returns once it has set `begun`.
    begun, end = threading.Event(), threading.Event()
    thread = threading.Thread(target=begins, args=(begun, end))
    thread.start()
    assert begun.wait(60)
    return lambda: (end.set(), thread.join())
"""

CAPTURING = """
x = cuda.to_device(np.zeros(8))
add[1, 8](x, 1)
place = cuda.event()

def capture(begun, end):
    with cuda.graph() as graph:
        add[1, 8](x, 1)
        place.record(graph.stream)
        begun.set()
        end.wait(60)

def work():
    add[1, 8](y, 1)
    cuda.synchronize()
    assert y.copy_to_host()[0] == 1
    with cuda.graph() as own:
        add[1, 8](y, 1)
    own.replay()
    cuda.synchronize()
    assert y.copy_to_host()[0] == 2
    try:
        place.wait(cuda.stream())
    except driver.CudaAPIError as error:
        assert error.code == 907, error
    else:
        raise AssertionError("a place in a graph that nobody captures was waited for")

y = cuda.to_device(np.zeros(8))
finish = while_another_thread(capture)
print(in_child(work))
finish()
"""

# Replays hold the graph's lock while they run.
REPLAYING = """
x = cuda.to_device(np.zeros(8))
with cuda.graph() as graph:
    count[1, 1](x, 30_000_000)
    add[1, 8](x, 1)
side = cuda.stream(nonblocking=True)
graph.replay(side)
side.synchronize()
failed = 0
for _ in range(8):
    graph.replay(side)
    time.sleep(0.005)
    failed += in_child(lambda: (graph.replay(), cuda.synchronize()))
    side.synchronize()
print(failed)
"""

TRACING = """
def work(begun, end):
    stream, y = cuda.stream(), cuda.to_device(np.zeros(100))
    begun.set()
    while not end.is_set():
        add[1, 128, stream](y, 1)
        y.copy_to_host()

def record():
    y = cuda.to_device(np.zeros(8))
    with treadle.trace(os.devnull):
        add[1, 8](y, 1)

record()
finish = [while_another_thread(work) for _ in range(3)]
trace = treadle.trace(os.devnull).start()
print(sum(in_child(record) for _ in range(60)))
for end in finish:
    end()
trace.stop()
"""

PICKLING = """
def made(n):
    @cuda.jit("void(float64[:])")
    def add_n(x):
        x[0] += n
    return add_n

sent = pickle.dumps(made(1))

def work(begun, end):
    begun.set()
    while not end.is_set():
        kernel = made(random.randrange(10**9))
        restored = pickle.loads(pickle.dumps(kernel))  # and compiled, as it has a signature

def restore():
    y = np.zeros(1)
    pickle.loads(sent)[1, 1](y)
    assert y[0] == 1

restore()
work(threading.Event(), type("End", (), {"is_set": iter([False, True]).__next__})())
finish = [while_another_thread(work) for _ in range(2)]
print(sum(in_child(restore) for _ in range(25)))
for end in finish:
    end()
"""

# A thread of the parent is in the middle of restoring the very kernel that the child wants.
RESTORING = """
from treadle.kernels import travel

@cuda.jit("void(float64[:])")
def add_one(x):
    x[0] += 1

sent, Kernel = pickle.dumps(add_one), type(add_one)
del add_one, travel._known
travel._known = {}
plain = Kernel._finish

def slowly(kernel, state):
    if threading.current_thread() is not threading.main_thread():
        begun.set()
        end.wait(60)
    return plain(kernel, state)

def restore_slowly(told, over):
    global begun, end
    begun, end = told, over
    pickle.loads(sent)

def work():
    y, kernel = np.zeros(1), pickle.loads(sent)
    assert len(kernel.signatures) == 1, kernel.signatures
    kernel[1, 1](y)
    assert y[0] == 1

Kernel._finish = slowly
finish = while_another_thread(restore_slowly)
print(in_child(work))
finish()
"""

# The other way round: the main thread is in a handler of a signal, which came in the middle of a kernel.
HANDLING = """
inside, forked, statuses = threading.Event(), threading.Event(), []

def handler(*_):
    inside.set()
    forked.wait(60)

def work():
    y = np.zeros(1)
    count[1, 1](y, 5)
    assert y[0] == 5

def fork():
    inside.wait(60)
    statuses.append(in_child(work))
    forked.set()

x = np.zeros(1)
count[1, 1](x, 1)
signal.signal(signal.SIGVTALRM, handler)
thread = threading.Thread(target=fork)
thread.start()
signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)
while not inside.is_set():
    count[1, 1](x, 10**8)
thread.join()
print(sum(statuses))
"""


PROGRAMS = {
    "captures": CAPTURING,
    "replays": REPLAYING,
    "traces": TRACING,
    "pickles": PICKLING,
    "restores a kernel": RESTORING,
    "handles a signal": HANDLING,
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_a_child_of_a_parent_whose_thread(what, run_python, fork_options):
    assert run_python(HEAD + PROGRAMS[what], timeout=300, **fork_options) == "0\n"


# A handler that forks itself is in the middle of its kernel in the child as well. The kernel takes a second of
# processor time at least, so that the signal comes in the middle of the first launch on any machine.
HANDLER_FORKS = """
texts = []

def work():
    try:
        add[1, 1](np.zeros(1), 1)
    except RuntimeError as error:
        texts.append(str(error))
    assert "a signal handler was called in the middle of a kernel" in texts[0], texts

def handler(*_):
    global status
    status = in_child(work)

x, status = np.zeros(1), None
count[1, 1](x, 1)
signal.signal(signal.SIGVTALRM, handler)
signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)
while status is None:
    count[1, 1](x, 10**9)
print(status)
"""


def test_a_child_that_a_signal_handler_forks_is_in_the_middle_of_its_kernel(run_python, fork_options):
    assert run_python(HEAD + HANDLER_FORKS, timeout=300, **fork_options) == "0\n"


RANDOM = """
seed, forks = int(sys.argv[1]), int(sys.argv[2])
sys.stdout, told = io.StringIO(), sys.stdout
shared = cuda.to_device(np.zeros(1000))
with cuda.graph() as shared_graph:
    add[8, 128](shared, 1)
    add[8, 128](shared, 1)
exported = cuda.to_device(np.arange(100.0)).get_ipc_handle()
sent = pickle.dumps(exported)
is_child = False


@cuda.jit
def show(x):
    print("element", x[0])


def launch(chance):
    y = cuda.to_device(np.zeros(chance.choice([10, 100_000])))
    for _ in range(4):
        add[800, 128](y, 1)
    assert y.copy_to_host()[3] == 4


def launch_on_streams(chance):
    streams = [cuda.stream(), cuda.stream(nonblocking=True)]
    y, moment = cuda.device_array(1000, stream=streams[0]), cuda.event()
    for stream in streams:
        add[8, 128, stream](y, 1)
        moment.record(stream)
        moment.wait(streams[1])
    streams[1].synchronize()


def launch_on_host_arrays(chance):
    y = np.zeros(50_000)
    add[400, 128](y, 1)
    assert y[-1] == 1


def compile_one(chance):
    scope = {"cuda": cuda}
    exec(f"@cuda.jit\\ndef kernel(x):\\n    x[0] += {chance.randrange(10**9)}", scope)
    scope["kernel"][1, 1](np.zeros(2))


def recompile(chance):
    add.recompile()
    launch_on_host_arrays(chance)


def travel(chance):
    number = chance.randrange(10**9)

    @cuda.jit
    def kernel(x):
        x[0] += number

    y = np.zeros(1)
    pickle.loads(pickle.dumps(kernel))[1, 1](y)
    assert y[0] == number


def trace(chance):
    try:
        with treadle.trace(os.devnull):
            launch(chance)
    except RuntimeError as error:  # one at a time
        assert not is_child and "a trace is being recorded" in str(error), error


def capture(chance):
    y = cuda.to_device(np.zeros(1000))
    with cuda.graph() as graph:
        add[8, 128](y, 1)
        temporary = cuda.device_array(1000)
        add[8, 128](temporary, 1)
        del temporary
    graph.replay()
    assert y.copy_to_host()[0] == 1


def replay(chance):
    stream = cuda.stream()
    shared_graph.replay(stream)
    stream.synchronize()


def export(chance):
    cuda.to_device(np.zeros(chance.choice([10, 5000]))).get_ipc_handle()
    if is_child:
        with pickle.loads(sent) as y:
            assert y.copy_to_host()[99] == 99


def show_elements(chance):
    show[1, 1](cuda.to_device(np.zeros(1)))


def call_back(chance):
    called, stream = threading.Event(), cuda.stream()
    add[8, 128, stream](shared, 1)
    stream.add_callback(lambda *_: called.set())
    assert called.wait(80)


def map_arrays(chance):
    y = np.zeros(1000)
    with cuda.mapped(y) as device, cuda.pinned(np.zeros(10)):
        add[8, 128](device, 1)
    assert y[0] == 1


def exchange(chance):
    y = cuda.to_device(np.arange(6.0))
    assert np.from_dlpack(y).sum() == 15 and cuda.as_cuda_array(y).copy_to_host().sum() == 15


def wait(chance):
    try:
        cuda.synchronize()
    except driver.CudaAPIError as error:  # another thread captures
        assert not is_child and error.code == 900, error


ACTIONS = [launch, launch_on_streams, launch_on_host_arrays, compile_one, recompile, travel, trace, capture, replay,
           export, show_elements, call_back, map_arrays, exchange, wait]


def all_of_them(seed):
    global is_child
    is_child = True
    chance = random.Random(seed)
    for action in chance.sample(ACTIONS, len(ACTIONS)):
        try:
            action(chance)
        except BaseException as error:
            raise AssertionError(f"seed {seed}: {action.__name__}") from error


def work(seed):
    chance = random.Random(seed)
    while not ended.is_set():
        action = chance.choice(ACTIONS)
        try:
            action(chance)
        except BaseException:
            failures.append(f"seed {seed}: {action.__name__}: {traceback.format_exc()}")
            return


def fork_all():
    for number in range(forks):
        time.sleep(random.Random(seed + number).random() * 0.02)
        if status := in_child(lambda: all_of_them(seed * 1000 + number)):
            failures.append(f"seed {seed}: child {number} ended with {status}")
    ended.set()


# Python's own locks of modules that are being imported stay closed in a child, so nothing may be left to import.
for action in ACTIONS:
    action(random.Random(seed))
ended, failures = threading.Event(), []
threads = [threading.Thread(target=work, args=(seed + number,)) for number in range(3)]
if seed % 2:  # the main thread is in kernels and handlers of signals while another one forks
    signal.signal(signal.SIGVTALRM, lambda *_: time.sleep(0.001))
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.01, 0.01)
    threads.append(threading.Thread(target=fork_all))
for thread in threads:
    thread.start()
if seed % 2:
    x = np.zeros(1)
    while not ended.is_set():
        count[1, 1](x, 10**7)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
else:
    fork_all()
for thread in threads:
    thread.join()
told.write("\\n".join(failures))
told.flush()
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_children_of_busy_parents_do_everything(seed, run_python, fork_options, is_sanitized):
    assert run_python(HEAD + RANDOM, str(seed), "4" if is_sanitized else "16", timeout=500, **fork_options) == ""


@pytest.mark.share(every=4)
@pytest.mark.deep
@pytest.mark.parametrize("seed", range(11, 19))
def test_children_of_busy_parents_do_everything_often(seed, run_python, fork_options, is_sanitized):
    assert run_python(HEAD + RANDOM, str(seed), "20" if is_sanitized else "250", timeout=3000, **fork_options) == ""
