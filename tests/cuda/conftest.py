# Lets these tests, and the programs that they start, import the modules beside them.

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import runs  # noqa: E402


@pytest.fixture(autouse=True)
def stand_in():
    if not (runs.LIBRARIES / "libcuda.so.1").exists():
        pytest.skip("the stand-in for the CUDA driver is not built: ./dev build")
