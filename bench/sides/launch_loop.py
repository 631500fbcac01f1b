# The C loop over the driver's calls that every launch makes (nulldriver/launch_loop.c).
import ctypes
import os

from sides.common import LAUNCHES

PTX = b".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry nothing() { ret; }\n"
LOOP = ctypes.CDLL(os.environ["BENCH_LAUNCH_LOOP"])
LOOP.launch_loop_run.argtypes = [ctypes.c_uint, ctypes.c_size_t]


def versions():
    return "a loop in C over cuCtxGetCurrent and cuLaunchKernelEx"


def open_case(name):
    return Launches()


class Launches:
    def __init__(self):
        result = LOOP.launch_loop_open(PTX, b"nothing")
        if result != 0:
            raise RuntimeError(f"the CUDA driver gave {result}, or is missing")

    def reset(self):
        LOOP.launch_loop_wait()

    def run(self):
        if LOOP.launch_loop_run(LAUNCHES, 0) != 0:
            raise RuntimeError("a launch failed")
