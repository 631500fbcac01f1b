# Binary operators of every pair of types of which one is a date or a duration, both rules; NumPy is the oracle.
"""What NumPy refuses must be a TypingError. The operators that it has are one kernel for each pair of types, and their
result types those of a device function."""

import operator

import numpy as np
import pytest
from treadle import errors, from_dtype

from language.written import made

NAT = np.iinfo(np.int64).min
NUMBERS = {
    "bool": [0, 1], "int8": [-3, 0, 7], "uint8": [0, 255], "int16": [5, -2, 1], "uint16": [3], "int32": [-70000, 9],
    "uint32": [0, 7, 2**32 - 1], "int64": [3, -4, 0], "uint64": [1, 5, 9], "float16": [0.5, -2, 3, np.nan],
    "float32": [1.5, 0, -7], "float64": [2.25, np.nan, -3, np.inf, 0.1], "complex64": [1 + 2j, 0],
    "complex128": [1j, 2],
}  # fmt: skip
TIMES = ["M8[Y]", "M8[D]", "M8[s]", "M8[ns]", "M8", "m8[Y]", "m8[W]", "m8[D]", "m8[s]", "m8[ns]", "m8"]
COUNTS = [7, -3, NAT, 0, 100]
# The largest: what nanoseconds can count, as NumPy 2.5 raises where they cannot.
LAST = {"M8[Y]": -200, "m8[Y]": -200, "m8[W]": -9000}
UNITS_LIKE_OTHERS = {"M8[Y]", "M8[s]", "M8[ns]", "m8[W]", "m8[D]", "m8[ns]"}  # for what is refused
COMPARISONS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le}
COMPARISONS |= {">": operator.gt, ">=": operator.ge}
OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift, **COMPARISONS,
}  # fmt: skip
PAIRS = [(a, b) for a in (*NUMBERS, *TIMES) for b in (*NUMBERS, *TIMES) if a in TIMES or b in TIMES]


def values(dtype):
    return (
        np.array(NUMBERS[dtype], dtype)
        if dtype in NUMBERS
        else np.array([*COUNTS, LAST.get(dtype, -86401)]).view(dtype)
    )


def crossed(left, right):
    x, y = values(left), values(right)
    return np.repeat(x, len(y)), np.tile(y, len(x))


def is_refused(op, left, right):
    """What NumPy has and kernels do not, as Numba does not: comparisons of times with other things."""
    return op in COMPARISONS and np.dtype(left).kind != np.dtype(right).kind


def in_numpy(op, x, y):
    """The results, or None."""
    try:
        with np.errstate(all="ignore"):
            return OPERATORS[op](x, y)
    except TypeError:
        return None


def returned(lines, rules, x, y):
    """The type that a device function of two elements returns."""
    function = made(lines, rules, device=True)
    return function.compile_device((from_dtype(x.dtype), from_dtype(y.dtype))).signature.return_type


