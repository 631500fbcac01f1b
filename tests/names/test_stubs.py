"""The type stubs list what exists, and a type checker accepts a program that uses the package."""

import ast
import subprocess
import sys
import types
from pathlib import Path

import pytest
import treadle
from treadle import _core

PROGRAM = """
import numpy as np
from treadle import cuda, float32, int32, void

@cuda.jit(void(float32[:], int32))
def scale(x, s):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= s

x = np.ones(3, dtype=np.float32)
scale[1, 32](x, 2)
"""


STUB = ast.parse((Path(treadle.__file__).parent / "_core.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def names(body):
    """The names that the statements of a stub define."""
    found = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return found | {node.target.id for node in body if isinstance(node, ast.AnnAssign)}


def public(found):
    return {name for name in found if not name.startswith("__")}


def test_stub_of_the_extension_names_what_is_there():
    assert public(names(STUB.body)) == public(vars(_core))
    assert "__version__" in names(STUB.body)


@pytest.mark.parametrize("name", CLASSES)
def test_stub_of_a_class_names_its_members(name):
    # Without the attributes that Python adds to the class (devicearray.py).
    def is_added(value):
        return isinstance(getattr(value, "fget", value), types.FunctionType)

    members = {member for member, value in vars(getattr(_core, name)).items() if not is_added(value)}
    assert public(names(CLASSES[name].body)) == public(members)
    version_dependent = {"__buffer__"}
    assert names(CLASSES[name].body) - version_dependent <= set(members) | set(dir(object))


def test_a_program_passes_the_type_checker(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--cache-dir", tmp_path, program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
