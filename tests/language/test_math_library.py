# "Math": functions that Treadle has written in CUDA Python, against CPython's over edge values, in both float types.

import math
from fractions import Fraction

import numpy as np
import pytest
from treadle.intrinsics import Intrinsic

FLOATS = (np.float32, np.float64)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)


def edges(dtype):
    """Zeros, subnormal numbers, ends of ranges, halves, neighbours of powers of two, infinities, NaN."""
    info = np.finfo(dtype)
    least, tiny, largest = float(info.smallest_subnormal), float(info.tiny), float(info.max)
    half = 2.0**info.nmant
    positive = [0.0, least, 3 * least, tiny - least, tiny, 1e-30, 0.1, 0.5, 0.75, 1.0, 1 + float(info.eps), 1.5, 2.0]
    positive += [2.5, 3.0, 7.0, 1e10, half - 0.5, half, half + 1, 2 * half, 2.0**52, 2.0**63, largest / 2, largest]
    positive += [np.pi, 180.0, 1e30, 3e30, math.inf]
    return np.array([*positive, *(-value for value in positive), math.nan], dtype)


def pairs(dtype):
    left, right = np.meshgrid(edges(dtype), edges(dtype))
    return left.ravel(), right.ravel()


def same(found, expected):
    """Equal, signs of zeros included; any NaN equals any other."""
    found, expected = np.asarray(found), np.asarray(expected).astype(np.asarray(found).dtype)
    np.testing.assert_array_equal(found, expected)
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(expected[zero]))


def of_python(function, *operands, other=math.nan):
    """Python's results; `other` where it raises ValueError, an infinity where it raises OverflowError."""
    results = []
    for values in zip(*(side.tolist() for side in operands), strict=True):
        try:
            results.append(function(*values))
        except ValueError:
            results.append(other)
        except OverflowError:
            results.append(math.copysign(math.inf, values[0]))
    return results


@pytest.mark.parametrize("dtype", FLOATS)
def test_ldexp(dtype, each):
    x = np.repeat(edges(dtype), 20)
    exponents = np.array([0, 1, 23, 52, 126, 149, 300, 1022, 2000, 5000])
    i = np.tile(np.concatenate([exponents, -exponents - 1]), len(x) // 20)
    with np.errstate(all="ignore"):
        exact = np.array([float(one) for one in of_python(math.ldexp, x, i)])
        if dtype is np.float32:
            # From float64, rounded once: no float32 is in between where float64 has rounded.
            exact = exact.astype(np.float32)
        for integer in (np.int16, np.int64):
            same(each("math.ldexp(x, y)", [x, i.astype(integer)], dtype), exact)
    random = np.random.default_rng(4)
    x = random.integers(0, 2**32, 500).astype(np.uint32).view(np.float32)
    x, i = x[np.isfinite(x)].astype(dtype), random.integers(-300, 100, np.isfinite(x).sum())
    same(each("math.ldexp(x, y)", [x, i], dtype), np.ldexp(x, i))


@pytest.mark.parametrize("dtype", FLOATS)
def test_frexp_and_modf(dtype, each):
    x = edges(dtype)
    mantissa, exponent = each("math.frexp(x)", [x], (dtype, np.int64))
    same(mantissa, [math.frexp(value)[0] for value in x.tolist()])
    finite = np.isfinite(x)
    assert exponent[finite].tolist() == [math.frexp(value)[1] for value in x[finite].tolist()]
    assert not exponent[~finite].any()
    fraction, whole = each("math.modf(x)", [x], (dtype, dtype))
    same(fraction, [math.modf(value)[0] for value in x.tolist()])
    same(whole, [math.modf(value)[1] for value in x.tolist()])


@pytest.mark.parametrize("dtype", FLOATS)
def test_remainder_and_nextafter(dtype, each):
    x, y = pairs(dtype)
    same(each("math.remainder(x, y)", [x, y], dtype), of_python(math.remainder, x, y))
    with np.errstate(all="ignore"):
        same(each("math.nextafter(x, y)", [x, y], dtype), np.nextafter(x, y))
    random = np.random.default_rng(6)
    x, y = (random.integers(-1000, 1000, 3000).astype(dtype) * dtype(0.25) for _ in range(2))
    same(each("math.remainder(x, y)", [x, y], dtype), of_python(math.remainder, x, y))


@pytest.mark.parametrize("dtype", FLOATS)
def test_ulp(dtype, each):
    x = edges(dtype)
    with np.errstate(all="ignore"):
        spacing = np.spacing(np.where(np.abs(x) == np.finfo(dtype).max, np.nextafter(x, 0), x))
        want = np.where(np.isfinite(x), np.abs(spacing), np.abs(x))
    same(each("math.ulp(x)", [x], dtype), want)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["degrees", "radians"])
