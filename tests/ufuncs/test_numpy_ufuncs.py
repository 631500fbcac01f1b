"""NumPy's ufuncs on device arrays, each for each of its types at the edges. NumPy computes what is expected."""

import numpy as np
import pytest
from treadle import _core, cuda

CHARACTERS = "?bBhHiIlLqQefdFD"
UFUNCS = sorted({getattr(np, name).__name__ for name in dir(np) if isinstance(getattr(np, name), np.ufunc)})
PRODUCTS = ("matmul", "matvec", "vecdot", "vecmat")
WIDE = ("exp2", "float_power", "log1p", "power")
"""Of complex numbers: NumPy's own lose more than ours, and are computed with more bits."""
EXACT = {
    "absolute", "add", "ceil", "conjugate", "copysign", "fabs", "floor", "floor_divide", "fmod", "frexp", "heaviside",
    "ldexp", "modf", "multiply", "negative", "nextafter", "positive", "remainder", "rint", "sign", "spacing", "sqrt",
    "subtract", "trunc", "maximum", "minimum", "fmax", "fmin", "degrees", "rad2deg", "deg2rad", "radians",
}  # fmt: skip
"""Of floats, besides comparisons: equal bit for bit."""


def integers(dtype):
    limits = np.iinfo(dtype)
    chosen = [-7, -2, -1, 0, 1, 2, 3, 5, 8, 31, 63, 64, 100, limits.min, limits.min + 1, limits.max - 1, limits.max]
    return np.array([number for number in chosen if limits.min <= number <= limits.max], dtype)


def floats(dtype):
    limits = np.finfo(dtype)
    least, most = float(limits.smallest_subnormal), float(limits.max)
    chosen = [
        0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 7.25, -7.25, 1e-3, float(limits.tiny), least, -3 * least, most,
        -most, float(limits.eps), 1 / 3, 100, -100.7, 20.3, np.inf, -np.inf, np.nan, 1e10, 12345.678,
    ]  # fmt: skip
    return np.array(chosen, dtype)


def complexes(dtype):
    parts = np.array([0.0, -0.0, 1, -1, 0.5, -2.25, 3, 1e-3, -1e-8, 20, -30.5, 1e5])
    real, imag = np.meshgrid(parts, parts)
    numbers = np.empty(real.size, complex)
    numbers.real, numbers.imag = real.ravel(), imag.ravel()
    return numbers.astype(dtype)


def edges(character):
    dtype = np.dtype(character)
    if dtype.kind == "b":
        return np.array([False, True])
    return {"i": integers, "u": integers, "f": floats, "c": complexes}[dtype.kind](dtype)


def arguments(ufunc, characters):
    """Arrays of all combinations of the edges; a choice of them where there are many."""
    grids = np.meshgrid(*(np.arange(edges(character).size) for character in characters))
    places = [grid.ravel() for grid in grids]
    if places[0].size > 4000:
        chosen = np.random.default_rng(1).choice(places[0].size, 4000, replace=False)
        places = [place[chosen] for place in places]
    found = [edges(character)[place] for character, place in zip(characters, places, strict=True)]
    kind = found[0].dtype.kind
    keep = np.ones(found[0].shape, bool)
    if ufunc is np.power and kind == "i":
        keep = found[1] >= 0
    if ufunc is np.reciprocal and kind in "iuc":
        keep = found[0] != 0  # undefined, or infinite
    if ufunc is np.hypot and _core.device_kind(0) == "CUDA":
        most = np.finfo(found[0].dtype).max  # without libdevice it overflows there
        keep = (np.abs(found[0]) != most) & (np.abs(found[1]) != most)
    if ufunc is np.nextafter and found[0].itemsize == 2 and np.lib.NumpyVersion(np.__version__) < "2.5.0":
        keep = (found[0] != 0) | (found[1] != 0)  # of equal zeros it was the first
    return [array[keep] for array in found]


def types_of(ufunc):
    kept = [text for text in ufunc.types if all(character in CHARACTERS for character in text.replace("->", ""))]
    return sorted(set(kept))


