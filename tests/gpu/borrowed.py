"""Tests that other folders have for every device, to be run on a GPU too."""

import importlib.util
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


def load(path):
    """A module that is nobody else's: the file's own tests run on another device."""
    name = "gpu_" + "_".join(path.relative_to(TESTS).with_suffix("").parts)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tests_of(file, left_out):
    """The tests and fixtures of tests/FILE by name. `left_out`: {name of a test: why it cannot pass on a GPU}."""
    members = vars(load(TESTS / file))
    absent = [name for name in left_out if name not in members]
    assert not absent, f"{file} has no {absent[0]}: nothing is left to leave out"
    marked = {name: pytest.mark.skip(reason=reason)(members[name]) for name, reason in left_out.items()}
    return {name: member for name, member in members.items() if not name.startswith("__")} | marked
