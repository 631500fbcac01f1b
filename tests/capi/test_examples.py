"""The programs of examples/ in C, C++ and Rust: alone, and with arrays of NumPy."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from c_programs import PACKAGE, ROOT, WARNINGS, environment

EXAMPLES = ROOT / "examples"
FLOATS, DOUBLES = "float32[::1]", "float64[:, ::1]"
KERNELS = {
    "saxpy": ("saxpy.py:saxpy_kernel=saxpy", f"void(float32, {FLOATS}, {FLOATS}, {FLOATS})"),
    "heat": ("heat.py:spread", f"void({DOUBLES}, float64, {DOUBLES})"),
    "triad": ("triad.py:triad", "void(float64[::1], float64[::1], float64, float64[::1])"),
}


def run(*command, folder=None, **settings):
    own = {**environment("cpu"), **settings}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=own, cwd=folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the image file of each program."""
    folder = tmp_path_factory.mktemp("examples")
    for name, (kernel, signature) in KERNELS.items():
        words = [EXAMPLES / kernel, "--signature", signature, "--target", "cpu,sm_75", "-o", folder / f"{name}.image"]
        run(sys.executable, "-m", "treadle", "compile", *words)
    return folder


def compiled(folder, source, output, *options):
    words = ["clang++-19", "-std=c++17"] if source.endswith("cpp") else ["gcc", "-std=c11"]
    words += ["-O2", *WARNINGS, f"-I{ROOT}/include", f"-I{folder}", EXAMPLES / source, *options]
    run(*words, "-o", output, f"-L{PACKAGE}", "-ltreadle", "-lm", f"-Wl,-rpath,{PACKAGE}")
    return output


SHARE = """
import sys
sys.path.insert(0, {examples!r})
import numpy as np
import sharing
{program}
"""


def share(program):
    return run(sys.executable, "-c", SHARE.format(examples=str(EXAMPLES), program=program))


@pytest.mark.parametrize(("name", "source", "says"), [
    ("saxpy", "c/saxpy.c", "saxpy over 1048576 elements on"),
    ("heat", "cpp/heat.cpp", "256 x 256 plate, 200 steps: largest difference from the exact solution"),
])  # fmt: skip
def test_programs(folder, device, tmp_path, name, source, says):
    program = compiled(folder, source, tmp_path / name)
    assert says in run(program, folder / f"{name}.image", **environment(device))


def test_arrays_of_numpy_in_c(folder, tmp_path):
    library = compiled(folder, "c/saxpy.c", tmp_path / "libsaxpy.so", "-shared", "-fPIC", "-DSAXPY_LIBRARY")
    assert (
        share(f"""
x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
found = sharing.saxpy({str(library)!r}, {str(folder / "saxpy.image")!r}, 2.5, x, y)
print(np.array_equal(found, np.float32(2.5) * x + y))
""")
        == "True\n"
    )


def test_arrays_of_numpy_in_cpp(folder, tmp_path):
    library = compiled(folder, "cpp/heat.cpp", tmp_path / "libheat.so", "-shared", "-fPIC", "-DHEAT_LIBRARY")
    assert (
        share(f"""
import heat
plate = heat.make_plate(64)
exact = heat.simulate_numpy(plate, 40)
sharing.spread({str(library)!r}, {str(folder / "heat.image")!r}, plate, 40)
print(np.allclose(plate, exact, rtol=1e-13))
""")
        == "True\n"
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the program and the library of rust/."""
    if not shutil.which("cargo"):
        pytest.skip("cargo is not installed (Debian: cargo)")
    folder = tmp_path_factory.mktemp("rust")
    shutil.copytree(EXAMPLES / "rust", folder / "rust")
    own = {"TREADLE_LIB": str(PACKAGE), "CARGO_TERM_COLOR": "never", "CARGO_HOME": str(folder / "home")}
    run("cargo", "build", "--release", "--offline", "--quiet", folder=folder / "rust", **own)
    return folder / "rust/target/release"


@pytest.mark.deep
def test_a_rust_program(folder, built, device):
    said = run(built / "triad", folder / "triad.image", **environment(device))
    assert said == "triad over 100000 elements: largest difference 0e0\n"


@pytest.mark.deep
def test_arrays_of_numpy_in_rust(folder, built):
    assert os.path.exists(built / "libtriad.so")
    assert (
        share(f"""
x = np.arange(1000.0)
print(np.array_equal(sharing.triad({str(built / "libtriad.so")!r}, {str(folder / "triad.image")!r}, x, x, 3), 4 * x))
""")
        == "True\n"
    )


def heading(source):
    """The commands at the top of an example, which are indented there."""
    comment = re.match(r"(?:(?:/\*|//!?| \*).*\n)+", (EXAMPLES / source).read_text())[0]
    return "\n".join(line[4:].strip() for line in comment.splitlines() if re.match(r"(?://|//!| \*)   +\S", line))


@pytest.mark.parametrize(("source", "needs"), [
    ("c/saxpy.c", "pkg-config"),
    ("cpp/heat.cpp", "pkg-config"),
    pytest.param("rust/src/main.rs", "cargo", marks=pytest.mark.deep),
])  # fmt: skip
def test_commands_at_the_top_of_a_program(shell, tmp_path, source, needs):
    if not shutil.which(needs):
        pytest.skip(f"{needs} is not installed (Debian: {needs})")
    own = {**shell, "CARGO_HOME": str(tmp_path / "home")}
    folder = shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("target", "__pycache__"))
    commands = heading(source)
    assert commands.startswith("treadle compile ")
    assert "largest difference" in run("bash", "-euc", commands, folder=folder, **own)
