"""TREADLE_OVERRIDE: a stage that was dumped and edited runs in place of what is compiled, and is not kept."""

import pytest

PROGRAM = """
import numpy as np
from treadle import cuda

@cuda.jit(cache={cache})
def add(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 7

x = np.zeros(64, np.int32)
try:
    add[2, 32](x)
    print(x[0], x[63])
except ValueError as error:
    print(error)
"""


@pytest.fixture
def run(run_python, tmp_path):
    """run(**settings) -> what the program prints on the CPU, with a compilation cache of this test alone."""
    source = tmp_path / "program.py"
    source.write_text(PROGRAM.format(cache=True))
    cache = {"TREADLE_CODE_CACHE_DIR": str(tmp_path / "cache"), "TREADLE_CODE_CACHE_LIMIT": "100000000"}
    code = f"import runpy; runpy.run_path({str(source)!r}, run_name='__main__')"
    return lambda **settings: run_python(code, TREADLE_DEVICE="cpu", **{**cache, **settings})


@pytest.fixture
def stage(run, tmp_path):
    """The dumped LLVM IR of the kernel."""
    assert run(TREADLE_DUMP=str(tmp_path / "dump")) == "7 7\n"
    (found,) = (tmp_path / "dump").glob("add.*.optimized.txt")
    return found


def edit(stage, old, new):
    text = stage.read_text()
    assert old in text
    stage.write_text(text.replace(old, new))


def test_an_edited_stage_runs_and_is_not_cached(run, stage):
    edit(stage, "i32 7", "i32 9")
    assert run(TREADLE_OVERRIDE=str(stage.parent)) == "9 9\n"
    assert run() == "7 7\n"
    assert run(TREADLE_OVERRIDE=str(stage.parent)) == "9 9\n"


def test_other_kernels_are_compiled(run, stage):
    edit(stage, "i32 7", "i32 9")
    edit(stage, "# add ", "# subtract ")
    assert run(TREADLE_OVERRIDE=str(stage.parent)) == "7 7\n"


def test_text_that_is_no_code_is_an_error(run, stage):
    edit(stage, "define ", "defeen ")
    assert run(TREADLE_OVERRIDE=str(stage.parent)).startswith(
        f"TREADLE_OVERRIDE: {stage} is not valid LLVM IR: {stage}:"
    )


def test_two_files_for_the_same_code_are_an_error(run, stage):
    other = stage.with_name("add.99.optimized.txt")
    other.write_text(stage.read_text())
    told = run(TREADLE_OVERRIDE=str(stage.parent))
    assert told.startswith("TREADLE_OVERRIDE: ") and str(other) in told and str(stage) in told


def test_a_folder_that_is_not_there_is_an_error(run, tmp_path):
    assert run(TREADLE_OVERRIDE=str(tmp_path / "none")) == (
        f"TREADLE_OVERRIDE: cannot read the folder {tmp_path}/none: No such file or directory\n"
    )
