"""Libraries and programs on Treadle, with only their numba.cuda redirected.

stumpy is a library, installed by ./dev test compat. The programs of `programs/` are written as well-known ones are.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

NEEDED_LIBRARY = {
    "test_numba.py": "numba",
    "test_shared_with_cpu.py": "numba",
    "test_stumpy.py": "stumpy",
    "test_two_devices.py": "stumpy",
}
PROGRAMS = Path(__file__).parent / "programs"


def pytest_collection_modifyitems(items):
    """Tests of libraries take minutes: they are deep, and skipped where the libraries are not installed."""
    for item in items:
        library = NEEDED_LIBRARY.get(item.path.name) if item.path.parent == Path(__file__).parent else None
        if library is not None:
            item.add_marker(pytest.mark.deep)
            if importlib.util.find_spec(library) is None:
                item.add_marker(pytest.mark.skip(reason=f"{library} is not installed here: ./dev test compat does so"))


@pytest.fixture(scope="session")
def stumpy():
    """The library, with its kernels on the CPU device of this process."""
    import treadle.redirect

    treadle.redirect.install()
    yield importlib.import_module("stumpy")
    for name in [name for name in sys.modules if name.partition(".")[0] == "stumpy"]:
        del sys.modules[name]
    treadle.redirect.uninstall()


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """program(name) -> the module `programs/name.py`, or of that package.

    Files that name Numba only in `from numba import` get that line changed, the others run redirected.
    """
    import treadle.redirect

    folder = tmp_path_factory.mktemp("programs")
    for path in PROGRAMS.rglob("*.py"):
        text = path.read_text()
        if "import numba" not in text and "from numba." not in text:
            text = text.replace("from numba import", "from treadle import")
        copy = folder / path.relative_to(PROGRAMS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
    before = set(sys.modules)
    treadle.redirect.install()
    sys.path.insert(0, str(folder))
    yield importlib.import_module
    sys.path.remove(str(folder))
    treadle.redirect.uninstall()
    for name in set(sys.modules) - before:
        if str(folder) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]


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
