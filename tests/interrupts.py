# Programs that interrupt themselves: what they begin with, and how they run.

import sys

import processes

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
    count[1, 32](out, 6 * 10**7) # long enough to be asked at a safepoint
"""


def run(code, timeout=30):
    result = processes.run([sys.executable, "-c", START + code], timeout)
    return result.returncode, result.stdout, result.stderr
