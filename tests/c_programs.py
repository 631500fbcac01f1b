# Programs in C on libtreadle: how tests build them, and in which environment they run.

import importlib.util
import os
import re
import subprocess
from pathlib import Path

import stand_in

ROOT = Path(__file__).resolve().parent.parent
# Where Python finds the package: mutants have one of their own.
PACKAGE = Path(importlib.util.find_spec("treadle").submodule_search_locations[0])
PROGRAMS = ROOT / "tests/capi/programs"
# Of the program whose cases tests/capi runs, each by its name.
KINDS = ("basic", "array", "conversion", "launch", "repeated")
CASES = [PROGRAMS / "cases.c", *(PROGRAMS / f"{kind}_cases.c" for kind in KINDS)]
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


def build(sources, output, compiler="gcc", standard="c11", include=ROOT / "include", options=(), package=PACKAGE):
    """Compiles and links a program with libtreadle; the compiler may not warn of anything."""
    command = [compiler, f"-std={standard}", "-O1", "-g", *WARNINGS, f"-I{include}", *map(str, sources), *options]
    command += ["-o", str(output), f"-L{package}", "-l:libtreadle.so.0", "-lpthread", f"-Wl,-rpath,{package}"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return output


def names_of_cases():
    return [name for source in CASES for name in re.findall(r'\{"(\w+)", \1\}', source.read_text())]


def environment(device):
    """What makes a program run on the CPU device, or on CUDA with the stand-in for its driver."""
    own = {"TREADLE_DEVICE": "cpu"} if device == "cpu" else stand_in.environment()
    return {**os.environ, "TREADLE_CODE_CACHE_LIMIT": "0", **own}
