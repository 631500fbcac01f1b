"""gdb stops in kernels on the CPU device, and shows their variables."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from treadle import gdb_arrays

pytestmark = pytest.mark.deep

PROGRAM = """\
import numpy as np
from treadle import cuda


@cuda.jit(device=True)
def scaled(value, by):
    product = value * by
    return product + 1  # in the device function


@cuda.jit(debug=True, opt=False)
def kernel(x, rows, n):
    i = cuda.grid(1)
    local = cuda.local.array((2, 3), "int16")
    local[0, 0] = local[0, 1] = local[0, 2] = local[1, 0] = local[1, 1] = 7
    local[1, 2] = i
    half = 0.5
    pair = (i, 2.5 * half)
    if i < n:
        row = rows[i]
        x[i] = scaled(x[i], pair[1]) + row[0] + local[1, 2]  # in the kernel


@cuda.jit(debug=True, opt=False)
def blocks(x):
    own = cuda.threadIdx.x * 2
    early = own + 1
    x[own] = early
    cuda.syncthreads()
    value = own
    x[own] = value
    value = x[own]
    x[own + 1] = value  # after the barrier
"""
KERNEL = "kernel[1, 32](np.arange(40, dtype=np.float32), np.arange(80.0).reshape(40, 2), 20)"
BLOCKS = "blocks[1, 64](np.zeros(128))"


@pytest.fixture
def debugged(tmp_path):
    """debugged(launch, text, commands) -> what gdb says of each command in the line with that text. Then the program is
    killed: gdb takes long for each library and each kernel that is loaded."""
    if not shutil.which("gdb"):
        pytest.skip("gdb is not installed (Debian: gdb)")
    path = tmp_path / "stopped.py"

    def run(launch, text, asked):
        path.write_text(f"{PROGRAM}\n\n{launch}\n")
        line = next(k for k, found in enumerate(PROGRAM.splitlines(), 1) if text in found)
        commands = ["set breakpoint pending on", "set debuginfod enabled off", "set width 0", "set auto-solib-add off"]
        commands += [f"source {gdb_arrays.__file__}", "catch load libtreadle.so", "run"]
        commands += ["sharedlibrary libtreadle.so", f"tbreak stopped.py:{line}", "continue"]
        for command in asked:
            commands += [f"echo \\n<<{command}>>\\n", command]
        commands += ["echo \\n<<end>>\\n", "kill"]
        words = [word for command in commands for word in ("-ex", command)]
        done = subprocess.run(
            ["gdb", "-nx", "-q", "-batch", *words, "--args", sys.executable, str(path)],
            env={**os.environ, "TREADLE_DEVICE": "cpu", "TREADLE_CPU_THREADS": "1"},
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        said = dict(re.findall(r"<<(.+?)>>\n(.*?)\n(?=<<)", done.stdout, re.S))
        assert said.keys() == {*asked}, done.stdout + done.stderr
        return {command: found.strip() for command, found in said.items()}

    return run


def numbers(text):
    """Of a gdb value with repeats."""
    found = []
    for word, repeats in re.findall(r"(-?[\d.]+)(?: <repeats (\d+) times>)?(?=[,}])", text):
        found += [float(word)] * int(repeats or 1)
    return found


def test_functions_and_variables(debugged):
    said = debugged(KERNEL, "# in the device function", ["info args", "info locals", "bt 2"])
    assert re.match(r"#0 +scaled \(.*\) at .*stopped.py:8\n#1 +kernel \(.*\) at .*stopped.py:21", said["bt 2"])
    value, by = said["info args"].splitlines()
    # Of the first call: the lanes of a vector on this processor, 20 of which have entered the branch.
    lanes = min(len(numbers(value)), 20)
    assert lanes >= 16 and numbers(value)[:lanes] == [*range(lanes)]
    assert by.startswith("by = ") and numbers(by)[:lanes] == [1.25] * lanes
    assert numbers(said["info locals"])[:lanes] == [1.25 * k for k in range(lanes)]


def test_warps_at_barriers_have_their_own(debugged):
    said = debugged(BLOCKS, "# after the barrier", ["p own", "p early", "p value[31]"])
    own = numbers(said["p own"])
    assert own in ([2.0 * k for k in range(32)], [2.0 * k for k in range(32, 64)])
    assert numbers(said["p early"]) == [1 + k for k in own]
    assert said["p value[31]"].endswith(f"{{type = _float64, _int64 = {own[31]:.0f}, _float64 = {own[31]:.0f}}}")


def test_arrays_are_printed(debugged):
    asked = ["p x[0]", "p rows[5]", "p row[3]", "p local[4]", "p half[0]", "p pair[7]", "p i[9]", "p n[0]"]
    said = debugged(KERNEL, "# in the kernel", asked)
    assert said["p x[0]"].endswith("array(shape=(40,), dtype=float32, [0, 1, 2, 3, 4, 5, 6, 7, ...])")
    assert "array(shape=(40, 2), dtype=float64, [[0, 1], [2, 3]," in said["p rows[5]"]
    assert said["p row[3]"].endswith("array(shape=(2,), dtype=float64, [6, 7])")
    assert said["p local[4]"].endswith("array(shape=(2, 3), dtype=int16, [[7, 7, 7], [7, 7, 4]])")
    assert said["p half[0]"].endswith("= 0.5") and said["p pair[7]"].endswith("{f0 = 7, f1 = 1.25}")
    assert said["p i[9]"].endswith("= 9") and said["p n[0]"].endswith("= 20")


def test_path_of_the_script():
    done = subprocess.run([sys.executable, "-m", "treadle.gdb_arrays"], capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).samefile(gdb_arrays.__file__)