def test_angles(name, dtype, each):
    x = edges(dtype)
    with np.errstate(all="ignore"):
        want = np.array(of_python(getattr(math, name), x)).astype(dtype)
        np.testing.assert_allclose(
            each(f"math.{name}(x)", [x], dtype),
            want,
            rtol=2 * np.finfo(dtype).eps,
            atol=np.finfo(dtype).smallest_subnormal,
        )


@pytest.mark.parametrize("dtype", FLOATS)
def test_isclose(dtype, each):
    x, y = pairs(dtype)
    assert each("math.isclose(x, y)", [x, y], bool).tolist() == of_python(math.isclose, x, y)
    x = np.array([1, 1, 1, 0, 0, 100, -1], dtype)
    y = np.array([1 + 1e-3, 1 + 1e-5, -1, 1e-9, 1e-5, 100.5, -1.001], dtype)
    for tolerances in ("rel_tol=1e-4", "abs_tol=1e-7", "rel_tol=1e-2, abs_tol=1e-4", "rel_tol=0.0"):
        want = [eval(f"math.isclose(a, b, {tolerances})") for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        assert each(f"math.isclose(x, y, {tolerances})", [x, y], bool).tolist() == want


@pytest.mark.parametrize("dtype", INTEGERS)
def test_divisors_and_multiples(dtype, each):
    info = np.iinfo(dtype)
    values = [0, 1, 2, 3, 6, 12, 35, 60, 77, 100, info.max, info.max - 1, info.min, info.min + 1, info.max // 6]
    x, y = (side.ravel() for side in np.meshgrid(np.array(values, dtype), np.array(values, dtype)))
    result = np.uint64 if dtype is np.uint64 else np.int64

    def wrapped(function):
        return [function(int(a), int(b)) % 2**64 for a, b in zip(x, y, strict=True)]

    assert (each("math.gcd(x, y)", [x, y], result).astype(np.uint64)).tolist() == wrapped(math.gcd)
    assert (each("math.lcm(x, y)", [x, y], result).astype(np.uint64)).tolist() == wrapped(math.lcm)


def test_divisors_of_integers_of_two_types(each):
    x, y = np.array([-12, 18, -7], np.int8), np.array([8, 27, 2**63], np.uint64)
    assert each("math.gcd(x, y)", [x, y], np.uint64).tolist() == [4, 9, 1]
    assert each("math.gcd(x, 6)", [x], np.int64).tolist() == [6, 6, 1]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_isqrt(dtype, each):
    info = np.iinfo(dtype)
    roots = [0, 1, 2, 3, 5, 11, 15, 255, 256, 46340, 65535, 94906265, 94906267, 3037000499, 4294967295]
    values = {near for root in roots for near in (root * root - 1, root * root, root * root + 1)} | {info.max}
    n = np.array(sorted(value for value in values if 0 <= value <= info.max), dtype)
    assert each("math.isqrt(x)", [n], np.int64).tolist() == [math.isqrt(int(value)) for value in n]
    assert info.min == 0 or each("math.isqrt(x)", [np.array([info.min, -1], dtype)], np.int64).tolist() == [0, 0]


def test_combinations_permutations_and_factorials(each):
    n, k = (side.ravel() for side in np.meshgrid(np.arange(0, 63), np.arange(0, 63)))
    fits = np.array([math.comb(*pair) < 2**63 for pair in zip(n.tolist(), k.tolist(), strict=True)])
    assert fits.all()
    assert each("math.comb(x, y)", [n, k], np.int64).tolist() == of_python(math.comb, n, k)
    large = np.array([[10**6, 2], [3 * 10**9, 2], [66, 33], [10**18, 1]]).T.copy()
    assert each("math.comb(x, y)", list(large), np.int64).tolist() == of_python(math.comb, *large)
    n, k = (side.ravel() for side in np.meshgrid(np.arange(0, 25), np.arange(0, 12)))
    assert each("math.perm(x, y)", [n, k], np.int64).tolist() == of_python(math.perm, n, k)
    n = np.arange(0, 21, dtype=np.int8)
    assert each("math.factorial(x)", [n], np.int64).tolist() == of_python(math.factorial, n)
    assert each("math.perm(x)", [n], np.int64).tolist() == of_python(math.perm, n)
    wrapped = each("math.factorial(x)", [np.array([21, 70, 200])], np.uint64)
    assert wrapped.tolist() == [math.factorial(21) % 2**64, 0, 0]
    negative, one = np.array([-1, 5, -3], np.int8), np.array([1, -1, -3], np.int8)
    for expression in ("math.comb(x, y)", "math.perm(x, y)"):
        assert each(expression, [negative, one], np.int64).tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", FLOATS)
def test_fma_cbrt_and_logarithms_to_a_base(dtype, each, monkeypatch):
    random = np.random.default_rng(8)
    x, y, z = (random.normal(size=200).astype(dtype) for _ in range(3))
    z[:100] = -(x * y)[:100]
    # The interpreter's math need not have these.
    for name in ("fma", "cbrt", "exp2"):
        monkeypatch.setattr(math, name, Intrinsic(f"math.{name}", ""), raising=False)
    exact = [Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)) for a, b, c in zip(x, y, z, strict=True)]
    want = [dtype(np.longdouble(one.numerator) / np.longdouble(one.denominator)) for one in exact]
    np.testing.assert_allclose(each("math.fma(x, y, z)", [x, y, z], dtype), want, rtol=2 * np.finfo(dtype).eps)
    assert np.all(each("math.fma(x, y, z)", [x, y, z], dtype)[:100] != x[:100] * y[:100] + z[:100])
    eps = 4 * np.finfo(dtype).eps
    np.testing.assert_allclose(each("math.cbrt(x)", [x], dtype), np.cbrt(x), rtol=eps)
    np.testing.assert_allclose(each("math.exp2(x)", [x], dtype), np.exp2(x), rtol=eps)
    x, y = abs(x) + dtype(2), abs(y) + dtype(2)
    np.testing.assert_allclose(each("math.log(x, y)", [x, y], dtype), np.log(x) / np.log(y), rtol=eps)
    np.testing.assert_allclose(each("math.log(x, 10)", [x]), np.log10(x), rtol=eps)


