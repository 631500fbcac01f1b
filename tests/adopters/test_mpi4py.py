"""mpi4py: two local processes that send each other arrays of the CPU device, by the CUDA Array Interface and DLPack."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpi4py")
MPIEXEC = Path(sys.executable).parent / "mpiexec"


@pytest.mark.skipif(not MPIEXEC.exists(), reason="there is no MPI beside mpi4py: ./dev test adopters installs one")
def test_two_processes():
    program = Path(__file__).parent / "exchanging_processes.py"
    options = ["--allow-run-as-root", "--oversubscribe", "-n", "2"]
    environment = {**os.environ, "OMPI_MCA_btl": "self,sm", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
    result = subprocess.run(
        [str(MPIEXEC), *options, sys.executable, str(program)],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["exchanged"] * 2