def same_bits(found, expected):
    """NaN is NaN, whatever its sign and payload."""
    both_nan = np.isnan(found) & np.isnan(expected)
    return ((found == expected) & (np.signbit(found) == np.signbit(expected))) | both_nan


def close_floats(found, expected, error):
    limits = np.finfo(expected.dtype)
    near = np.abs(found - expected) <= error * limits.eps * np.maximum(np.abs(expected), limits.tiny)
    near &= (np.signbit(found) == np.signbit(expected)) | np.isnan(expected)
    return near | same_bits(found, expected)


def close_complexes(name, found, expected, operands):
    """By the distance, relative to the number; of powers, to how much they enlarge the error of a logarithm."""
    eps = np.finfo(expected.dtype).eps
    error = np.full(expected.shape, 1e5 if name == "log1p" else 32.0)
    wide = [operand.astype(np.clongdouble) for operand in operands]
    if name in WIDE:
        expected = getattr(np, name)(*wide)
    if name == "exp2":
        error *= 1 + np.abs(wide[0])
    if name in ("power", "float_power"):
        error *= 1 + np.abs(wide[1] * np.log(np.where(wide[0] == 0, 1, wide[0])))
    finite = np.isfinite(expected.astype(found.dtype))
    near = np.abs(found - expected) <= error * eps * np.maximum(np.abs(expected), np.finfo(found.dtype).tiny)
    return np.where(finite, near, ~np.isfinite(found))


def agreement(ufunc, found, expected, operands):
    if expected.dtype.kind in "biu":
        return found == expected
    name = ufunc.__name__
    if expected.dtype.kind == "c":
        return close_complexes(name, found, expected, operands)
    if name in EXACT and operands[0].dtype.kind != "c":
        zeros = (found == 0) & (expected == 0) if name in ("maximum", "minimum", "fmax", "fmin") else False
        return same_bits(found, expected) | zeros
    if name in ("logaddexp", "logaddexp2"):
        limits = np.finfo(expected.dtype)
        largest = np.maximum(np.abs(operands[0]), np.abs(operands[1]))
        return (np.abs(found - expected) <= 8 * limits.eps * np.maximum(largest, 1)) | same_bits(found, expected)
    return close_floats(found, expected, 8)


CASES = [
    (name, types)
    for name in UFUNCS
    if name not in PRODUCTS
    for types in types_of(getattr(np, name))
]  # fmt: skip


@pytest.mark.parametrize("name", sorted({name for name, _ in CASES}))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_type_at_the_edges(name):
    ufunc = getattr(np, name)
    for types in types_of(ufunc):
        operands = arguments(ufunc, types.partition("->")[0])
        with np.errstate(all="ignore"):
            expected = ufunc(*operands, signature=types)
            found = ufunc(*map(cuda.to_device, operands), signature=types)
            for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, expected)), strict=True):
                assert cuda.is_cuda_ndarray(one) and one.dtype == other.dtype, types
                host = one.copy_to_host()
                wrong = np.flatnonzero(~agreement(ufunc, host, other, operands))
                report = [(types, *(x[i] for x in operands), host[i], other[i]) for i in wrong[:5]]
                assert not report, f"{len(wrong)} differ: {report}"


def test_there_is_something_to_test():
    assert len({name for name, _ in CASES}) >= 80 and len(CASES) > 500


@pytest.mark.parametrize("name", ["log2", "sign"])
def test_infinite_complex_numbers(name):
    parts = [-np.inf, -2.25, -0.0, 0.0, 1.0, np.inf]
    numbers = np.array([complex(real, imag) for real in parts for imag in parts if np.isinf([real, imag]).any()])
    with np.errstate(all="ignore"):
        want = getattr(np, name)(numbers)
        found = getattr(np, name)(cuda.to_device(numbers)).copy_to_host()
    for part in ("real", "imag"):
        np.testing.assert_allclose(getattr(found, part), getattr(want, part), rtol=1e-15)