def test_gamma_functions(each):
    x = np.array([0.5, 1.0, 5.0, -0.5, -1.75, 20.25, 150.0])
    np.testing.assert_allclose(each("math.gamma(x)", [x]), [math.gamma(value) for value in x], rtol=2e-15)
    np.testing.assert_allclose(each("math.lgamma(x)", [x]), [math.lgamma(value) for value in x], rtol=2e-15)
    poles = np.array([0.0, -0.0, -1.0, -20.0, 172.0, math.inf, -math.inf, math.nan])
    nan, inf = math.nan, math.inf
    same(each("math.gamma(x)", [poles]), [inf, -inf, nan, nan, inf, inf, nan, nan])
    poles[4] = 1e306
    same(each("math.lgamma(x)", [poles]), [inf, inf, inf, inf, inf, inf, inf, nan])


def test_over_tuples_and_arrays(each):
    x, y, z = np.array([3.0, 1.0]), np.array([4.0, 2.0]), np.array([12.0, 2.0])
    for dtype in FLOATS:
        sides = [side.astype(dtype) for side in (x, y, z)]
        # CUDA's hypot of float32 is not exact.
        found = each("math.dist((x, y, z), (x - x, x - x, y - y))", sides, dtype)
        np.testing.assert_allclose(found, [13, 3], rtol=4 * np.finfo(dtype).eps)
        assert each("math.prod((x, y, z))", sides, dtype).tolist() == [144, 4]
        assert each("math.prod((x, y), start=2)", sides[:2], dtype).tolist() == [24, 4]
    huge = np.array([1e300, 3e307])
    assert each("math.dist((x, x), (0.0, 0.0))", [huge]).tolist() == [math.dist((a, a), (0, 0)) for a in huge.tolist()]
    assert each("math.prod(xs)", [np.array([2, 3, 7])], np.int64).tolist() == [42, 42, 42]
    np.testing.assert_allclose(each("math.dist(xs, ys)", [x, y]), math.dist(x, y), rtol=4e-16)


@pytest.mark.filterwarnings("error::treadle.TreadleWarning")
def test_sums_products_and_their_types(each):
    x, n = np.array([0.5, 0.25]), np.array([100, 3], np.int8)
    for dtype in (np.float32, np.float64, np.complex64):
        assert each("sum(xs) + sum((x, x))", [x.astype(dtype)], dtype).tolist() == [1.75, 1.25]
        assert each("math.prod(xs)", [x.astype(dtype)], dtype).tolist() == [0.125, 0.125]
        assert each("sum(xs, y)", [x.astype(dtype), x.astype(dtype)], dtype).tolist() == [1.25, 1.0]
    # 64 bits, whatever the elements have.
    assert each("sum(xs) + sum((x, x, 100))", [n], np.int64).tolist() == [103 + 300, 103 + 106]
    assert each("math.prod((x, x, x))", [n], np.int64).tolist() == [100**3, 27]
    assert each("sum((x, 0.25, True))", [n]).tolist() == [101.25, 4.25]
    huge = np.array([2**63, 2**62], np.uint64)
    assert each("sum(xs)", [huge], np.uint64).tolist() == [2**63 + 2**62] * 2
    assert each("sum(xs[:0], 7) + math.prod(xs[:0], start=2)", [x]).tolist() == [9, 9]
    assert each("any(xs) + 2 * all(xs) + 4 * any((x, 0)) + 8 * all((x, 1))", [n], np.int64).tolist() == [15, 15]
    assert each("any(xs[:0]) + 2 * all(xs[:0]) + 4 * any((0 * x, 0))", [n], np.int64).tolist() == [2, 2]


