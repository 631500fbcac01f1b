# Functions of math, and of cuda.fp16, on all halves: computed in float32 and rounded. hfma is rounded once.
import math
from fractions import Fraction

import numpy as np
from treadle import cuda
from treadle.cuda import fp16

from kernels.halves import EDGES, all_halves, launch, pairs, same


def of_one(function):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i])

    return kernel


def of_two(function):
    @cuda.jit
    def kernel(x, y, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i], y[i])

    return kernel


@cuda.jit
def multiply_and_add(x, y, z, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = fp16.hfma(x[i], y[i], z[i])


def last_bit(x):
    """Up to the largest half; np.spacing is infinite there."""
    below = np.nextafter(x, np.float16(0))
    return np.where(np.isinf(x), x, np.where(x == 65504, x - below, np.spacing(x)))


MATHS = {
    math.sqrt: np.sqrt, math.exp: np.exp, math.expm1: np.expm1, math.log: np.log, math.log2: np.log2,
    math.log10: np.log10, math.log1p: np.log1p, math.sin: np.sin, math.cos: np.cos, math.tan: np.tan,
    math.asin: np.arcsin, math.acos: np.arccos, math.atan: np.arctan, math.sinh: np.sinh, math.cosh: np.cosh,
    math.tanh: np.tanh, math.asinh: np.arcsinh, math.acosh: np.arccosh, math.atanh: np.arctanh, math.fabs: np.fabs,
    math.degrees: np.degrees, math.radians: np.radians, cuda.cbrt: np.cbrt,
}  # fmt: skip
OF_HALVES = {
    fp16.hsin: np.sin, fp16.hcos: np.cos, fp16.hlog: np.log, fp16.hlog2: np.log2, fp16.hlog10: np.log10,
    fp16.hexp: np.exp, fp16.hexp2: np.exp2, fp16.hexp10: lambda x: np.power(10, x), fp16.hsqrt: np.sqrt,
    fp16.hrsqrt: lambda x: 1 / np.sqrt(x), fp16.hrcp: lambda x: 1 / x,
}  # fmt: skip
EXACT = {
    fp16.hfloor: np.floor, fp16.hceil: np.ceil, fp16.htrunc: np.trunc, fp16.hrint: np.rint, fp16.hneg: np.negative,
    fp16.habs: np.abs, math.ulp: lambda x: last_bit(np.abs(x)),
}  # fmt: skip
OF_TWO = {
    fp16.hadd: np.add, fp16.hsub: np.subtract, fp16.hmul: np.multiply, fp16.hdiv: np.divide, math.copysign: np.copysign,
    math.fmod: np.fmod, math.nextafter: lambda x, y: np.where(x == y, y, np.nextafter(x, y)),
}  # fmt: skip
COMPARISONS = {
    fp16.heq: lambda x, y: x == y, fp16.hne: lambda x, y: (x < y) | (x > y), fp16.hgt: np.greater,
    fp16.hge: np.greater_equal, fp16.hlt: np.less, fp16.hle: np.less_equal,
}  # fmt: skip

PTX = [
    *[(of_one(function), "(float16[::1], float16[::1])") for function in (*MATHS, *OF_HALVES, *EXACT)],
    *[(of_two(function), "(float16[::1], float16[::1], float16[::1])") for function in (*OF_TWO, fp16.hmax, fp16.hmin)],
    *[(of_two(function), "(float16[::1], float16[::1], bool[::1])") for function in COMPARISONS],
    (multiply_and_add, "(float16[::1], float16[::1], float16[::1], float16[::1])"),
]


def units(exact):
    """The distance of the halves around a number."""
    magnitude = np.clip(np.abs(exact), 2.0**-14, 65504)
    return 2.0 ** (np.floor(np.log2(magnitude)) - 10)


def close(name, x, found, exact, units_allowed=0.502):
    """Half a unit, and what float32 is wrong by; all else is exact."""
    assert found.dtype == np.float16
    beyond = np.abs(exact) >= 65520
    expected = np.where(beyond, np.copysign(np.inf, exact), exact)
    off = np.abs(found.astype(np.float64) - expected) > units_allowed * units(exact)
    off &= ~(beyond & (found == expected))
    # At the largest half and a half unit either is right.
    off &= ~((np.abs(np.abs(exact) - 65520) < 0.1) & (np.abs(found) >= 65504))
    off |= np.isnan(found) != np.isnan(exact)
    off |= np.isfinite(exact) & ~beyond & ~np.isfinite(found) & (np.abs(exact) < 65519)
    assert not off.any(), f"{name}: {off.sum()} wrong: {x[off][:4]}: {found[off][:4]}, expected {exact[off][:4]}"


def check_approximate():
    x = all_halves()
    for function, reference in {**MATHS, **OF_HALVES}.items():
        (found,) = launch(of_one(function), x, results=[np.float16])
        close(str(function), x, found, reference(x.astype(np.float64)))


def check_exact():
    x = all_halves()
    for function, reference in EXACT.items():
        (found,) = launch(of_one(function), x, results=[np.float16])
        same(str(function), found, reference(x), x)
    x, y = pairs()
    for function, reference in OF_TWO.items():
        (found,) = launch(of_two(function), x, y, results=[np.float16])
        same(str(function), found, reference(x, y), x, y)
    for function, reference in COMPARISONS.items():
        (found,) = launch(of_two(function), x, y, results=[np.bool_])
        np.testing.assert_array_equal(found, reference(x, y), str(function))
    for function, reference in ((fp16.hmax, np.fmax), (fp16.hmin, np.fmin)):
        (found,) = launch(of_two(function), x, y, results=[np.float16])
        zero = np.minimum if function is fp16.hmax else np.maximum  # of the signs' bits
        expected = np.where(x == y, zero(x.view("u2"), y.view("u2")).view("f2"), reference(x, y))
        same(str(function), found, expected, x, y)


def exact_sum(x, y, z):
    """x * y + z, rounded once from the exact rational number; an exact 0 is -0.0 only of two negative operands."""
    if not all(map(math.isfinite, (x, y, z))):
        return x * y + z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        return x * y + z
    return to_half(exact)


def to_half(exact):
    magnitude = abs(exact)
    power = max(math.floor(math.log2(magnitude.numerator) - math.log2(magnitude.denominator)), -14)
    power += (magnitude >= Fraction(2) ** (power + 1)) - (power > -14 and magnitude < Fraction(2) ** power)
    unit = Fraction(2) ** (power - 10)
    value = round(magnitude / unit) * unit  # ties to even
    value = math.inf if value >= 65536 else float(value)
    return math.copysign(value, exact)


def check_one_rounding():
    """Random operands; and numbers to which a product adds half a unit and less than float32 can tell, so that sums
    rounded twice would be wrong."""
    generator = np.random.default_rng(5)
    left, right, other = (generator.integers(0, 1 << 16, 20000).astype("u2").view("f2") for _ in range(3))
    edges = np.array(np.meshgrid(EDGES, EDGES[::3], EDGES)).reshape(3, -1).astype("f2")
    near = [(m, n) for m in range(1024, 2048) for n in range((1 << 21) // m, (1 << 21) // m + 2)
            if n < 2048 and 0 < abs(m * n - (1 << 21)) <= 8]  # fmt: skip
    m, n = np.array(near * 100).T
    sign = generator.choice([-1.0, 1.0], len(m))
    power = 2.0 ** generator.integers(0, 14, len(m))
    number = (1 + generator.integers(0, 1024, len(m)) / 1024) * power
    x = np.concatenate([left, edges[0], sign * m / 2**16]).astype("f2")
    y = np.concatenate([right, edges[1], n * power / 2**16]).astype("f2")
    z = np.concatenate([other, edges[2], number]).astype("f2")
    step = len(x) // 3000 if len(all_halves()) < 60000 else 1
    x, y, z = x[::step], y[::step], z[::step]
    (found,) = launch(multiply_and_add, x, y, z, results=[np.float16])
    values = zip(x.tolist(), y.tolist(), z.tolist(), strict=True)
    same("hfma", found, np.array([exact_sum(*value) for value in values], "f2"), x, y, z)


def run():
    with np.errstate(all="ignore"):
        check_approximate()
        check_exact()
        check_one_rounding()
