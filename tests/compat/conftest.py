"""A real library on Treadle: stumpy with only its numba.cuda redirected, as ./dev test compat installs it."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

MISSING = [name for name in ("numba", "stumpy") if importlib.util.find_spec(name) is None]


def pytest_collection_modifyitems(items):
    """They take minutes: deep, and skipped where the libraries are not."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.deep)
            if MISSING:
                item.add_marker(pytest.mark.skip(reason=f"{MISSING[0]} is not installed here: ./dev test compat does"))


@pytest.fixture(scope="session")
def stumpy():
    """The library, its kernels on this process's CPU device."""
    import treadle.redirect

    treadle.redirect.install()
    yield importlib.import_module("stumpy")
    for name in [name for name in sys.modules if name.partition(".")[0] == "stumpy"]:
        del sys.modules[name]
    treadle.redirect.uninstall()


@pytest.fixture
def redirected(tmp_path):
    """redirected(code, *arguments, **environment) -> what a program prints that `python -m treadle.redirect` runs."""

    def run(code: str, *arguments: str, **environment: str) -> str:
        program = tmp_path / "program.py"
        program.write_text(code)
        command = [sys.executable, "-W", "ignore", "-m", "treadle.redirect", program, *arguments]
        environment = {**os.environ, **environment}
        result = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=600)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run
