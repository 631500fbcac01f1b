"""CUDA C programs, compiled by nvcc and NVRTC, give on the machine for PTX what the host's compiler makes of them."""

import os
import sys

import processes
import pytest

from ptxprograms import launches, toolkit

QUICK = "basics"
FAMILIES = sorted({family for family, _ in launches.names()} - {QUICK})


@pytest.fixture(scope="session")
def compilers():
    """NVIDIA's compilers. If they are missing the test is skipped, but fails in CI."""
    if (reason := toolkit.missing()) and os.environ.get("CI") == "true":
        pytest.fail(f"CI needs them: {reason}; run the tests by ./dev test, which gets them")
    elif reason:
        pytest.skip(reason)


def run(family):
    """Its last line on stderr names the program that ran, if the machine stopped it."""
    environment = {**os.environ, "PYTHONPATH": str(toolkit.HERE.parent)}
    result = processes.run([sys.executable, "-m", "ptxprograms", family], timeout=600, env=environment)
    assert result.returncode == 0, f"python -m ptxprograms {family}\n{result.stdout[-3000:]}{result.stderr[-1000:]}"


def test_basic_programs(compilers):
    run(QUICK)


@pytest.mark.deep
@pytest.mark.parametrize("family", FAMILIES)
def test_programs(family, compilers):
    run(family)


def test_there_are_many_programs():
    assert len(launches.names()) >= 99
