"""Children made by fork while threads of the parent compile, allocate and use streams."""

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
for number in range(25):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
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


def test_children_work_whatever_threads_of_the_parent_do(run_python):
    assert run_python(PROGRAM, timeout=300) == "failed: []\n"
