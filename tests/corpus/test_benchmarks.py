"""Every benchmark completes at tiny sizes with our side alone, with correct results."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.deep

ROOT = Path(__file__).resolve().parents[2]
PEERS = (
    "OpenMP C,Numba prange,PoCL,numba-cuda,numba-cuda-mlir,NVRTC,Numba parallel,Taichi,Numba njit,bare beside Numba,"
    "numba.cuda,NumPy,nvcc,Warp,Dr.Jit,simulator,C++ library,libraries"
)
sys.path.insert(0, str(ROOT / "bench"))
import run  # noqa: E402


@pytest.mark.parametrize("name", run.BENCHMARKS)
def test_benchmark_runs_without_its_peers(name):
    command = [sys.executable, str(ROOT / "bench" / "run.py"), name, "--tiny", f"--without={PEERS}"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "left out" not in result.stdout
