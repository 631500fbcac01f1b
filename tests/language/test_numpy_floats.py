# NumPy's functions of floats in kernels, on numbers and in array expressions. NumPy is the oracle.

import numpy as np
import pytest
from treadle import cuda, errors

EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.75, 3.25, 700.0, -745.0, 1e-40, np.inf, -np.inf, np.nan]
# In units of the last place: those that are computed by exp and log, and those that are exact.
BINARY = {"logaddexp": 4, "logaddexp2": 4, "heaviside": 0, "nextafter": 0, "float_power": 4}
UNARY = ["signbit", "spacing"]


def close(found, expected, digits):
    expected = np.asarray(expected)
    if digits == 0 or expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(expected[expected == 0]))
    else:
        np.testing.assert_allclose(
            found,
            expected,
            rtol=digits * np.finfo(expected.dtype).eps,
            atol=np.finfo(expected.dtype).smallest_subnormal,
        )


def operands(dtype):
    values = np.array(EDGES, dtype)
    return np.repeat(values, len(values)), np.tile(values, len(values))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("rules", ["numba", "cuda-python"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", BINARY)
def test_of_two_operands(name, dtype, rules):
    function = getattr(np, name)
    x, y = operands(dtype)

    @cuda.jit(rules=rules)
    def kernel(x, y, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i], y[i])

    @cuda.jit(rules=rules)
    def whole(x, y, out):
        out[:] = function(x, y)

    expected = function(x, y)
    for one, launch in ((kernel, (6, 32)), (whole, (1, 1))):
        out = np.zeros_like(expected)
        one[launch](x, y, out)
        close(out, expected, BINARY[name])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", UNARY)
def test_of_one_operand(name, dtype):
    function = getattr(np, name)
    largest = np.finfo(dtype).max
    x = np.array([*[value for value in EDGES if not np.isnan(value)], largest, -largest], dtype)

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i])

    expected = function(x)
    out = np.zeros_like(expected)
    kernel[1, 32](x, out)
    close(out, expected, 0)


def test_ldexp_and_bits():
    count = getattr(np, "bitwise_count", None)

    @cuda.jit
    def kernel(x, exponents, out):
        out[:] = np.ldexp(x, exponents)

    x, exponents = np.array([0.75, -1.5, 3.0, 1e-300]), np.array([3, -1070, 1023, 900])
    out = np.zeros(4)
    kernel[1, 1](x, exponents, out)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, np.ldexp(x, exponents))
    if count is None:
        pytest.skip("this NumPy has no bitwise_count")

    @cuda.jit
    def bits(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = np.bitwise_count(x[i])

    for dtype in ("i1", "u1", "i4", "u4", "i8", "u8"):
        x = np.array([0, 1, 7, 100, 127], dtype)
        out = np.zeros(5, "u1")
        bits[1, 32](x, out)
        np.testing.assert_array_equal(out, count(x))


def test_complex_numbers_are_refused():
    @cuda.jit
    def kernel(x, out):
        out[0] = np.logaddexp(x[0], 1.0)

    with pytest.raises(errors.TypingError, match="one of real numbers"):
        kernel[1, 1](np.zeros(1, complex), np.zeros(1))
