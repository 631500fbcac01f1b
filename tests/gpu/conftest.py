"""Tests on a real GPU: all are skipped, with what the CUDA driver says, where there is none.

A library that only acts as a driver counts as none, unless TREADLE_GPU_TESTS_ON_STAND_IN=1 is set: to try the tests.
"""

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent

# In a child: no other test of this process shall find an open driver.
PROBE = """
import ctypes
from treadle import cuda
name = cuda.get_current_device().name
library = ctypes.CDLL("libcuda.so.1")
stand_ins = [mark for mark in ("fakeCudaDefaults", "nullCudaMark") if hasattr(library, mark)]
print(f"the driver of '{name}' is a stand-in" if stand_ins else "")
"""


@functools.cache
def why_not() -> str:
    """Empty: there is a GPU, and it is what TREADLE_DEVICE names."""
    environment = {**os.environ, "TREADLE_DEVICE": "cuda"}
    asked = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, env=environment, timeout=120)
    said = (asked.stdout if asked.returncode == 0 else asked.stderr).strip().splitlines()[-1:]
    said = "".join(said).removeprefix("treadle.errors.CudaSupportError: ")
    if asked.returncode == 0 and os.environ.get("TREADLE_GPU_TESTS_ON_STAND_IN") == "1":
        said = ""
    if said:
        return f"no CUDA device: {said}"
    return "" if os.environ.get("TREADLE_DEVICE") == "cuda" else "needs TREADLE_DEVICE=cuda, which ./dev gpu sets"


def pytest_collection_modifyitems(items):
    here = [item for item in items if FOLDER in item.path.parents]
    reason = why_not() if here else ""
    for item in here:
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def first_device():
    from treadle import cuda

    cuda.select_device(0)
    yield
    cuda.synchronize()
