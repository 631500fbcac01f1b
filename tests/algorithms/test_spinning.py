"""Locks, barriers made of atomics, and flags: each run of spinning.py in a child with a time limit."""

from pathlib import Path

import pytest

from algorithms.spinning import RUNS

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from algorithms.spinning import RUNS
RUNS[sys.argv[2]]()
print("done")
"""


@pytest.mark.parametrize("name", RUNS)
def test_gets_through(name, run_python):
    assert run_python(PROGRAM, str(Path(__file__).parents[1]), name, timeout=20) == "done\n"
