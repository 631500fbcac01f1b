"""Programs that use several devices: two CPU devices, two GPUs (the stand-in's), and one of each.

Each runs in a process of its own; `alike` says there whether the two devices are of one kind.
"""

import pytest
import stand_in

GPUS = {
    "LD_LIBRARY_PATH": str(stand_in.LIBRARIES),
    "FAKE_CUDA_CAPABILITY": "90",
    "TREADLE_DISABLE_PERFORMANCE_WARNINGS": "1",
}
SETTINGS = {
    "two_cpus": {"TREADLE_DEVICE": "cpu", "TREADLE_CPU_DEVICES": "2"},
    "two_gpus": {**GPUS, "TREADLE_DEVICE": "cuda", "FAKE_CUDA_DEVICES": "2"},
    "one_of_each": {**GPUS, "TREADLE_DEVICE": "cuda,cpu"},
}
ALIKE = ("two_cpus", "two_gpus")

HEAD = """
import gc
import threading
import numpy as np
from treadle import cuda, errors

@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value

@cuda.jit
def assign(to, source):
    i = cuda.grid(1)
    if i < to.size:
        to[i] = source[i]

first, second = cuda.gpus
alike = repr(first).split()[0] == repr(second).split()[0]
contexts = [one.get_primary_context() for one in cuda.gpus]

def on(device, values):
    with cuda.gpus[device]:
        return cuda.to_device(np.asarray(values, np.float32))

def zeros(device, n=100):
    return on(device, np.zeros(n))

def holds(array, value):
    return (array.copy_to_host() == value).all()

def raises(error, call, *texts, code=None):
    try:
        call()
    except error as found:
        assert code is None or found.code == code, found
        assert all(text in str(found) for text in texts), found
        return
    raise AssertionError(f"{call} raises nothing")

def live():
    gc.collect()
    return [context.memory_manager.figures()["live_count"] for context in contexts]
"""


def runner(setting, run_python):
    """runner(...)(program) runs it under one of the settings, and asserts that it prints nothing."""
    environment = SETTINGS[setting]
    if "LD_LIBRARY_PATH" in environment and not (stand_in.LIBRARIES / "libcuda.so.1").exists():
        pytest.skip("the stand-in for the CUDA driver is not built: ./dev build")

    def run(program, **settings):
        assert run_python(HEAD + program, timeout=120, **environment, **settings) == ""

    return run
