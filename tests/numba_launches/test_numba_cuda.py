"""numba-cuda's own launches on the stand-in for the CUDA driver: PTX that the project did not write, on its machine."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
PYTHON = TESTS.parent / "build/bench/venv-numba/bin/python"
LIBRARY = TESTS.parent / "build/dev/tests/fakedriver"
# A driver as new as the compiler that numba-cuda brings, which works without being called.
ENVIRONMENT = {
    "LD_LIBRARY_PATH": str(LIBRARY),
    "FAKE_CUDA_CAPABILITY": "90",
    "FAKE_CUDA_VERSION": "13050",
    "FAKE_CUDA_PATIENCE_MS": "1",
    "TREADLE_DEVICE": "cuda",
    "PYTHONPATH": str(TESTS.parent / "build/dev"),
}
CASES = re.findall(
    r"^@case\ndef (\w+)", "\n".join(file.read_text() for file in sorted((TESTS / "numba_launches").glob("*.py"))), re.M
)
PRINTED = {"printing": {"thread 3 has 1.500000 True", "thread 19 has 9.500000 True"}}

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not PYTHON.exists(), reason="numba-cuda is not installed here: ./dev bench memory does"),
    pytest.mark.skipif(not (LIBRARY / "libcuda.so.1").exists(), reason="the stand-in for the CUDA driver is not built"),
]


def test_there_are_enough():
    assert len(CASES) >= 40


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    command = [str(PYTHON), "-m", "numba_launches", name]
    environment = {**os.environ, **ENVIRONMENT}
    result = subprocess.run(command, cwd=TESTS, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    printed = set(result.stdout.splitlines())
    assert name in printed and PRINTED.get(name, set()) <= printed
