"""Every file of tests/kernels: launched, and compared with its simulation in Python or with NumPy."""

import pytest
from kernels.test_kernels import FILES, load

LEFT_OUT: dict[str, str] = {}
"""File: why it cannot pass on a GPU."""

assert set(LEFT_OUT) <= {path.stem for path in FILES}, "nothing is left to leave out"


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_result(path):
    if path.stem in LEFT_OUT:
        pytest.skip(LEFT_OUT[path.stem])
    load(path).run()
