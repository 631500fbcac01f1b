"""Forked children of processes whose threads compile, allocate and use streams."""

import os

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")

PROGRAM = """
import multiprocessing, os, signal, sys, threading, warnings
import numpy as np
from treadle import cuda

warnings.simplefilter("ignore")  # Python's own, about forks with threads

def work(number):
    @cuda.jit
    def kernel(a):
        a[0] += number
    array, stream = cuda.to_device(np.zeros(3)), cuda.stream()
    kernel[1, 1, stream](array)
    kernel[1, 1](array)
    return float(array.copy_to_host()[0])

@cuda.jit
def shared(a):
    a[0] += 1

@cuda.jit
def slow_to_compile(a):
    for i in range(a.size):
        a[i] = (a[i] * 3 + 1) // 2 + (a[i] % 7) ** 2

ends = threading.Event()

def compile_all_the_time():
    number = 0
    while not ends.is_set():
        scope = {"cuda": cuda, "np": np}
        exec(f"@cuda.jit\\ndef kernel(a):\\n    a[0] = {number}\\nkernel[1, 1](np.zeros(2))", scope)
        slow_to_compile.recompile()
        slow_to_compile[1, 1](np.zeros(3, np.int64))
        number += 1

def allocate_all_the_time():
    stream = cuda.stream()
    while not ends.is_set():
        array = cuda.device_array(100)
        shared[1, 1, stream](array)
        del array

# Python's own locks of modules that are being imported stay closed in a child, so nothing may be left to import.
work(0)
slow_to_compile[1, 1](np.zeros(3, np.int64))
slow_to_compile.recompile()
threads = [threading.Thread(target=f) for f in (compile_all_the_time, allocate_all_the_time)]
for thread in threads:
    thread.start()
held = [cuda.to_device(np.ones(100)) for _ in range(5)]
failed = []
for number in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            assert work(number) == 2 * number
            assert held[0].copy_to_host().sum() == 100
            slow_to_compile[1, 1](np.zeros(3, np.int64))  # which the parent may be compiling
            held.clear()
            os._exit(0)
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    if status:
        failed.append((number, status))
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(work, range(4)) == [0, 2, 4, 6]
ends.set()
for thread in threads:
    thread.join()
print("failed:", failed)
"""


def test_children_work_whatever_threads_of_the_parent_do(run_python, is_sanitized, fork_options):
    # A fork waits for running compilations, which take seconds under the sanitizer on a busy machine.
    assert run_python(PROGRAM, "8" if is_sanitized else "25", timeout=300, **fork_options) == "failed: []\n"


# A kernel on a stream that runs until the parent releases it, and a child that waits for it in every possible way.
WAITING = """
import os, signal, sys, warnings
import numpy as np
from treadle import cuda

warnings.simplefilter("ignore")

@cuda.jit
def spin(flag, x):
    while flag[0] == 0:
        cuda.threadfence_system()
    x[0] = 1

@cuda.jit
def add(x):
    x[0] += 1

flag = cuda.mapped_array(1, np.int32)
flag[0] = 1
stream, x, moment = cuda.stream(), cuda.to_device(np.zeros(4)), cuda.event()
spin[1, 1, stream](flag, x)
stream.synchronize()
flag[0] = 0
spin[1, 1, stream](flag, x)
moment.record(stream)
waits = {
    "event": moment.synchronize,
    "stream": stream.synchronize,
    "device": cuda.synchronize,
    "host_view": lambda: x.host_view(),
    "asarray": lambda: np.asarray(x),
    "element": lambda: x[0],
    "assignment": lambda: x.__setitem__(0, 5),
    "copy": lambda: x.copy_to_host(stream=stream),
    "default": lambda: add[1, 1](x),
    "reset": cuda.current_context().reset,
}
for name, wait in waits.items():
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        wait()
        os._exit(0)
    if status := os.waitpid(child, 0)[1]:
        print(name, status)
flag[0] = 1
stream.synchronize()
print(x.copy_to_host()[0])
"""


def test_a_child_does_not_wait_for_work_of_its_parent(run_python):
    assert run_python(WAITING, timeout=300) == "1.0\n"


# The parent's callback thread is waiting for the next callback when the process forks.
CALLBACKS = """
import os, signal, sys, threading, warnings
from treadle import cuda

warnings.simplefilter("ignore")

def call_back():
    called = threading.Event()
    cuda.stream().add_callback(lambda *_: called.set())
    assert called.wait(20)

for _ in range(int(sys.argv[1])):
    call_back()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        for _ in range(3):
            call_back()
        os._exit(0)
    if status := os.waitpid(child, 0)[1]:
        print(status)
"""


def test_a_child_has_its_own_callbacks(run_python):
    assert run_python(CALLBACKS, "5", timeout=300) == ""


# Callbacks that are pending on the parent's streams run in the parent only.
PENDING = """
import os, signal, threading, time, warnings
from treadle import cuda

warnings.simplefilter("ignore")
begun, goes_on = threading.Event(), threading.Event()
stream, calls = cuda.stream(), []

def first(*_):
    begun.set()
    goes_on.wait(20)

stream.add_callback(first)
begun.wait(20)
stream.add_callback(lambda *_: calls.append(os.getpid()))
stream.synchronize()
child = os.fork()
if child == 0:
    signal.alarm(20)
    called = threading.Event()
    cuda.stream().add_callback(lambda *_: called.set())
    called.wait(10)
    os._exit(len(calls))
assert os.waitpid(child, 0)[1] == 0
goes_on.set()
called = threading.Event()
stream.add_callback(lambda *_: called.set())
called.wait(20)
assert calls == [os.getpid()]
"""


def test_callbacks_of_the_parent_are_called_there_only(run_python):
    assert run_python(PENDING, timeout=120) == ""


# Copies release the GIL while they run, on the calling thread.
COPIES = """
import os, signal, sys, threading, warnings
import numpy as np
from treadle import cuda

warnings.simplefilter("ignore")

@cuda.jit
def increment(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1

def copy():
    device, host = cuda.to_device(np.zeros(10_000)), np.ones(10_000)
    while not ends.is_set():
        device.copy_to_host()
        device.copy_to_device(host)
        device[3] = 1

increment[1, 1](np.zeros(1))
ends = threading.Event()
threads = [threading.Thread(target=copy) for _ in range(3)]
for thread in threads:
    thread.start()
for number in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        increment[200, 256](np.zeros(50_000))
        os._exit(0)
    if status := os.waitpid(child, 0)[1]:
        print(number, status)
ends.set()
for thread in threads:
    thread.join()
"""


def test_children_launch_while_their_parent_copies(run_python):
    assert run_python(COPIES, "200", timeout=300) == ""


@pytest.mark.deep
def test_children_launch_and_call_back_at_every_moment(run_python):
    assert run_python(COPIES, "5000", timeout=900) == ""
    assert run_python(CALLBACKS, "500", timeout=900) == ""
