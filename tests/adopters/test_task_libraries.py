"""Kernels as tasks of joblib and Dask (AB3): each process compiles what it is sent, and finds it compiled later."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))

JOBLIB = """
import os
import numpy as np
from joblib import Parallel, delayed
from treadle import cuda

FACTOR = 3

@cuda.jit
def scale(x, y):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = FACTOR * x[i] + y

def task(part, y):
    scale[(part.size + 63) // 64, 64](part, y)
    return part, len(scale.signatures), os.getpid()

x = np.arange(1000.0)
found = Parallel(n_jobs=2, backend="loky", max_nbytes=None)(delayed(task)(part, 5) for part in np.array_split(x, 8))
np.testing.assert_array_equal(np.concatenate([part for part, _, _ in found]), 3 * np.arange(1000.0) + 5)
print({count for _, count, _ in found}, os.getpid() in {process for _, _, process in found}, len(scale.signatures))
"""


def test_joblib(tmp_path):
    pytest.importorskip("joblib", reason="joblib is not installed here: ./dev test adopters does")
    (tmp_path / "program.py").write_text(JOBLIB)
    command = [sys.executable, "program.py"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert result.stdout == "{1} False 0\n", result.stderr


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed here: ./dev test adopters does")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as made:
        yield made


def test_the_example_runs_on_a_dask_cluster(client):
    import dask_cluster

    x = np.linspace(1, 2, 10_001)
    for steps in (1, 20):
        found = dask_cluster.on_cluster(client, x, steps, 5)
        np.testing.assert_allclose(found, dask_cluster.fraction_numpy(x, steps), rtol=1e-13)


def test_processes_of_dask_keep_kernels(client):
    import dask_cluster

    kernel = dask_cluster.make_kernel(3)

    def signatures(kernel, x):
        dask_cluster.run_partition(kernel, x)
        return len(kernel.signatures), id(kernel)

    worker = next(iter(client.scheduler_info()["workers"]))
    seen = [client.submit(signatures, kernel, np.ones(n + 1), workers=worker).result() for n in range(3)]
    assert len(set(seen)) == 1 and seen[0][0] == 1
    assert kernel.signatures == []


def test_kernels_within_arrays_of_dask(client):
    """A kernel over the partitions of a dask.array, which Dask places itself."""
    array = pytest.importorskip("dask.array")
    import dask_cluster

    kernel = dask_cluster.make_kernel(5)
    x = np.linspace(1, 2, 1000)
    found = array.from_array(x, chunks=300).map_blocks(lambda part: dask_cluster.run_partition(kernel, part)).compute()
    np.testing.assert_allclose(found, dask_cluster.fraction_numpy(x, 5), rtol=1e-13)
