# "Array Operations": attributes, loads and stores.

import numpy as np
import pytest
from treadle import cuda
from treadle.errors import CompileError, TypingError


def run(rules, function, *arguments):
    cuda.jit(function, rules=rules)[1, 1](*arguments)


def test_shape_is_a_tuple_of_intp(result_type):
    assert result_type(lambda a: a.shape, "(float32[:, :],)") == "UniTuple(int64 x 2)"
    assert result_type(lambda a: a.shape[0], "(int8[::1],)") == "int64"


def test_strides_are_a_tuple_of_intp_in_bytes(result_type, rules):
    assert result_type(lambda a: a.strides, "(float32[:, :, :],)") == "UniTuple(int64 x 3)"

    def kernel(a, out):
        out[0], out[1] = a.strides[0], a.strides[1]

    out = np.zeros(2, np.int64)
    run(rules, kernel, np.zeros((4, 6), np.float32)[::2, ::-3], out)
    assert out.tolist() == [48, -12]


def test_size_is_the_number_of_elements_whatever_the_strides(rules, result_type):
    def kernel(a, out):
        out[0] = a.size

    out = np.zeros(1, np.int64)
    run(rules, kernel, np.broadcast_to(np.float64(1), (5, 7)), out)
    assert out[0] == 35
    run(rules, kernel, np.zeros(10)[::-2], out)
    assert out[0] == 5
    assert result_type(lambda a: a.size, "(float32[:],)") == "int64"


def test_ndim_is_an_intp(result_type):
    assert result_type(lambda a: a.ndim, "(float32[:, :, :],)") == "int64"


@pytest.mark.parametrize("attribute", ["shape", "strides", "size", "ndim"])
def test_attributes_are_read_only(rules, attribute):
    namespace = {}
    exec(f"def kernel(a):\n    a.{attribute} = 1\n", namespace)
    with pytest.raises(CompileError, match=attribute):
        run(rules, namespace["kernel"], np.zeros(3))


@pytest.mark.parametrize("ty", ["bool", "int8", "uint64", "float32", "complex128"])
def test_an_element_has_the_arrays_type(result_type, ty):
    assert result_type(lambda a, i: a[i], f"({ty}[::1], int64)") == ty
    assert result_type(lambda a, i, j: a[i, j], f"({ty}[:, :], int64, int32)") == ty


def test_a_stored_value_is_coerced_to_the_element_type(rules):
    def kernel(a, b, c):
        a[0] = 300.75
        b[0] = 7
        c[0] = 2

    a, b, c = np.zeros(1, np.int32), np.zeros(1, np.float32), np.zeros(1, np.complex64)
    run(rules, kernel, a, b, c)
    assert (a[0], b[0], c[0]) == (300, 7, 2)


def test_a_full_index_takes_ndim_indices(rules):
    def kernel(a):
        a[0, 0, 0] = 1

    with pytest.raises(TypingError, match="2"):
        run(rules, kernel, np.zeros((2, 2)))


def test_masks_as_indices_are_refused(rules):
    def kernel(a, b, out):
        out[0] = a[b]

    with pytest.raises(CompileError, match="cannot be an index here"):
        run(rules, kernel, np.zeros(4), np.zeros(4, np.bool_), np.zeros(1))


def test_a_store_to_a_read_only_array_is_refused(rules):
    def kernel(a):
        a[0] = 1

    fixed = np.zeros(4)
    fixed.flags.writeable = False
    with pytest.raises(TypingError, match="read-only"):
        run(rules, kernel, fixed)
