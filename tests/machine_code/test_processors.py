"""Kernels of tests/kernels that depend on what the processor has, on processors that this machine can stand for."""

from pathlib import Path

import pytest

KERNELS = ["long_conversions", "narrow_integers", "uniform_divisors"]


@pytest.mark.parametrize("processor", ["x86-64", "x86-64-v3"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels(run_python, name, processor):
    code = f"import sys; sys.path.insert(0, sys.argv[1]); from kernels.{name} import run; run(); print('done')"
    assert run_python(code, str(Path(__file__).resolve().parents[1]), TREADLE_CPU=processor) == "done\n"
