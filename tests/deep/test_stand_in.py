"""All tests of kernels and of the language on CUDA, with the stand-in for the driver in a GPU's place."""

import sys

import pytest
import stand_in
from processes import run

FOLDERS = [folder for folder in stand_in.ALL if folder not in stand_in.TESTS]


@pytest.mark.parametrize("capability", ["90"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_folder(folder, capability):
    command = [sys.executable, str(stand_in.ROOT / "tests/stand_in.py"), folder]
    done = run(command, timeout=1200, env={**stand_in.os.environ, "FAKE_CUDA_CAPABILITY": capability})
    assert done.returncode == 0, done.stdout[-4000:]
