"""All tests of kernels and of the language on CUDA, with the stand-in for the driver in a GPU's place."""

import sys

import pytest
import stand_in
from processes import run

FOLDERS = [folder for folder in stand_in.ALL if folder not in stand_in.TESTS]
# What code for GPUs before 8.0 does differently: warp functions, atomics, shared memory.
OLD = ["tests/kernels/test_kernels.py", "tests/language", "tests/programs"]
COUNTS = {"TREADLE_PROGRAMS_KERNELS": "250", "TREADLE_COOPERATION_KERNELS": "120"}


BY_TURNS = [pytest.param(folder, "75", marks=pytest.mark.share) for folder in OLD]


@pytest.mark.parametrize("folder, capability", [*((folder, "90") for folder in FOLDERS), *BY_TURNS])
def test_folder(folder, capability):
    command = [sys.executable, str(stand_in.ROOT / "tests/stand_in.py"), folder]
    done = run(command, timeout=1200, env={**stand_in.os.environ, **COUNTS, "FAKE_CUDA_CAPABILITY": capability})
    assert done.returncode == 0, done.stdout[-4000:]
