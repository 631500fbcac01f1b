"""How gdb shows arrays, without gdb: `tests/tools/test_gdb.py` has the whole."""

import numpy as np
import pytest
from treadle import gdb_arrays

ARRAY_FIELDS = ["meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides"]


@pytest.mark.parametrize(
    ("array", "shown"),
    [
        (np.arange(3), "[0, 1, 2]"),
        (np.arange(6).reshape(2, 3), "[[0, 1, 2], [3, 4, 5]]"),
        (np.arange(6).reshape(2, 3).T, "[[0, 3], [1, 4], [2, 5]]"),
        (np.arange(8)[::-3], "[7, 4, 1]"),
        (np.arange(9), "[0, 1, 2, 3, 4, 5, 6, 7, ...]"),
        (np.zeros((2, 0), int), "[[], []]"),
        (np.array(5), "5"),
    ],
)
def test_elements_are_shown_by_their_strides(array, shown):
    base = array.__array_interface__["data"][0]
    flat = {base + k: str(value) for k, value in addresses(array)}
    assert gdb_arrays.text(array.shape, array.strides, lambda offset: flat[base + offset]) == shown


def addresses(array):
    """(offset in bytes, value) of each element."""
    for index in np.ndindex(array.shape):
        yield sum(i * stride for i, stride in zip(index, array.strides)), array[index]


def test_which_structures_are_arrays():
    assert gdb_arrays.is_array(ARRAY_FIELDS, "array(float32, 1d, C)")
    assert not gdb_arrays.is_array(ARRAY_FIELDS, None)
    assert not gdb_arrays.is_array(ARRAY_FIELDS, "Tuple(int64, float64)")
    assert not gdb_arrays.is_array(["data"], "array(float32, 1d, C)")