def test_ufuncs_without_types_of_kernels():
    with pytest.raises(TypeError, match="isnat"):
        np.isnat(cuda.to_device([1.0]))


RNG = np.random.default_rng(7)
REDUCED = [
    "add",
    "multiply",
    "maximum",
    "fmin",
    "logical_and",
    "logical_or",
    "bitwise_xor",
    "subtract",
    "divide",
    "gcd",
]


def outcome(call):
    """The value, or the class of the error."""
    with np.errstate(all="ignore"):
        try:
            found = call()
        except (TypeError, ValueError) as error:
            return ValueError if isinstance(error, ValueError) else TypeError
    return found.copy_to_host() if cuda.is_cuda_ndarray(found) else found


@pytest.mark.share(every=4)
@pytest.mark.parametrize("method", ["reduce", "accumulate"])
@pytest.mark.parametrize("name", REDUCED)
def test_reductions(name, method):
    for dtype in ("?", "i1", "u2", "i4", "u8", "f4", "f8", "c8"):
        x = RNG.integers(0, 2 if dtype == "?" else 4, (5, 3, 7)).astype(dtype)
        for axis in (0, 2, -2, (0, 2), None):
            if method == "accumulate" and not isinstance(axis, int):
                continue
            for view in (lambda a: a, lambda a: a.T, lambda a: a[::2, :, ::-1]):
                expected = outcome(lambda: getattr(getattr(np, name), method)(view(x), axis=axis))  # noqa: B023
                found = outcome(lambda: getattr(getattr(np, name), method)(view(cuda.to_device(x)), axis=axis))  # noqa: B023
                if isinstance(expected, type):
                    assert found is expected
                    continue
                assert found.dtype == expected.dtype and found.shape == expected.shape
                np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_reductions_as_functions_of_numpy():
    x = RNG.random((40, 50))
    d = cuda.to_device(x)
    assert isinstance(np.sum(d), np.float64) and np.isclose(np.sum(d), x.sum())
    np.testing.assert_allclose(np.sum(d, axis=0).copy_to_host(), x.sum(0))
    np.testing.assert_allclose(np.prod(d, axis=(0, 1), keepdims=True), [[x.prod()]])
    assert np.max(d) == x.max() and np.min(d, initial=-1) == -1 and np.any(d) and np.all(d)
    assert np.add.reduce(d, axis=0, dtype=np.float32).dtype == np.float32
    assert np.add.reduce(cuda.to_device(np.zeros((0, 3)))).copy_to_host().tolist() == [0, 0, 0]
    assert np.multiply.reduce(cuda.to_device(np.zeros(0, np.int8))) == 1
    out = cuda.device_array(50)
    assert np.add.reduce(d, out=out) is out and np.allclose(out.copy_to_host(), x.sum(0))
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum which has no identity"):
        np.maximum.reduce(cuda.to_device(np.zeros(0)))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "?", "c16", "i1", "u8"])
def test_products_of_matrices(dtype):
    def made(*shape):
        numbers = RNG.integers(0, 3, shape).astype(dtype)
        return numbers + 1j * RNG.integers(0, 3, shape) if dtype == "c16" else numbers

    shapes = [
        ((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (6, 4, 5)),
        ((3, 4), (7, 4, 2)), ((0, 4), (4, 2)), ((3, 0), (0, 2)),
    ]  # fmt: skip
    for first, second in shapes:
        a, b = made(*first), made(*second)
        found, expected = np.matmul(cuda.to_device(a), cuda.to_device(b)), np.matmul(a, b)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.copy_to_host(), expected)
    a = made(2, 3, 4)
    for name, x, y in (("vecdot", a, a[:, ::-1]), ("matvec", a, a[0, 0]), ("vecmat", a[0, :, 0].copy(), a)):
        if hasattr(np, name):
            found = getattr(np, name)(cuda.to_device(x), y).copy_to_host()
            np.testing.assert_array_equal(found, getattr(np, name)(x, y))
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        np.matmul(cuda.to_device(made(2, 3)), made(2, 3))


