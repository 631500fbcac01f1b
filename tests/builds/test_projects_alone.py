"""The machine for PTX and the stand-in for the CUDA driver are projects of their own: each builds and passes its tests
from a copy of its folder, without Treadle."""

import os
import shutil
from pathlib import Path

import processes
import pytest

pytestmark = pytest.mark.deep

TESTS = Path(__file__).resolve().parents[1]
# Each with the folders that it is built from.
PROJECTS = {"ptxmachine": ["ptxmachine"], "fakedriver": ["fakedriver", "ptxmachine"]}
LIMIT = 1500


def done(command):
    result = processes.run([str(word) for word in command], timeout=LIMIT, env=dict(os.environ))
    assert result.returncode == 0, (result.stdout + result.stderr)[-4000:]
    return result.stdout


@pytest.mark.share(every=4)  # a build without precompiled objects
@pytest.mark.parametrize("project", PROJECTS)
def test_builds_alone(project, tmp_path):
    for folder in PROJECTS[project]:
        shutil.copytree(TESTS / folder, tmp_path / folder)
    build = tmp_path / "build"
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    compiler = "-DCMAKE_CXX_COMPILER=clang++-19"
    done(["cmake", "-S", tmp_path / project, "-B", build, "-G", "Ninja", compiler, *launcher])
    done(["ninja", "-C", build])
    assert "[  PASSED  ]" in done([build / f"{project}_tests", "--gtest_brief=1"])