@pytest.mark.parametrize("dtype", (*FLOATS, *INTEGERS))
def test_divmod(dtype, each):
    info = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else np.finfo(dtype)
    values = np.array([7, 3, 1, 100, 5, info.max / 4], dtype) if np.issubdtype(dtype, np.unsignedinteger) else np.array(
        [7, -7, 3, -3, 1, -1, 100, info.max / 4 if np.issubdtype(dtype, np.integer) else 1e5 + 0.5], dtype)  # fmt: skip
    x, y = (side.ravel() for side in np.meshgrid(values, values))
    quotient, rest = each("divmod(x, y)", [x, y], (dtype, dtype))
    np.testing.assert_array_equal(quotient, x // y)
    np.testing.assert_array_equal(rest, x % y)


def test_sums_of_products(each, monkeypatch):
    monkeypatch.setattr(math, "sumprod", Intrinsic("math.sumprod", ""), raising=False)
    assert each("math.sumprod(xs, ys)", [np.array([2, 3]), np.array([5, 7])], np.int64).tolist() == [31, 31]
    assert each("math.sumprod((x, 2.0), (y, x))", [np.array([3.5]), np.array([5.0])]).tolist() == [24.5]


def test_integers_are_floats_of_their_rules(each):
    n = np.array([0, 1, 2, 5, 8, 100], np.int32)
    np.testing.assert_allclose(each("math.degrees(x)", [n]), np.degrees(n), rtol=3e-7)
    mantissa, exponent = each("math.frexp(x)", [n], (np.float64, np.int64))
    assert list(zip(mantissa, exponent, strict=True)) == [math.frexp(value) for value in n.tolist()]
    assert each("math.ldexp(x, x)", [n[:5]]).tolist() == [math.ldexp(value, value) for value in n[:5].tolist()]
    assert each("math.remainder(x, 3)", [n]).tolist() == [math.remainder(value, 3) for value in n.tolist()]
    fraction, whole = each("math.modf(x)", [n], (np.float64, np.float64))
    assert not fraction.any() and whole.tolist() == n.tolist()
    assert each("math.isclose(x, 5)", [n], bool).tolist() == (n == 5).tolist()


def function(text, count):
    namespace = {"math": math}
    exec(f"def f({', '.join('xyz'[:count])}):\n    return {text}\n", namespace)
    return namespace["f"]


@pytest.mark.parametrize(
    "name, count", [("degrees", 1), ("radians", 1), ("remainder", 2), ("nextafter", 2), ("ulp", 1)]
)
def test_types_are_those_of_math_functions(name, count, result_type):
    call = function(f"math.{name}({', '.join('xyz'[:count])})", count)
    for dtype in ("float32", "float64"):
        assert result_type(call, f"({', '.join([dtype] * count)},)") == dtype
    assert result_type(call, f"({', '.join(['int64'] * count)},)") == "float64"
    narrow = f"({', '.join(['int32'] * count)},)"
    assert result_type(call, narrow, rules="numba") == "float64"
    assert result_type(call, narrow, rules="cuda-python") == "float32"


def test_types_of_tuples_and_integers(result_type):
    assert result_type(function("math.frexp(x)[1]", 1), "(float32,)", rules="cuda-python") == "int32"
    assert result_type(function("math.frexp(x)[0]", 1), "(float32,)") == "float32"
    assert result_type(function("math.ldexp(x, y)", 2), "(float32, int32)") == "float32"
    assert result_type(function("math.modf(x)[1]", 1), "(float64,)") == "float64"
    for text, count in (("gcd(x, y)", 2), ("lcm(x, y)", 2), ("isqrt(x)", 1), ("comb(x, y)", 2), ("factorial(x)", 1)):
        types = ", ".join(["int32"] * count)
        assert result_type(function(f"math.{text}", count), f"({types},)") == "int64"
    for name in ("gcd", "lcm"):
        assert result_type(function(f"math.{name}(x, y)", 2), "(uint64, int8)") == "uint64"
