"""Every file of tests/kernels: launched, and compared with its simulation in Python or with NumPy."""

import pytest
from gpu_borrowed import ON_STAND_IN
from kernels.test_kernels import FILES, load

PRINTS = "it looks for what kernels print in Python's own output, and in the order of blocks"
LEFT_OUT = {
    "conditions_of_barriers": PRINTS,
    "kernel_print": PRINTS,
    "raise_in_debug": "it expects the first of several threads that fail, where a GPU reports any of them",
}
"""File: why it cannot pass on a GPU."""
RACES, LONG = "the stand-in refuses its races", "it takes minutes there"
LEFT_OUT_ON_STAND_IN = {
    "divergence_in_operands": RACES,
    "grid_beyond_int32": LONG,
    "memory_of_others": RACES,
    "streamed_stores": LONG,
    "strided_loops": RACES,
    "waiting_loops": RACES,
}
LEFT_OUT |= LEFT_OUT_ON_STAND_IN if ON_STAND_IN else {}

assert set(LEFT_OUT) | set(LEFT_OUT_ON_STAND_IN) <= {path.stem for path in FILES}, "nothing is left to leave out"


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_result(path):
    if path.stem in LEFT_OUT:
        pytest.skip(LEFT_OUT[path.stem])
    load(path).run()
