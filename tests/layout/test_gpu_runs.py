"""README.md says when Treadle ran on a real GPU last, or that it never did."""

import importlib.util
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def last_run():
    spec = importlib.util.spec_from_file_location("gpu_runs", ROOT / "docs/gpu_runs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.last_run


def test_there_was_none(last_run, tmp_path):
    (tmp_path / "gpu_code.txt").write_text("something else\n")
    (tmp_path / "gpu-notes.md").write_text("# something else\n")
    assert last_run(tmp_path).startswith("There was no run on a real GPU yet")


def test_the_last_one_counts(last_run, tmp_path):
    for day, time in (("2026-03-01", 3), ("2026-11-30", 1), ("2026-04-30", 2)):
        path = tmp_path / f"gpu-{day}-NVIDIA-L4.md"
        path.write_text(f"# {day}, NVIDIA L4, driver 580.1 (CUDA 13.0)\n\n| kernel |\n")
        os.utime(path, (time, time))
    line = last_run(tmp_path)
    assert line == (
        "The last whole run on a real GPU: 2026-11-30, NVIDIA L4, driver 580.1 (CUDA 13.0); "
        "[its figures](bench/results/gpu-2026-11-30-NVIDIA-L4.md)."
    )


def test_a_run_that_was_broken_off_is_none(last_run, tmp_path):
    (tmp_path / "gpu-2026-03-02-NVIDIA-L4.md").write_text(
        "# 2026-03-02, NVIDIA L4\n\nThe run was broken off at noon.\n"
    )
    assert last_run(tmp_path).startswith("There was no run on a real GPU yet")
    (tmp_path / "gpu-2026-03-01-NVIDIA-L4.md").write_text("# 2026-03-01, NVIDIA L4, 3 tests passed\n")
    assert last_run(tmp_path) == (
        "The last whole run on a real GPU: 2026-03-01, NVIDIA L4, 3 tests passed; "
        "[its figures](bench/results/gpu-2026-03-01-NVIDIA-L4.md). "
        "A run of [2026-03-02](bench/results/gpu-2026-03-02-NVIDIA-L4.md) was broken off; it says what it found."
    )


def test_the_page_says_it(last_run):
    assert last_run(ROOT / "bench/results") in (ROOT / "README.md").read_text()
