"""Programs in C and C++ on a GPU: the cases of tests/capi, and the examples with files made by `treadle compile`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import processes
import pytest
from c_programs import CASES, PACKAGE, ROOT, build, names_of_cases
from treadle import cuda

ENVIRONMENT = {**os.environ, "TREADLE_DEVICE": "cuda"}
# Where only a wheel is installed, the images of tests/capi/images.py are made elsewhere, for the same GPU.
CARRIED = ROOT / "build/gpu/images"
FLOATS, DOUBLES = "float32[::1]", "float64[:, ::1]"


@pytest.fixture(scope="module", autouse=True)
def compiler():
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    made = subprocess.run([sys.executable, ROOT / "tests/capi/images.py", folder], env=ENVIRONMENT, capture_output=True)
    if made.returncode == 0:
        return folder
    if not CARRIED.exists():
        pytest.skip(f"the package has no test hooks, and there are no images in {CARRIED.relative_to(ROOT)}")
    return CARRIED


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    return build(CASES, tmp_path_factory.mktemp("cases") / "cases")


@pytest.mark.parametrize("case", names_of_cases())
def test_case(case, cases, images):
    result = processes.run([cases, case, images], timeout=50, env=ENVIRONMENT)
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "passed\n")


def compiled(kernel, signature, target, image):
    words = ["--signature", signature, "--target", target, "-o", image]
    command = [sys.executable, "-m", "treadle", "compile", ROOT / "examples" / kernel, *words]
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("source", "kernel", "signature", "says"),
    [
        (
            "c/saxpy.c",
            "saxpy.py:saxpy_kernel=saxpy",
            f"void(float32, {FLOATS}, {FLOATS}, {FLOATS})",
            "saxpy over 1048576",
        ),
        ("cpp/heat.cpp", "heat.py:spread", f"void({DOUBLES}, float64, {DOUBLES})", "256 x 256 plate"),
    ],
)
@pytest.mark.parametrize("target", ["own", "sm_75"])
def test_example(source, kernel, signature, says, target, tmp_path):
    major, minor = cuda.get_current_device().compute_capability
    image, program = tmp_path / (Path(source).stem + ".image"), tmp_path / "program"
    compiled(kernel, signature, f"sm_{major}{minor}" if target == "own" else target, image)
    words = ["g++", "-std=c++17"] if source.endswith("cpp") else ["gcc", "-std=c11"]
    words += ["-O2", f"-I{ROOT}/include", f"-I{tmp_path}", ROOT / "examples" / source, "-o", program]
    words += [f"-L{PACKAGE}", "-l:libtreadle.so.0", "-lm", f"-Wl,-rpath,{PACKAGE}"]
    subprocess.run([str(word) for word in words], check=True)
    done = processes.run([program, image], timeout=50, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert says in done.stdout and "CPU" not in done.stdout
