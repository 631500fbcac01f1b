# The machine code of the benchmarks' kernels consists of whole-vector instructions, without element-wise memory access.

import importlib.util
import re
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
KERNELS = ["saxpy", "black_scholes_f32", "black_scholes_f64", "mandelbrot", "stencil", "matmul", "nbody"]


@pytest.fixture(scope="module")
def workloads():
    sys.path.insert(0, str(BENCH))
    try:
        import workloads
    finally:
        sys.path.remove(str(BENCH))
    return workloads


@pytest.mark.parametrize("name", KERNELS)
def test_no_gathers(name, workloads):
    path = BENCH / "kernels" / "cuda_python" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"bench_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    workload = workloads.make(name, tiny=True)
    kernel = getattr(module, name)
    kernel[1, workload.block](*workload.arguments)
    assert re.search(r"\bv?mov[au]p[sd]\b|\bv?movdq[au]", kernel.inspect("asm"))
    assert not re.search(r"\bvp?(gather|scatter)", kernel.inspect("asm"))
    assert "masked.gather" not in kernel.inspect("optimized")
    assert "masked.scatter" not in kernel.inspect("optimized")
