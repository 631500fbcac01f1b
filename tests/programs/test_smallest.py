# The smallest program that goes wrong in one way, and what each judge answers when it is asked about one.

import json

import pytest

from programs.smallest import judge_of, smallest

# A judge of programs that are valid if they have a 5. Run in the second way, they go wrong where they store 7 and crash
# where they store 8; some hang.
JUDGE = """
import os
from types import SimpleNamespace

def make(item):
    return SimpleNamespace(source=item)

def environment_of(item):
    return {}

def ways(program):
    return [0, 1]

def is_valid(item, source, way):
    return "5" in source

def failure(item, source, way):
    if "= 8" in source and way:
        os.abort()
    while "= 9" in source and way:
        pass
    return "differs" if "= 7" in source and way else ""
"""
PROGRAM = """
def kernel(a, i):
    a[0] = 5
    for k in range(4):
        if i > k:
            a[i] = {}
        a[k] = i + 1
"""


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """A module that children find, too."""
    folder = tmp_path_factory.mktemp("judge")
    (folder / "judge_by_text.py").write_text(JUDGE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder), prepend=":")
        patch.syspath_prepend(folder)
        yield __import__("judge_by_text")


@pytest.mark.parametrize("stored, problem", [(7, "differs"), (8, "crashes")])
def test_what_is_not_needed_is_removed(judge, stored, problem):
    found, way, source = smallest(judge, PROGRAM.format(stored))
    assert (found, way) == (problem, 1)
    assert source in {f"def kernel(a, i):\n    a[0] = 5\n    a[{k}] = {stored}\n" for k in ("i", "1")}


def test_a_hang_is_a_problem(judge):
    source = "def kernel(a):\n    a[5] = 9\n"
    assert smallest(judge, source) == ("hangs", 1, source)


def test_nothing_is_wrong(judge):
    assert smallest(judge, PROGRAM.format(6)) is None


RIGHT = [("numbers", 1_000_002), ("effects", 9_000_001), ("exchanges", 5_000_001), ("arrays", 9_500_002)]


@pytest.mark.parametrize("kind, item", [*RIGHT, ("mutations", 5_000_003), ("mutations", ["effects", 11_000_003])])
def test_judges_say_that_right_programs_are_right(kind, item):
    asked = judge_of(kind)
    program = asked.make(item)
    for way in json.loads(json.dumps([*asked.ways(program)])):  # as children are told
        assert asked.is_valid(item, program.source, way)
        assert asked.failure(item, program.source, way) == ""
