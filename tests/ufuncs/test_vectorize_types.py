"""`vectorize`: which loop a call has: by signatures, by the types of the call, and with Python's numbers."""

import numpy as np
import pytest
from treadle import cuda, float32, float64, int8, int64, vectorize

ARRAYS = ["?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
PYTHONS = [True, 3, 2.5, 1j]


def host(array):
    return array.copy_to_host() if cuda.is_cuda_ndarray(array) else array


@pytest.mark.parametrize("of_device", [False, True], ids=["host", "device"])
def test_pythons_numbers_take_the_type_of_what_stands_beside_them(of_device):
    """Without signatures; NumPy names the type: of integers, which kernels widen, what it makes of the number."""
    for code in ARRAYS:
        for number in PYTHONS[code == "?" :]:  # a sum of bools is an integer in kernels
            made, swapped = vectorize(lambda x, y: x + y), vectorize(lambda x, y: x + y)
            x = np.ones(2, code)
            given = cuda.to_device(x) if of_device else x
            expected = np.add(x, number)
            for found in (made(given, number), swapped(number, given)):
                if expected.dtype.kind in "fc":
                    assert found.dtype == expected.dtype, (code, number)
                np.testing.assert_array_equal(host(found), expected)
            beside = np.dtype(bool) if number is True else np.result_type(x.dtype, type(number)(0))
            assert made.loops[0].inputs == (x.dtype, beside), (code, number)


@pytest.mark.parametrize("code, number", [("u1", 300), ("u1", -1), ("i1", 128), ("u8", -1), ("i4", 2**31)])
def test_pythons_integers_that_do_not_fit(code, number):
    made = vectorize(lambda x, y: x + y)
    for _ in range(2):
        assert made(np.ones(2, code), 1).tolist() == [2, 2]
        with pytest.raises(OverflowError, match=str(number)):
            made(np.ones(2, code), number)


def test_what_was_called_before_does_not_count():
    operands = [
        (np.ones(1), 2.5), (np.int16([2**14]), np.int16([4])), (3, 4), (np.float32([1]), 1.5),
        (np.int64([2**60 + 1]), 1), (np.ones(1, "?"), True), (np.uint8([200]), 2),
    ]  # fmt: skip
    alone = [vectorize(lambda x, y: x * y)(*given) for given in operands]
    for places in (range(len(operands)), reversed(range(len(operands)))):
        made = vectorize(lambda x, y: x * y)
        for place in places:
            found = made(*operands[place])
            assert found.dtype == alone[place].dtype and found.tolist() == alone[place].tolist()


def test_the_signature_of_the_operands_types_comes_before_those_that_cast():
    f = vectorize([number(number, number) for number in (float64, float32, int64, int8)])(lambda x, y: x + y)
    for code in ("f8", "f4", "i8", "i1"):
        for x in (np.ones(3, code), cuda.to_device(np.ones(3, code))):
            assert f(x, x).dtype == np.dtype(code)
            assert f(x, 1).dtype == np.dtype(code)
    assert f(np.float32([1]), 2.5).dtype == np.float32
    assert f(np.int16([1]), np.int16([1])).dtype == np.float64  # none of its type: the first that it casts to
