# "NumPy's functions of numbers": NumPy's values and types; bit counts and other methods of numbers, CPython's.

import math

import numpy as np
import pytest

FLOATS = (np.float32, np.float64)
UNARY = {
    "sin": 9, "cos": 9, "tan": 1.5, "arcsin": 1, "arccos": 1, "arctan": 40, "sinh": 3, "cosh": 3, "tanh": 3,
    "arcsinh": 4, "arctanh": 0.9, "exp": 6, "exp2": 6, "expm1": 2, "cbrt": 40, "fabs": 5, "floor": 9, "ceil": 9,
    "trunc": 9, "rint": 9, "degrees": 9, "radians": 500, "rad2deg": 9, "deg2rad": 500,
}  # fmt: skip
POSITIVE = {"arccosh": 1, "log": 0, "log2": 0, "log10": 0, "log1p": 0, "sqrt": 0}
COMPLEX = (
    "sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh exp log log2 log10 sqrt "
    "absolute sign square reciprocal conjugate"
).split()


def values_for(name, dtype):
    random = np.random.default_rng(3)
    if name in UNARY:
        x = random.uniform(-UNARY[name], UNARY[name], 100)
        if name in ("floor", "ceil", "trunc", "rint"):
            x = np.append(x, [0.5, 1.5, 2.5, -0.5, -0.2, 1e15 + 0.5, 1e300, math.inf, math.nan, -0.0])
    else:
        x = POSITIVE[name] + random.uniform(0.01, 20, 100)
    with np.errstate(all="ignore"):
        return x.astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [*UNARY, *POSITIVE])
def test_functions_of_one_float(name, dtype, each):
    x = values_for(name, dtype)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x)
    found = each(f"np.{name}(x)", [x], dtype)
    np.testing.assert_allclose(found, want, rtol=8 * np.finfo(dtype).eps, atol=np.finfo(dtype).eps)
    if name in ("floor", "ceil", "trunc", "rint", "fabs"):
        np.testing.assert_array_equal(found, want)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(want))


@pytest.mark.parametrize("name", ["arctan2", "hypot", "copysign", "fmod"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_two_floats(name, dtype, each):
    random = np.random.default_rng(3)
    special = np.array([0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, math.nan])
    x, y = (
        np.concatenate([side.ravel(), random.normal(size=100)]).astype(dtype) for side in np.meshgrid(special, special)
    )
    y[-50:] = random.normal(size=50)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x, y)
    found = each(f"np.{name}(x, y)", [x, y], dtype)
    np.testing.assert_allclose(found, want, rtol=4 * np.finfo(dtype).eps)
    zero = want == 0
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(want[zero]))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", COMPLEX)
def test_functions_of_complex_numbers(name, dtype, each):
    random = np.random.default_rng(7)
    z = (random.normal(size=100) + 1j * random.normal(size=100)).astype(dtype)
    want = getattr(np, name)(z)
    if name == "sign" and np.lib.NumpyVersion(np.__version__) < "2.0.0":
        want = z / np.abs(z)
    found = each(f"np.{name}(x)", [z], want.dtype)
    assert np.all(np.abs(found - want) <= 16 * np.finfo(dtype).eps * np.abs(want))


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1's sign is that of the real part")
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_signs_and_reciprocals_of_infinite_complex_numbers(dtype, each):
    parts = [-math.inf, -3.0, -0.0, 0.0, 0.7, 1e30, math.inf, math.nan]
    numbers = np.array([complex(real, imag) for real in parts for imag in parts], dtype)
    for name in ("sign", "reciprocal"):
        with np.errstate(all="ignore"):
            want = getattr(np, name)(numbers)
        found = each(f"np.{name}(x)", [numbers], dtype)
        for part in ("real", "imag"):
            np.testing.assert_allclose(getattr(found, part), getattr(want, part), rtol=2 * np.finfo(dtype).eps)


def test_classifications(each):
    x = np.array([0.0, -1.5, math.inf, -math.inf, math.nan])
    z = np.array(
        [1 + 1j, complex(math.inf, 0), complex(0, -math.inf), complex(math.nan, 1), complex(math.nan, math.inf)]
    )
    for name in ("isnan", "isinf", "isfinite"):
        for operand in (x, x.astype(np.float32), z, z.astype(np.complex64)):
            assert each(f"np.{name}(x)", [operand], bool).tolist() == getattr(np, name)(operand).tolist()
        assert each(f"np.{name}(x)", [np.array([0, 7])], bool).tolist() == getattr(np, name)(np.array([0, 7])).tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64, np.float32, np.float64])
def test_functions_that_keep_the_type(dtype, each):
    x = np.array([1, 2, 3, 100, 0, 7], dtype)
    if np.dtype(dtype).kind != "u":
        x = np.concatenate([x, -x])
    if np.dtype(dtype).kind == "f":
        x = np.append(x, [math.inf, math.nan, 0.25, -0.5]).astype(dtype)
    with np.errstate(all="ignore"):
        for name in ("absolute", "sign", "square", "conjugate"):
            np.testing.assert_array_equal(each(f"np.{name}(x)", [x], dtype), getattr(np, name)(x))
        some = x[x != 0]
        np.testing.assert_array_equal(each("np.reciprocal(x)", [some], dtype), np.reciprocal(some))
        np.testing.assert_array_equal(each("np.abs(x)", [x], dtype), np.abs(x))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint16])