def wrong_results(left, right, rules):
    x, y = crossed(left, right)
    expected = {op: in_numpy(op, x, y) for op in OPERATORS if not is_refused(op, left, right)}
    expected = {op: result for op, result in expected.items() if result is not None}
    found = [np.zeros_like(result) for result in expected.values()]
    if not expected:
        return []
    names = [f"o{k}" for k in range(len(found))]
    lines = [f"def kernel(x, y, {', '.join(names)}):", "    i = cuda.grid(1)", "    if i < x.size:"]
    lines += [f"        {name}[i] = x[i] {op} y[i]" for name, op in zip(names, expected)]
    made(lines, rules)[len(x) // 32 + 1, 32](x, y, *found)
    wrong = []
    for (op, wanted), result in zip(expected.items(), found):
        bits = [array.view("i8") if array.dtype.kind in "mM" else array for array in (wanted, result)]
        if not np.array_equal(*bits, equal_nan=wanted.dtype.kind == "f"):
            k = next(
                k for k, (a, b) in enumerate(zip(*bits)) if not np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
            )
            wrong.append(f"{rules}: {x[k]!r} {op} {y[k]!r} gave {result[k]!r}, NumPy gives {wanted[k]!r}")
    lines = ["def kernel(x, y):", f"    return {', '.join(f'x {op} y' for op in expected)},"]
    inferred = returned(lines, rules, x, y)
    for op, type_, wanted in zip(expected, inferred, expected.values(), strict=True):
        if str(type_) != str(from_dtype(wanted.dtype)):
            wrong.append(f"{rules}: {left} {op} {right} is {type_}, of NumPy {wanted.dtype}")
    return wrong


def not_refused(left, right, rules):
    x, y = (values(dtype)[:1] for dtype in (left, right))
    wrong = []
    for op in OPERATORS:
        if not is_refused(op, left, right) and in_numpy(op, x, y) is not None:
            continue
        try:
            result = returned(["def kernel(x, y):", f"    return x {op} y"], rules, x, y)
            wrong.append(f"{rules}: {left} {op} {right} gives {result}, and NumPy refuses it")
        except errors.TypingError as error:
            if "time." in str(error) or f"x {op} y" not in str(error):
                wrong.append(str(error))
        except errors.CompileError as error:
            wrong.append(f"{type(error).__name__}: {error}")
    return wrong


@pytest.mark.share(every=4)
@pytest.mark.parametrize("left", [*NUMBERS, *TIMES])
def test_pairs(left, request):
    """The rules by turns, and of a time and a number every other pair; all with --full."""
    full = request.config.getoption("full")
    wrong = []
    rights = [right for first, right in PAIRS if first == left]
    others = NUMBERS if left in TIMES else TIMES
    chosen = [right for k, right in enumerate(rights) if full or right not in others or (k + len(left)) % 2]
    for k, right in enumerate(chosen):
        for rules in ("numba", "cuda-python") if full else [("numba", "cuda-python")[k % 2]]:
            wrong += wrong_results(left, right, rules)
            if full or not {left, right} & UNITS_LIKE_OTHERS:
                wrong += not_refused(left, right, rules)
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(wrong[:30])


@pytest.mark.share(every=4)
@pytest.mark.parametrize("dtype", TIMES)
def test_unary_operators(dtype, rules):
    x = values(dtype)
    for op, function in {"-": operator.neg, "+": operator.pos, "~": operator.invert, "abs": abs}.items():
        lines = ["def kernel(x, out):", "    i = cuda.grid(1)", f"    if i < x.size: out[i] = {op}(x[i])"]
        out = np.zeros_like(x)
        try:
            expected = function(x)
        except TypeError:
            with pytest.raises(errors.TypingError, match="dates"):
                made(lines, rules)[1, 32](x, out)
        else:
            made(lines, rules)[1, 32](x, out)
            np.testing.assert_array_equal(out.view("i8"), expected.view("i8"))
    made(["def kernel(x, out):", "    i = cuda.grid(1)", "    if i < x.size: out[i] = not x[i]"], rules)[1, 32](x, out)
    np.testing.assert_array_equal(out.view("i8"), x.view("i8") == 0)


@pytest.mark.share(every=4)
@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%", "**", "&", "<<"])
@pytest.mark.parametrize(
    ("left", "right"), [("m8[s]", "int64"), ("M8[D]", "m8[D]"), ("m8[s]", "m8[s]"), ("m8", "float16")]
)
def test_augmented(op, left, right, rules):
    x, y = crossed(left, right)
    expected = in_numpy(op, x, y)
    kernel = made(["def kernel(x, y):", "    i = cuda.grid(1)", f"    if i < x.size: x[i] {op}= y[i]"], rules)
    if expected is None or expected.dtype.kind == "f":
        with pytest.raises(errors.TypingError):
            kernel[len(x) // 32 + 1, 32](x, y)
    else:
        kernel[len(x) // 32 + 1, 32](x, y)
        np.testing.assert_array_equal(x.view("i8"), expected.view("i8"))  # an int64 is a count
