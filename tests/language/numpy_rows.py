# The matrix of NumPy's functions of numbers: for each function what its results are compared with; values at the edges.
"""A row says which operands a function takes, of what type its result is, and how far that may be from NumPy's."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
FLOATS, COMPLEX = ["f2", "f4", "f8"], ["c8", "c16"]
REALS = ["?", *INTEGERS, *FLOATS]


class Row(NamedTuple):
    """`result`: "float" the narrowest float that has all operands, of integers float64; "same" that of the first one;
    "part" that of its parts; "first" what the operands are joined to; otherwise a dtype. `steps`: how many floats away
    from NumPy's result; a name: as many as docs/math.md has for that function."""

    operands: tuple  # of each the types
    result: str
    steps: object = 0


def _floats(*names):
    """Functions of one real number, with the names that docs/math.md has for them."""
    return {name: Row((REALS,), "float", known) for name, _, known in (text.partition("=") for text in names)}


ROWS = {
    **_floats(
        "arccos=acos", "arccosh=acosh", "arcsin=asin", "arcsinh=asinh", "arctan=atan", "arctanh=atanh", "cbrt=cbrt",
        "ceil=ceil", "cos=cos", "cosh=cosh", "exp=exp", "exp2=exp2", "expm1=expm1", "fabs=fabs", "floor=floor",
        "log=log", "log10=log10", "log1p=log1p", "log2=log2", "rint=floor", "sin=sin", "sinh=sinh", "sqrt=sqrt",
        "tan=tan", "tanh=tanh", "trunc=trunc",
    ),
    **{name: Row((REALS,), "float") for name in ("deg2rad", "degrees", "rad2deg", "radians", "spacing")},
    "arctan2": Row((REALS, REALS), "float", "atan2"),
    "hypot": Row((REALS, REALS), "float", "hypot"),
    **{name: Row((REALS, REALS), "float") for name in ("copysign", "heaviside", "nextafter")},
    "fmod": Row((REALS, REALS), "fmod"),
    "logaddexp": Row((REALS, REALS), "float", 4),
    "logaddexp2": Row((REALS, REALS), "float", 4),
    "float_power": Row((REALS, REALS), "f8", "pow"),
    "ldexp": Row((FLOATS, ["i1", "i4", "i8"]), "same"),
    "absolute": Row(([*REALS, *COMPLEX],), "part", "hypot"),
    "sign": Row(([*INTEGERS, *FLOATS, *COMPLEX],), "same", 4),
    "square": Row(([*INTEGERS, *FLOATS, *COMPLEX],), "same", 4),
    "reciprocal": Row(([*INTEGERS, *FLOATS],), "same"),
    "conjugate": Row(([*INTEGERS, *FLOATS, *COMPLEX],), "same"),
    "real": Row(([*REALS, *COMPLEX],), "part"),
    "imag": Row(([*REALS, *COMPLEX],), "part"),
    "angle": Row((["f4", "f8", *COMPLEX],), "part", "atan2"),
    "signbit": Row((FLOATS,), "?"),
    **{name: Row(([*REALS, *COMPLEX],), "?") for name in ("isfinite", "isinf", "isnan", "logical_not")},
    **{name: Row(([*REALS, "c8"], [*REALS, "c16"]), "?") for name in ("logical_and", "logical_or", "logical_xor")},
    "bitwise_count": Row((INTEGERS,), "u1"),
    "isnat": Row((["M8[D]", "m8[s]"],), "?"),
    "gcd": Row((INTEGERS, INTEGERS), "integer"),
    "lcm": Row((INTEGERS, INTEGERS), "integer"),
    **{name: Row((REALS, REALS), "first") for name in ("maximum", "minimum", "fmax", "fmin")},
    "clip": Row((REALS, REALS, REALS), "first"),
    "where": Row((["?"], [*REALS, *COMPLEX], [*REALS, *COMPLEX]), "first"),
}  # fmt: skip

REDUCTIONS = (
    "all amax amin any argmax argmin count_nonzero max mean min nanmax nanmean nanmin nanprod nanstd nansum nanvar "
    "prod ptp std sum var"
).split()
# Functions that make, move or shape arrays, and which tests have them.
ELSEWHERE = {
    "test_heap_arrays": "empty empty_like full full_like ones ones_like zeros zeros_like".split(),
    "test_aliased_arrays": ["copyto"],
    "test_array_axes": "copy cumprod cumsum diagonal take trace transpose".split(),
    "test_array_expressions": "dot matmul vdot".split(),
    "test_reshaped_arrays": "arange nditer ravel reshape".split(),
    "test_arrays": "ndim shape size".split(),
    "test_times": "datetime64 timedelta64".split(),
    "test_isinstance": ["dtype"],
}


def names_in_kernels():
    """Of all functions of NumPy that kernels have: those of the library, and the compiler's own."""
    library = "".join(file.read_text() for file in (ROOT / "python/treadle/library").glob("*.py"))
    builtins = (ROOT / "src/builtins/builtin.cpp").read_text()
    provided = set(re.findall(r'"numpy\.(\w+)"', library + builtins))
    return provided | set(re.findall(r'@reduces\("(\w+)"', library))


def _integers(dtype):
    limits = np.iinfo(dtype)
    chosen = [0, 1, 2, 3, 7, 100, limits.max - 1, limits.max, limits.min, limits.min + 1, -1, -2, -7, -100]
    return [number for number in dict.fromkeys(chosen) if limits.min <= number <= limits.max]


def _floats_at_edges(dtype):
    limits = np.finfo(dtype)
    least, most, tiny = float(limits.smallest_subnormal), float(limits.max), float(limits.tiny)
    positive = [0.0, 1.0, 0.5, 2.0, 2.5, 3.0, 0.75, 1.5, 20.25, least, 3 * least, tiny, tiny - least, most, np.inf]
    return [*positive, *(-number for number in positive), np.nan, 1 + float(limits.eps), 1e3, 1 / 3, -7.3]


def edges(code):
    """Values of a type: zeros, ends of ranges, subnormal numbers, infinities, NaN, NaT."""
    dtype = np.dtype(code)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        return np.array(_integers(dtype), dtype)
    if dtype.kind in "mM":
        return np.array([-(2**63), -(2**63) + 1, -1, 0, 1, 2**62], "i8").view(dtype)
    if dtype.kind == "f":
        return np.array(_floats_at_edges(dtype), dtype)
    parts = np.array([0.0, -0.0, 1.0, -2.25, 1e-3, np.inf, -np.inf, np.nan])
    values = np.empty(parts.size**2, complex)
    values.real, values.imag = (side.ravel() for side in np.meshgrid(parts, parts))
    return values.astype(dtype)


def operands_of(codes, most=3000):
    """Arrays of all combinations of the edges; a choice of them where there are more than that."""
    sides = [edges(code) for code in codes]
    count = int(np.prod([len(side) for side in sides]))
    places = np.arange(count)
    if count > most:
        places = np.sort(np.random.default_rng(1).choice(count, most, replace=False))
    return [side[place] for side, place in zip(sides, np.unravel_index(places, [len(s) for s in sides]), strict=True)]


def float_of(codes):
    """The narrowest float type that has all digits of the operands; of integers alone float64."""
    dtypes = [np.dtype(code) for code in codes]
    if not any(dtype.kind == "f" for dtype in dtypes):
        return np.dtype("f8")
    bits = [16 * dtype.itemsize if dtype.kind in "iub" else 8 * dtype.itemsize for dtype in dtypes]
    return np.dtype(f"f{min(max(bits), 64) // 8}")
