# Captured arrays in PTX, element by element, on the machine that runs PTX.

import numpy as np
import pytest
from kernels.captured_arrays import HALF, LARGE, LONG, MIDDLE, OTHER, TABLES, are_same, both, reader

from ptx import ptx_code


@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize("tables", [TABLES, MIDDLE, LARGE], ids=["tables", "middle", "large"])
def test_elements(tables, opt):
    for table in tables:
        arrays = {"out": np.zeros_like(table)}
        launch = ptx_code.load(reader(table).py_func, ptx_code.signature_of(arrays), {}, opt)
        launch((-(-table.size // 128), 1, 1), (128, 1, 1), arrays)
        assert are_same(arrays["out"], table), f"{table.dtype}[{table.size}]"


def test_elements_at_fixed_places():
    """LLVM knows what is in small arrays, and must not take it that large ones have nothing in them."""
    arrays = {"out": np.zeros(OTHER.size, "i4")}
    ptx_code.load(both.py_func, ptx_code.signature_of(arrays))((100, 1, 1), (100, 1, 1), arrays)
    np.testing.assert_array_equal(arrays["out"], HALF[: OTHER.size] ^ OTHER ^ LONG[-1])
