"""Programs that use several devices: two CPU devices, two GPUs (the stand-in's), and one of each.

Each runs in a process of its own; `alike` says there whether the two devices are of one kind.
"""

import pytest
import stand_in
from program_heads import DEVICES, KERNELS, RAISES

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

HEAD = f"""
import threading
{KERNELS}{DEVICES}{RAISES}
alike = repr(first).split()[0] == repr(second).split()[0]

def zeros(device, n=100):
    return on(device, np.zeros(n))

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
