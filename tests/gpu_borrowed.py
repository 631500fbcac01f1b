"""For the tests of this folder: those that other folders have for every device; what a GPU may lack."""

import importlib.util
import os
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
ON_STAND_IN = os.environ.get("TREADLE_GPU_TESTS_ON_STAND_IN") == "1"
"""Whether the tests are tried without a GPU."""


def load(path):
    """A module that is nobody else's: the file's own tests run on another device."""
    name = "gpu_" + "_".join(path.relative_to(TESTS).with_suffix("").parts)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def borrowed_from(file, left_out):
    """The tests and fixtures of tests/FILE by name. `left_out`: {name of a test: why it cannot pass on a GPU}."""
    members = vars(load(TESTS / file))
    absent = [name for name in left_out if name not in members]
    assert not absent, f"{file} has no {absent[0]}: nothing is left to leave out"
    marked = {name: pytest.mark.skip(reason=reason)(members[name]) for name, reason in left_out.items()}
    return {name: member for name, member in members.items() if not name.startswith("__")} | marked


def need_memory(needed):
    """Skips the test on a GPU with less free memory than that."""
    from treadle import cuda

    free, _ = cuda.current_context().get_memory_info()
    if free < needed:
        pytest.skip(f"a GPU with {needed >> 20} MiB of free memory")