def test_operands_and_results_of_host_and_device():
    x = RNG.random((4, 5))
    d = cuda.to_device(x)
    calls = [
        lambda a: np.add(a, 1), lambda a: np.multiply(a, x), lambda a: np.subtract(x[0], a), lambda a: x + a,
        lambda a: np.float64(2) * a, lambda a: np.add.outer(a[0], a[1]), lambda a: np.hypot(a.T, [[1.0]]),
    ]  # fmt: skip
    for call in calls:
        assert cuda.is_cuda_ndarray(call(d))
        np.testing.assert_allclose(call(d).copy_to_host(), call(x), rtol=1e-15)
    out, host = cuda.device_array((4, 5)), np.empty((4, 5))
    assert np.sqrt(d, out=out) is out and np.sqrt(d, out=host) is host
    assert (out.copy_to_host() == np.sqrt(x)).all() and (host == np.sqrt(x)).all()
    whole, rest = np.divmod(d, 0.3)
    np.testing.assert_array_equal(whole.copy_to_host(), x // 0.3)
    np.testing.assert_array_equal(rest.copy_to_host(), x % 0.3)
    parts, exponents = np.frexp(d, out=(out, None))
    assert parts is out and exponents.dtype == np.int32
    kept = np.sqrt(d, where=x > 0.5, out=cuda.to_device(np.zeros((4, 5))))
    np.testing.assert_array_equal(kept.copy_to_host(), np.where(x > 0.5, np.sqrt(x), 0))
    with pytest.raises(TypeError, match="unsupported operand"):
        d + 1


CHOICES = [
    lambda a: np.add(a, 1), lambda a: np.add(a, 2.5), lambda a: np.add(a, 1j), lambda a: np.true_divide(a, a),
    lambda a: np.power(a, 2), lambda a: np.less(a, 3), lambda a: np.add(a, np.int64(1)),
    lambda a: np.add(a, a, dtype="f8"),
    lambda a: np.float_power(a, 2), lambda a: np.arctan2(a, np.float32(1)), lambda a: np.equal(a, -5),
    lambda a: np.ldexp(np.float32(1), a), lambda a: np.less(a, 300), lambda a: np.greater(a, 2**63),
    lambda a: np.add(a, True), lambda a: np.add(a, a, signature="ll->l", casting="unsafe"),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8"])
@pytest.mark.parametrize("number", range(len(CHOICES)))
def test_types_are_numpys_choice(number, dtype):
    call, x = CHOICES[number], np.array([1, 2, 100], dtype)
    try:
        expected = call(x)
    except TypeError:
        with pytest.raises(TypeError):
            call(cuda.to_device(x))
        return
    found = call(cuda.to_device(x))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.copy_to_host(), expected, rtol=1e-6)


MIXED = "?bBhHiIqQefdFD"
NUMBERS = (True, 1, -1, 300, 2.5, 1j)
LOGICAL = ("logical_and", "logical_or", "logical_xor")
OF_TWO = [name for name in UFUNCS if getattr(np, name).nin == 2 and getattr(np, name).signature is None]


def mixed_operands():
    """Pairs of arrays of all types, and of such an array and a number of Python's."""
    first = {code: np.array([0, 1, 2, 3]).astype(code) for code in MIXED}
    second = {code: np.array([1, 1, 0, 2]).astype(code) for code in MIXED}
    yield from ((first[one], second[other]) for one in MIXED for other in MIXED)
    for code in MIXED:
        for number in NUMBERS:
            yield first[code], number
            yield number, first[code]


def result_or_error(ufunc, operands):
    with np.errstate(all="ignore"):
        try:
            found = ufunc(*operands)
        except (TypeError, ValueError, OverflowError) as error:
            return next(kind for kind in (TypeError, ValueError, OverflowError) if isinstance(error, kind))
    found = found if isinstance(found, tuple) else (found,)
    return [one.copy_to_host() if cuda.is_cuda_ndarray(one) else one for one in found]


def check_mixed(name, step=1):
    ufunc = getattr(np, name)
    for place, operands in enumerate(mixed_operands()):
        if (place + len(name)) % step:
            continue
        given = tuple(cuda.to_device(one) if isinstance(one, np.ndarray) else one for one in operands)
        expected, found = result_or_error(ufunc, operands), result_or_error(ufunc, given)
        if isinstance(expected, type) or isinstance(found, type):
            assert found is expected, (name, operands)
            continue
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype, (name, operands)
            np.testing.assert_allclose(one, other, rtol=2e-3, err_msg=str((name, operands)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OF_TWO)
def test_operands_of_two_types(name):
    """NumPy's results, of its types, or its errors."""
    check_mixed(name, step=10 if name in LOGICAL else 70)


@pytest.mark.share(every=4)
@pytest.mark.deep
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OF_TWO)
def test_operands_of_all_pairs_of_types(name):
    check_mixed(name)


D = cuda.to_device
WRONG = [
    (lambda: np.add.at(D([1.0]), [0], 1), TypeError, r"add.at\(\) is not supported on device arrays: copy them"),
    (lambda: np.add.reduceat(D([1.0]), [0]), TypeError, r"add.reduceat\(\) is not supported on device arrays"),
    (lambda: np.bitwise_and(D([1.0]), 1), TypeError, "bitwise_and"),
    (lambda: np.add(D([1.0]), 1, dtype=np.float32, casting="safe"), TypeError, "safe"),
    (lambda: np.add(D([1.0]), 1, out=D(np.int32([1]))), TypeError, "cannot cast the result from float64 to int32"),
    (lambda: np.add(D(np.int8([1])), 300), OverflowError, "300"),
    (lambda: np.add(D([1.0]), np.array(["a"])), TypeError, "add"),
    (lambda: np.add(D([1.0]), object()), TypeError, "kernels compute with bool, integers, .*, found dtype object"),
    (lambda: np.add(D([1.0]), np.datetime64("2020")), TypeError, "datetime64|M8"),
    (lambda: np.power(D(np.arange(3)), -1), ValueError, "Integers to negative integer powers are not allowed"),
    (lambda: np.add.reduce(D([1.0]), where=np.array([True])), TypeError, "where= is not supported on device arrays"),
    (lambda: np.subtract.reduce(D(np.ones((2, 2))), axis=None), ValueError, "not reorderable"),
    (lambda: np.add(D(np.ones(2)), np.ones(3)), ValueError, r"broadcast together with shapes \(2,\) \(3,\)"),
    (lambda: np.sqrt.reduce(D(np.ones(2))), ValueError, "binary|two operands"),
    (lambda: np.add(D(np.ones(2)), 1, out=D(np.ones(3))), ValueError, "broadcast"),
    (lambda: np.add(D(np.ones(2, np.longdouble)), 1), TypeError, "float128|longdouble"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, message", WRONG)
def test_what_is_not_supported(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_calls_that_are_made_again():
    x = np.array([1, 2, 100], np.uint8)
    d, out = cuda.to_device(x), cuda.device_array(3, bool)
    for limit in (3, 300, 100, -1, 2**70, 3.5, True) * 2:
        np.testing.assert_array_equal(np.less(d, limit).copy_to_host(), np.less(x, limit))
        assert np.less(d, limit, out=out) is out
        np.testing.assert_array_equal(out.copy_to_host(), np.less(x, limit))
    for number in (1, 2, 1.5, np.int16(3), np.float32(2)) * 2:
        found = np.multiply(number, d)
        assert found.dtype == np.multiply(number, x).dtype
        np.testing.assert_array_equal(found.copy_to_host(), np.multiply(number, x))
    for _ in range(2):
        assert np.power(d, 2).copy_to_host().tolist() == [1, 4, 16]
        with pytest.raises(OverflowError):
            np.add(d, 300)
        with pytest.raises(ValueError, match="negative"):
            np.power(cuda.to_device(np.int32([1])), -1)
        assert np.add(d, d, dtype=np.float64).dtype == np.float64 and np.add(d, d).dtype == np.uint8
