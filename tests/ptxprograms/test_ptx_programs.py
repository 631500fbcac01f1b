"""CUDA C programs, compiled by nvcc and NVRTC, give on the machine for PTX what the host's compiler makes of them."""

import os
import sys

import processes
import pytest

from ptxprograms import launches, toolkit

QUICK = "basics"


@pytest.fixture(scope="session")
def compilers():
    """NVIDIA's compilers. If they are missing the test is skipped, but fails in CI."""
    if (reason := toolkit.missing()) and os.environ.get("CI") == "true":
        pytest.fail(f"CI needs them: {reason}; run the tests by ./dev test, which gets them")
    elif reason:
        pytest.skip(reason)


def names(is_quick):
    return [name for family, name in launches.names() if (family == QUICK) == is_quick]


def run(name):
    environment = {**os.environ, "PYTHONPATH": str(toolkit.HERE.parent)}
    result = processes.run([sys.executable, "-m", "ptxprograms", name], timeout=300, env=environment)
    assert result.returncode == 0, f"python -m ptxprograms {name}\n{result.stdout[-3000:]}{result.stderr[-3000:]}"


@pytest.mark.parametrize("name", names(True))
def test_basic_programs(name, compilers):
    run(name)


@pytest.mark.deep
@pytest.mark.parametrize("name", names(False))
def test_programs(name, compilers):
    run(name)


def test_there_are_many_programs():
    assert len(launches.names()) >= 100
