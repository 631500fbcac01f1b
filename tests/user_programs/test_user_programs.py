"""Runs the programs: those that import treadle here, those that import Numba redirected, in a child."""

import importlib.util
import os
import runpy
import subprocess
import sys
from pathlib import Path

import processes
import pytest

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = {path.stem: path for path in FOLDER.glob("*.py") if path.stem not in ("gpu_helpers", "cpu_formulas")}
OF_NUMBA = [name for name, path in PROGRAMS.items() if "from numba import" in path.read_text()]


@pytest.fixture
def own_modules(monkeypatch):
    """Programs find the modules beside them, and leave none behind."""
    monkeypatch.syspath_prepend(FOLDER)
    yield
    for name in ("gpu_helpers", "cpu_formulas"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - OF_NUMBA))
def test_program(name, own_modules, monkeypatch):
    made = type(sys)("__main__")
    monkeypatch.setitem(sys.modules, "__main__", made)
    runpy.run_path(str(PROGRAMS[name]), run_name="__main__")


@pytest.mark.parametrize("name", sorted(OF_NUMBA))
def test_redirected_program(name):
    folders = [Path(__file__).parent / "without_numba"] if importlib.util.find_spec("numba") is None else []
    environment = {**os.environ, "PYTHONPATH": processes.python_path(*folders)}
    command = [sys.executable, "-W", "ignore", "-m", "treadle.redirect", PROGRAMS[name]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
