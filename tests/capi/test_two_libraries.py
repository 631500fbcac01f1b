"""Two libtreadle in one process: the same one opened twice, a copy beside it, one of another build."""

import shutil
import subprocess
import sys

import pytest
from c_programs import PACKAGE, PROGRAMS, build, environment
from treadle import _core

LIBRARY = PACKAGE / "libtreadle.so.0"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    sources, output = [PROGRAMS / "two_libraries.c"], tmp_path_factory.mktemp("two") / "two_libraries"
    return build(sources, output, standard="gnu11", options=["-Wno-pedantic"])


@pytest.fixture
def copy(tmp_path):
    return shutil.copy(LIBRARY.resolve(), tmp_path / LIBRARY.name)


@pytest.mark.parametrize("is_copy", [False, True])
def test_two_libraries_in_a_program_without_python(program, device, images, copy, is_copy):
    own = environment(device)
    libraries = [LIBRARY, copy if is_copy else LIBRARY]
    done = subprocess.run([program, *libraries, images / "axpy.image"], capture_output=True, text=True, env=own)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{'two' if is_copy else 'one'} 10 10\n"
    needed = subprocess.run(["ldd", LIBRARY], capture_output=True, text=True, check=True).stdout
    assert "libpython" not in needed


PYTHON = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
import numpy as np
from treadle import cuda

@cuda.jit
def double(x):
    x[cuda.grid(1)] *= 2

x = np.ones(32, np.float32)
double[1, 32](x)
print(x[31])
"""


def python(library):
    command = [sys.executable, "-c", PYTHON, library]
    return subprocess.run(command, capture_output=True, text=True, env=environment("cpu"))


def test_python_beside_a_copy_that_was_loaded_first(copy):
    assert python(copy).stdout == "2.0\n"


def test_python_refuses_the_library_of_another_build_that_was_loaded_first(copy):
    own = _core.build_facts()["build"].encode()
    with open(copy, "rb") as file:
        text = file.read()
    assert own in text
    with open(copy, "wb") as file:
        file.write(text.replace(own, own[:-1] + (b"0" if own[-1:] != b"0" else b"1")))
    done = python(copy)
    assert done.returncode == 1
    assert "ImportError" in done.stderr and str(copy) in done.stderr, done.stderr
