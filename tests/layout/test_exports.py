"""The built libraries: exported symbols, needed libraries, search paths."""

import re
import subprocess
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "build/dev/treadle"
LIBRARIES = ["libtreadle.so.0", "libtreadle-compiler.so", "_core.*.so"]
EXPORTED = {
    "libtreadle.so.0": r"treadle_\w+|_ZN7treadle\S+|_ZNK7treadle\S+|_ZT[ISV]N7treadle\S+|TREADLE_0",
    "libtreadle-compiler.so": r"treadle_compiler_create|TREADLE_0",
    "_core.*.so": r"PyInit__core|_ZN7treadle6python18makePythonResolverEv",
}
# The oldest system on which a wheel runs, manylinux_2_34: glibc 2.34 and the libraries of GCC 11.
NEWEST = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (11,)}
SYSTEM = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libtreadle.so.0"}


def library(pattern: str) -> Path:
    found = sorted(PACKAGE.glob(pattern))
    assert found, f"{pattern} is not built: run ./dev build"
    return found[0]


def output(*command: object) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("pattern", LIBRARIES)
def test_exports_only_its_own_names(pattern):
    lines = output("nm", "-D", "--defined-only", library(pattern)).splitlines()
    names = [line.split()[-1].partition("@")[0] for line in lines]
    assert names
    foreign = [name for name in names if not re.fullmatch(EXPORTED[pattern], name)]
    assert foreign == []


def test_compiler_library_exports_its_door():
    assert " T treadle_compiler_create" in output("nm", "-D", "--defined-only", library("libtreadle-compiler.so"))


@pytest.mark.parametrize("pattern", LIBRARIES)
def test_needs_only_what_every_system_has(pattern):
    needed = set(re.findall(r"NEEDED.*\[(.*?)\]", output("readelf", "-d", library(pattern))))
    assert needed <= SYSTEM


@pytest.mark.parametrize("pattern", LIBRARIES)
def test_needs_no_newer_system_than_the_wheel_says(pattern):
    # Development builds check the standard library's bounds; wheels do not.
    symbols = [line for line in output("objdump", "-T", library(pattern)).splitlines() if "glibcxx_assert" not in line]
    found = re.findall(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)", "\n".join(symbols))
    assert found
    newer = {(name, version) for name, version in found if tuple(map(int, version.split("."))) > NEWEST[name]}
    assert newer == set()


@pytest.mark.parametrize("pattern", LIBRARIES)
def test_looks_for_its_siblings_beside_itself_first(pattern):
    paths = re.findall(r"\(RPATH\).*\[(.*?)\]", output("readelf", "-d", library(pattern)))
    assert paths == ["$ORIGIN"]


def test_import_does_not_open_the_compiler(run_python):
    code = "import sys, treadle; print('numpy' in sys.modules, 'libtreadle-compiler' in open('/proc/self/maps').read())"
    assert run_python(code) == "False False\n"
