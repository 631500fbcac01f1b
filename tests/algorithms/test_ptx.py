"""Compiles every kernel of this folder to PTX and assembles it: each file lists (kernel, signature) in `PTX`."""

import importlib
from pathlib import Path

import pytest
from treadle import cuda

FILES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path != Path(__file__))
MODULES = [importlib.import_module(f"algorithms.{stem}") for stem in FILES if stem != "__init__"]
KERNELS = [
    pytest.param(kernel, signature, id=f"{module.__name__.partition('test_')[2]}-{kernel.__name__}-{number}")
    for module in MODULES
    for number, (kernel, signature) in enumerate(getattr(module, "PTX", []))
]


@pytest.mark.parametrize(("kernel", "signature"), KERNELS)
def test_assembles(kernel, signature, assemble):
    ptx, _ = cuda.compile_ptx(kernel, signature, cc=(9, 0))
    assemble(ptx, "sm_90")


def test_every_kernel_is_listed():
    listed = {parameters.values[0].py_func for parameters in KERNELS}
    missing = [
        f"{module.__name__}: {name}"
        for module in MODULES
        for name, value in vars(module).items()
        if hasattr(value, "py_func") and not value.options.device and value.py_func not in listed
    ]
    assert missing == []
