"""Programs in processes of their own, on the CUDA device and the stand-in for its driver (tests/fakedriver)."""

import json
import os
import sys
from pathlib import Path

import processes
from program_heads import KERNELS

HERE = Path(__file__).resolve().parent
LIBRARIES = HERE.parents[1] / "build/dev/tests/fakedriver"

# What most programs need.
HEAD = f"""
import fake
{KERNELS}
def zeros(n=100, stream=0):
    return cuda.to_device(np.zeros(n, np.float32), stream=stream)
"""


def environment(**settings):
    """Of the calling process, without what is set for Treadle or the stand-in there."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("TREADLE_", "FAKE_CUDA_"))}
    given = {
        "TREADLE_DEVICE": "cuda",
        "LD_LIBRARY_PATH": str(LIBRARIES),
        "FAKE_CUDA_CAPABILITY": "90",
        "TREADLE_CODE_CACHE_LIMIT": "0",
        "TREADLE_DISABLE_PERFORMANCE_WARNINGS": "1",  # tests have small grids, and arrays of the host
        "PYTHONPATH": processes.python_path(HERE),
    }
    return {name: value for name, value in {**own, **given, **settings}.items() if value is not None}


def start(program, *arguments, timeout=20, **settings):
    """The finished process; a setting that is None is not set."""
    command = [sys.executable, "-c", HEAD + program, *arguments]
    slower = 4 if "libclang_rt.asan" in os.environ.get("LD_PRELOAD", "") else 1
    return processes.run(command, timeout * slower, environment(**settings))


def run(program, *arguments, timeout=20, **settings):
    """What the program prints. AssertionError if it fails, or writes to stderr."""
    result = start(program, *arguments, timeout=timeout, **settings)
    assert result.returncode == 0, f"exit code {result.returncode}\n{result.stderr}"
    assert result.stderr == ""
    return result.stdout


def answer(program, *arguments, **settings):
    """The JSON that the program prints."""
    return json.loads(run(program, *arguments, **settings))
