"""A real library on Treadle: stumpy, installed by ./dev test compat, with only its numba.cuda redirected."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

MISSING = [name for name in ("numba", "stumpy") if importlib.util.find_spec(name) is None]


def pytest_collection_modifyitems(items):
    """These tests take minutes: they are deep, and skipped where the libraries are not installed."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.deep)
            if MISSING:
                item.add_marker(pytest.mark.skip(reason=f"{MISSING[0]} is not installed here: ./dev test compat does"))


@pytest.fixture(scope="session")
def stumpy():
    """The library, with its kernels on the CPU device of this process."""
    import treadle.redirect

    treadle.redirect.install()
    yield importlib.import_module("stumpy")
    for name in [name for name in sys.modules if name.partition(".")[0] == "stumpy"]:
        del sys.modules[name]
    treadle.redirect.uninstall()


@pytest.fixture
def redirected(tmp_path):
    """redirected(code, *arguments, **environment) -> the output of a program run by `python -m treadle.redirect`."""

    def run(code: str, *arguments: str, **environment: str) -> str:
        program = tmp_path / "program.py"
        program.write_text(code)
        command = [sys.executable, "-W", "ignore", "-m", "treadle.redirect", program, *arguments]
        environment = {**os.environ, **environment}
        result = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=600)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run