def test_fmod_of_integers(dtype, each):
    values = [1, 2, 3, 7, 100, np.iinfo(dtype).max, np.iinfo(dtype).min]
    values += [-3, -7, -100] if np.iinfo(dtype).min else [50]
    x, y = (side.ravel() for side in np.meshgrid(np.array(values, dtype), np.array(values, dtype)))
    x, y = x[y != 0], y[y != 0]
    np.testing.assert_array_equal(each("np.fmod(x, y)", [x, y], np.int64), np.fmod(x, y))
    assert each("np.fmod(x, y)", [x, y * dtype(0)], np.int64).tolist() == [0] * len(x)


def test_parts_and_angles(each):
    z = np.array([1 + 2j, -3 - 0.5j, -1, 0, 2j])
    for name in ("real", "imag", "angle"):
        np.testing.assert_allclose(each(f"np.{name}(x)", [z]), getattr(np, name)(z), rtol=1e-15)
        np.testing.assert_allclose(each(f"np.{name}(x)", [z.real.copy()]), getattr(np, name)(z.real), rtol=1e-15)
    np.testing.assert_allclose(each("np.angle(x, True)", [z]), np.angle(z, deg=True), rtol=1e-15)
    np.testing.assert_allclose(each("np.angle(x, deg=True)", [z]), np.angle(z, deg=True), rtol=1e-15)
    np.testing.assert_array_equal(each("np.conj(x)", [z], complex), np.conj(z))


def function(text, count=1):
    namespace = {"np": np}
    exec(f"def f({', '.join('xy'[:count])}):\n    return {text}\n", namespace)
    return namespace["f"]


@pytest.mark.share(every=4)
@pytest.mark.parametrize("name", [*UNARY, *POSITIVE])
def test_floats_stay_and_integers_give_float64(name, result_type):
    for argument, result in (("float32", "float32"), ("float64", "float64"), ("int8", "float64"), ("int32", "float64"),
                             ("uint64", "float64")):  # fmt: skip
        assert result_type(function(f"np.{name}(x)"), f"({argument},)") == result, argument


def test_types_of_two_operands(result_type):
    two = function("np.arctan2(x, y)", 2)
    for types in ("float32, float32", "float32, float64", "float32, int32", "int16, float32", "int32, int64"):
        wanted = np.arctan2(*(np.ones(1, one) for one in types.split(", "))).dtype.name
        assert result_type(two, f"({types})") == wanted
    literal = function("np.hypot(x, 2.0)")
    assert result_type(literal, "(float32,)", rules="cuda-python") == "float32"
    assert result_type(literal, "(float32,)", rules="numba") == "float64"
    for name in ("absolute", "sign", "square", "reciprocal", "conjugate"):
        for dtype in ("int16", "uint32", "float32", "complex64"):
            expected = "float32" if (name, dtype) == ("absolute", "complex64") else dtype
            assert result_type(function(f"np.{name}(x)"), f"({dtype},)") == expected, name


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64])
def test_bits_of_integers(dtype, each):
    info = np.iinfo(dtype)
    x = np.array([0, 1, 2, 3, 7, 8, 100, info.max, info.max - 1, info.min, info.min + 1], dtype)
    assert each("x.bit_length()", [x], np.int64).tolist() == [value.bit_length() for value in x.tolist()]
    assert each("x.bit_count()", [x], np.int64).tolist() == [value.bit_count() for value in x.tolist()]
    assert each("x.is_integer()", [x], bool).all()


def test_bits_of_bools_and_constants(each):
    x = np.array([True, False])
    assert each("x.bit_length()", [x], np.int64).tolist() == [1, 0]
    assert each("x.bit_count()", [x], np.int64).tolist() == [1, 0]
    assert each("(255).bit_count() + (1 << 40).bit_length()", [x], np.int64).tolist() == [8 + 41] * 2


@pytest.mark.parametrize("dtype", FLOATS)
def test_whole_floats(dtype, each):
    x = np.array([0.0, -0.0, 1.0, -3.0, 0.5, 1e-30, 1e30, -2.5, math.inf, -math.inf, math.nan], dtype)
    assert each("x.is_integer()", [x], bool).tolist() == [value.is_integer() for value in x.tolist()]


def test_halves(each, result_type):
    x = np.array([0.5, 1.0, 2.25, 7.0], np.float16)
    for name in ("sin", "exp2", "log1p", "sqrt", "floor", "rint", "sign", "square", "absolute", "reciprocal"):
        np.testing.assert_array_equal(each(f"np.{name}(x)", [x], np.float16), getattr(np, name)(x))
        assert result_type(function(f"np.{name}(x)"), "(float16,)") == "float16"
    np.testing.assert_allclose(each("np.degrees(x)", [x], np.float16), np.degrees(x), rtol=1e-3)
    assert result_type(function("np.hypot(x, y)", 2), "(float16, float32)") == "float32"
    assert result_type(function("np.hypot(x, y)", 2), "(float16, int32)") == "float64"
    assert each("x.is_integer()", [x], bool).tolist() == [False, True, False, True]
