"""The wheel: its size and contents, and that it runs a kernel where only Python is installed."""

import functools
import os
import re
import signal
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.deep, pytest.mark.share(every=4, together=True)]  # a build without the cache

ROOT = Path(__file__).resolve().parents[2]
MAX_BYTES = 20_000_000

KERNEL = """
import array, sys
from treadle import cuda

@cuda.jit
def scale(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        out[i] = 3 * x[i] + i

x = array.array("f", range(100))
out = array.array("f", bytes(400))
scale[4, 32](x, out)
assert list(out) == [4.0 * i for i in range(100)], out
assert "numpy" not in sys.modules
ptx, _ = cuda.compile_ptx(scale.py_func, "void(float32[::1], float32[::1])", cc=(8, 0))
assert ".visible .entry" in ptx, ptx
print("ran")
"""

LLVMLITE = """
import ctypes
from llvmlite import binding

binding.initialize_native_target()
binding.initialize_native_asmprinter()
module = binding.parse_assembly("define i32 @answer() { ret i32 42 }")
engine = binding.create_mcjit_compiler(module, binding.Target.from_default_triple().create_target_machine())
engine.finalize_object()
assert ctypes.CFUNCTYPE(ctypes.c_int)(engine.get_function_address("answer"))() == 42
"""


BUILD_SECONDS = 7200  # about 10 minutes of processor time, on a machine that may be busy


def run(*command: object, seconds=1800, **options) -> str:
    """Returns the command's output. If it takes longer, kills it and everything it has started."""
    words = [str(word) for word in command]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **options
    )
    try:
        output, errors = process.communicate(timeout=seconds)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert process.returncode == 0, output[-4000:] + errors[-4000:]
    return output


def make_environment(folder: Path, wheel: Path) -> Path:
    """The Python of a new environment with the wheel and nothing else."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    run(python, "-m", "pip", "install", "--disable-pip-version-check", "--no-index", wheel)
    return python


def run_alone(python: Path, code: str) -> str:
    """Runs code without a PATH, hence without compiler, assembler or toolkit, and outside the source tree."""
    return run(python, "-I", "-c", code, env={"PATH": "/nowhere", "TREADLE_DEVICE": "cpu"}, cwd="/")


def find_python(version: str) -> str | None:
    """As ./dev finds it."""
    code = f'source <(sed -n "/^find_python/,/^}}/p" dev); find_python {version}'
    result = subprocess.run(["bash", "-c", code], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.strip() or None


@functools.cache
def pythons() -> dict[str, str | None]:
    return {version: find_python(version) for version in ("3.10", "3.11", "3.12", "3.13")}


@functools.cache
def versions() -> list[str]:
    """What the wheel is for: all Pythons where they are there, as building takes minutes; else this one."""
    return list(pythons()) if all(pythons().values()) else [f"{sys.version_info[0]}.{sys.version_info[1]}"]


@pytest.fixture(scope="module")
def wheel() -> Path:
    run("./dev", "wheel", *(["all"] if len(versions()) > 1 else []), cwd=ROOT, seconds=BUILD_SECONDS)
    tags = ".".join(f"cp{version.replace('.', '')}" for version in versions())
    found = sorted((ROOT / "dist").glob(f"treadle-*-{tags}-{tags}-*.whl"), key=lambda path: path.stat().st_mtime)
    assert found, os.listdir(ROOT / "dist")
    return found[-1]


def test_size_and_contents(wheel):
    assert wheel.stat().st_size <= MAX_BYTES
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "treadle/__init__.py",
        "treadle/py.typed",
        "treadle/libtreadle.so.0",
        "treadle/libtreadle-compiler.so",
        "treadle/libsleef.so.3",
    ):
        assert names.count(wanted) == 1, wanted
    extensions = [name for name in names if re.fullmatch(r"treadle/_core\..*\.so", name)]
    assert len(extensions) == len(versions())
    assert any(name.endswith(".pyi") for name in names)
    assert {"sleef.txt", "llvm.txt", "nanobind.txt"} <= {Path(name).name for name in names if "licenses/" in name}
    assert len([name for name in names if "libtreadle" in name]) == 2


def test_is_tagged_for_the_oldest_system_that_it_runs_on(wheel, tmp_path):
    assert wheel.name.endswith("-manylinux_2_34_x86_64.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path)
    for library in tmp_path.glob("treadle/*.so*"):
        for name, newest in (("GLIBC_2", 34), ("GLIBCXX_3.4", 29), ("CXXABI_1.3", 13)):
            versions = re.findall(rf"\b{re.escape(name)}\.(\d+)", run("objdump", "-T", library))
            assert max(map(int, versions), default=0) <= newest, library.name


def test_runs_a_kernel_in_an_empty_environment(wheel, tmp_path):
    python = make_environment(tmp_path / "empty", wheel)
    assert run_alone(python, KERNEL) == "ran\n"


@pytest.mark.parametrize("first", ["treadle", "llvmlite"])
def test_runs_beside_another_llvm(wheel, tmp_path, first):
    python = make_environment(tmp_path / "both", wheel)
    run(python, "-m", "pip", "install", "--disable-pip-version-check", "-r", ROOT / "requirements/neighbours.txt")
    programs = [KERNEL, LLVMLITE, KERNEL.replace("3 *", "3.0 *")]
    assert run_alone(python, "\n".join(programs if first == "treadle" else programs[1:])).endswith("ran\n")


def test_one_wheel_for_all_pythons(wheel, tmp_path):
    missing = [version for version, path in pythons().items() if path is None]
    if missing:
        pytest.skip(f"no Python {', '.join(missing)} with headers on this machine")
    for version, interpreter in pythons().items():
        run(interpreter, "-m", "venv", tmp_path / version)
        python = tmp_path / version / "bin/python"
        run(python, "-m", "pip", "install", "--disable-pip-version-check", "--no-index", wheel)
        assert run_alone(python, KERNEL) == "ran\n"
