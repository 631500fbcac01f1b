"""All tests of kernels and of the language on CUDA, with the stand-in for the driver in a GPU's place."""

import sys

import pytest
import stand_in
from processes import run

pytestmark = pytest.mark.deep

LANGUAGE = sorted(str(path.relative_to(stand_in.ROOT)) for path in stand_in.ROOT.glob("tests/language/test_*.py"))
QUARTERS = [pytest.param(LANGUAGE[start::4], id=f"language-{start}") for start in range(4)]
FOLDERS = [folder for folder in stand_in.ALL if folder not in stand_in.TESTS and folder != "tests/language"]
# What code for GPUs before 8.0 does differently: warp functions, atomics, shared memory.
OLD = ["tests/kernels/test_kernels.py", "tests/programs"]
COUNTS = {"TREADLE_PROGRAMS_KERNELS": "250"}


OWN_MATH = {"TREADLE_LIBDEVICE": str(stand_in.ROOT / "build/dev/generated/device_math.bc")}


def test_math_without_libdevice():
    command = [sys.executable, str(stand_in.ROOT / "tests/stand_in.py"), "tests/math"]
    done = run(command, timeout=1200, env={**stand_in.os.environ, **OWN_MATH})
    assert done.returncode == 0, done.stdout[-4000:]


def check(tests, capability):
    command = [sys.executable, str(stand_in.ROOT / "tests/stand_in.py"), *tests]
    done = run(command, timeout=1200, env={**stand_in.os.environ, **COUNTS, "FAKE_CUDA_CAPABILITY": capability})
    assert done.returncode == 0, done.stdout[-4000:]


BY_TURNS = [pytest.param(folder, "75", marks=pytest.mark.share) for folder in OLD]


@pytest.mark.parametrize("folder, capability", [*((folder, "90") for folder in FOLDERS), *BY_TURNS])
def test_folder(folder, capability):
    check([folder], capability)


@pytest.mark.share(every=4)
@pytest.mark.parametrize("files", QUARTERS)
def test_language(files):
    check(files, "90")


@pytest.mark.share
@pytest.mark.parametrize("files", QUARTERS)
def test_language_on_old_gpus(files):
    check(files, "75")
