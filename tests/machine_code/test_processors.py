"""Kernels of tests/kernels that depend on what the processor has, on processors that this machine can stand for."""

from pathlib import Path

import pytest
from treadle import cuda

KERNELS = ["chains", "long_conversions", "narrow_integers", "uniform_divisors"]


@pytest.mark.parametrize("processor", ["x86-64", "x86-64-v3"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels(run_python, name, processor):
    code = f"import sys; sys.path.insert(0, sys.argv[1]); from kernels.{name} import run; run(); print('done')"
    assert run_python(code, str(Path(__file__).resolve().parents[1]), TREADLE_CPU=processor) == "done\n"


@cuda.jit
def totals_of_rows(rows, totals):
    i = cuda.grid(1)
    if i < totals.size:
        total = 0.0
        for k in range(rows.shape[1]):
            total += rows[i, k]
        totals[i] = total


def test_elements_a_row_apart_are_gathered_where_that_is_fast(run_python, tmp_path):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_processors import totals_of_rows\n"
        "totals_of_rows.save(sys.argv[2] + '/image', 'void(float32[:, :], float32[:])', 'cpu:' + sys.argv[3])"
    )

    def gathers(processor):
        folder = tmp_path / processor
        folder.mkdir()
        run_python(code, str(Path(__file__).parent), str(folder), processor, TREADLE_DUMP=str(folder))
        return sum(path.read_text().count("vgather") for path in folder.glob("*.asm.txt"))

    # On the others, those under masks remain where processors have such.
    assert gathers("rocketlake") > gathers("znver4") > gathers("skylake") == 0
