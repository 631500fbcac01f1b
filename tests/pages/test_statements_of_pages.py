"""Statements of docs/ that were untrue once: each is read from its page and compared with what happens."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from treadle import cuda

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name):
    return (DOCS / name).read_text()


def test_what_is_missing_is_missing():
    table = page("migrating.md").split("## What is missing", 1)[1].split("\n\n")[1]
    names = [name for row in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", row.split("|")[1])]
    assert len(names) >= 4
    for name in names:
        if option := re.fullmatch(r"cuda\.jit\((\w+)=\.\.\.\)", name):
            with pytest.raises((TypeError, NotImplementedError), match=option[1]):
                cuda.jit(**{option[1]: ["code.o"]})(lambda: None)
        else:
            assert not hasattr(cuda, name.removeprefix("cuda.")), name


def test_indices_of_device_arrays():
    (refused, error) = re.search(r"\(([^()]*) raise `(\w+)`\)", page("memory.md")).groups()
    assert refused == "new axes, masks and arrays of indices"
    x = cuda.to_device(np.arange(6.0))
    for index in (np.newaxis, x.copy_to_host() > 2, np.array([0, 1])):
        with pytest.raises(Exception) as raised:
            x[index]
        assert raised.type.__name__ == error


def test_too_many_blocks_for_barriers_of_the_grid(run_python):
    blocks, error, number = re.search(r"allows (\d+) blocks.*raises `(\w+)` (\d+)\.", page("cpu.md"), re.S).groups()
    found = run_python(f"""
from treadle import cuda, _core

@cuda.jit
def meet():
    cuda.cg.this_grid().sync()

meet[{blocks}, 1]()
try:
    meet[{int(blocks) + 1}, 1]()
except Exception as error:
    print(type(error).__name__, error.code)
""")
    assert found.split() == [error, number]


UFUNC = """
import numpy as np
from treadle import cuda
print(cuda.to_device(np.ones(1)).copy_to_host() + 0, np.add(cuda.to_device(np.ones(1)), 1).copy_to_host())
"""


def test_functions_of_elements_are_kept(tmp_path):
    assert "The compilation cache keeps functions of elements" in page("ufuncs.md")
    own = {key: value for key, value in os.environ.items() if key != "TREADLE_CODE_CACHE_LIMIT"}
    own |= {"TREADLE_CODE_CACHE_DIR": str(tmp_path), "TREADLE_CODE_CACHE_LOG": "1", "TREADLE_DEVICE": "cpu"}
    said = [
        subprocess.run([sys.executable, "-c", UFUNC], env=own, capture_output=True, text=True, check=True).stderr
        for _ in range(2)
    ]
    assert ["found ufunc_add" in text for text in said] == [False, True]
