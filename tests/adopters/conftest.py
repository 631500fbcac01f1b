"""Real libraries that exchange arrays, installed by ./dev test adopters: PyTorch, JAX, PyArrow, mpi4py, tvm-ffi."""

import importlib.util
from pathlib import Path

import pytest
from adopters import without_cuda

BUILD = Path(__file__).resolve().parents[2] / "build"
NAMES = ("torch", "jax", "pyarrow", "mpi4py", "tvm_ffi", "nanobind")
MISSING = [name for name in NAMES if importlib.util.find_spec(name) is None]


def pytest_collection_modifyitems(items):
    """These tests need large packages: they are deep, and skipped where one is not installed."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.deep)
            # Those of task libraries and of IPython need no other.
            if MISSING and item.path.name not in ("test_task_libraries.py", "test_ipython.py"):
                item.add_marker(
                    pytest.mark.skip(reason=f"{MISSING[0]} is not installed here: ./dev test adopters does")
                )


def pytest_configure():
    """Before any library is imported, as tvm-ffi imports PyTorch."""
    if MISSING or importlib.util.find_spec("nvidia") is not None:
        return
    without_cuda.provide(BUILD)


@pytest.fixture(scope="session")
def torch():
    return importlib.import_module("torch")
