# Code that a faulty compiler has cached, and the compiler that was linked after its source was fixed.

import os

import pytest
from cached_programs import Folder, hits

from mutants.tree import COPY, Mutant, Tree

pytestmark = pytest.mark.deep

FAULT = Mutant("addition_subtracts", "src/codegen/arithmetic.cpp", "return b.CreateFAdd(x, y);",
               "return b.CreateFSub(x, y);", "")  # fmt: skip


def test_a_mended_compiler_does_not_run_what_the_faulty_one_kept(tmp_path, run_python):
    """One .cpp of the compiler differs, and no header; the compilation cache is the same."""
    tree = Tree()
    with tree.alone():
        tree.refresh()
    folder = Folder(tmp_path, run_python)
    folder.edit("helper(i) + 1", "helper(i) + 0.5")
    paths = {"PYTHONPATH": f"{tree.packages}{os.pathsep}{tmp_path}"}
    tree.build_mutant(FAULT)
    faulty = [folder.say(**paths) for _ in range(2)]
    assert [said.result for said in faulty] == [[-0.5, 2.5, 5.5, 8.5]] * 2 and hits(faulty[1])
    with tree.alone():
        assert FAULT.search in (COPY / FAULT.file).read_text()
        tree.ninja()
        tree.keep()
    said = folder.say(**paths)
    assert said.result == [0.5, 3.5, 6.5, 9.5] and not hits(said)
