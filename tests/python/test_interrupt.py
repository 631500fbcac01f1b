"""Ctrl-C ends kernels, and everything that wants to hear of it does."""

import signal
import subprocess
import sys
import time

import pytest

START = """
import faulthandler, os, signal, subprocess, sys, threading, time
import numpy as np
from treadle import cuda

@cuda.jit
def spin(flag):
    while cuda.atomic.add(flag, 0, 0) == 0:
        pass

@cuda.jit
def count(out, n):
    i = cuda.grid(1)
    x = 0
    for j in range(n):
        x += j ^ i
    out[i] = x

flag = np.zeros(1, np.int32)

def interrupt_soon(after=0.3):
    # From outside, as a terminal does it: whether this process can run Python meanwhile must not matter.
    subprocess.Popen(["sh", "-c", f"sleep {after}; kill -INT {os.getpid()}"])

def works():
    out = np.zeros(64, np.int64)
    count[2, 32](out, 100)
    assert out[5] == sum(j ^ 5 for j in range(100))
"""


def run(code, timeout=30):
    result = subprocess.run([sys.executable, "-c", START + code], capture_output=True, text=True, timeout=timeout)
    return result.returncode, result.stdout, result.stderr


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
    "a handler of the user's set after the first launch": """
flag[0] = 1
spin[1, 32](flag)
flag[0] = 0
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
interrupt_soon()
try:
    spin[1, 32](flag)
except KeyboardInterrupt:
    # The handler said nothing, but the kernel's output is incomplete.
    print("interrupted")
assert seen == [1]
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
    "another thread launches": """
result = []
def work():
    try:
        spin[2, 32](flag)
    except KeyboardInterrupt:
        result.append("interrupted")
thread = threading.Thread(target=work)
thread.start()
time.sleep(0.3)
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
except KeyboardInterrupt:
    pass
thread.join()
print(*result)
works()
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
