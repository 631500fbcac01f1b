# The points at which math functions are measured: for each function and float type the same on every machine.
"""Points are derived from a function's name by an integer hash and exact arithmetic; only results need be stored."""

import zlib

import numpy as np

POINTS = 20_480

FLOATS = {"f32": np.float32, "f64": np.float64}
_BITS = {"f32": np.uint32, "f64": np.uint64}
_MANTISSA = {"f32": 23, "f64": 52}
_EXPONENTS = {"f32": (-149, 127), "f64": (-1074, 1023)}

ONE_OPERAND = (
    "acos asin atan acosh asinh atanh cos sin tan cosh sinh tanh exp expm1 log log2 log10 log1p erf erfc "
    "cbrt sqrt fabs ceil floor trunc exp2 tgamma lgamma"
).split()
TWO_OPERANDS = "atan2 pow copysign fmod hypot".split()
FUNCTIONS = ONE_OPERAND + TWO_OPERANDS


class _Stream:
    """A stream of 64-bit hashes (splitmix64) that depends only on its name."""

    def __init__(self, name, kind):
        self.kind = kind
        self.position = np.uint64(zlib.crc32(name.encode())) << np.uint64(32)

    def words(self, count):
        with np.errstate(over="ignore"):
            state = (self.position + np.arange(1, count + 1, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            self.position += np.uint64(count)
            state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            return state ^ (state >> np.uint64(31))

    def integers(self, low, high, count):
        return (self.words(count) % np.uint64(high - low + 1)).astype(np.int64) + low

    def to_float(self, values):
        with np.errstate(over="ignore"):
            return values.astype(FLOATS[self.kind])

    def bits(self, count):
        """Any bit pattern except NaNs: every exponent, subnormal numbers, both signs."""
        width = np.dtype(_BITS[self.kind]).itemsize * 8
        words = (self.words(count) >> np.uint64(64 - width)).astype(_BITS[self.kind])
        values = words.view(FLOATS[self.kind])
        return np.where(np.isnan(values), FLOATS[self.kind](0.75), values)

    def uniform(self, low, high, count):
        unit = (self.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return self.to_float(low + (high - low) * unit)

    def scaled(self, low, high, count, signed=True):
        """Exponents from low to high, equally frequent; any significand."""
        smallest, largest = _EXPONENTS[self.kind]
        significand = 1 + (self.words(count) >> np.uint64(12)).astype(np.float64) * 2.0**-52
        with np.errstate(over="ignore", under="ignore"):
            values = np.ldexp(
                significand, self.integers(max(low, smallest), min(high, largest), count).astype(np.int32)
            )
        return self.to_float(np.where(self.words(count) >> np.uint64(63) & np.uint64(signed), -values, values))

    def near(self, centres, count):
        """A few to many representable steps from the centres; all magnitudes of the distance are equally frequent."""
        centres = self.to_float(np.asarray(centres, dtype=np.float64))
        chosen = centres[self.integers(0, len(centres) - 1, count)]
        magnitude = self.integers(0, _MANTISSA[self.kind] - 1, count)
        steps = self.words(count).astype(np.int64) >> (63 - magnitude)
        return from_ordered(to_ordered(chosen) + steps, self.kind)


def to_ordered(values):
    """Consecutive integers for consecutive floats: -0.0 is -1, 0.0 is 0; infinity follows the largest number."""
    kind = "f32" if values.dtype == np.float32 else "f64"
    signed = values.view(np.int32 if kind == "f32" else np.int64).astype(np.int64)
    magnitude = signed & (0x7FFFFFFF if kind == "f32" else 0x7FFFFFFFFFFFFFFF)
    return np.where(signed < 0, ~magnitude, magnitude)


def from_ordered(ordered, kind):
    sign = np.uint64(1) << np.uint64(31 if kind == "f32" else 63)
    magnitude = np.where(ordered < 0, ~ordered, ordered).astype(np.uint64)
    return np.where(ordered < 0, magnitude | sign, magnitude).astype(_BITS[kind]).view(FLOATS[kind])


def edges(kind):
    """Zeros, ends of the subnormal and normal ranges, infinities, NaN, small integers and halves, and neighbours."""
    info = np.finfo(FLOATS[kind])
    tiny, least = float(info.tiny), float(info.smallest_subnormal)
    mantissa = _MANTISSA[kind]
    positive = [0.0, least, 2 * least, 3 * least, tiny - least, tiny, tiny + least, 2 * tiny, 1e-30, 1e-10, 1e-5]
    positive += [2.0**-mantissa, 2.0 ** -(mantissa + 1), 2.0 ** -(mantissa // 2), 0.1, 0.25, 1 / 3, 0.5, 0.75, 1.0]
    positive += [1 - 2.0 ** -(mantissa + 1), 1 + 2.0**-mantissa, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 100.0, 1000.0]
    positive += [np.pi / 4, np.pi / 2, np.pi, 2 * np.pi, np.e, 1e5, 39000.0, 1e14, 1e15, 1e19, 1e22, 1e30]
    positive += [2.0**31, 2.0**32, 2.0**mantissa, 2.0**mantissa + 1, 2.0 ** (mantissa + 1), 2.0**63]
    positive += [float(info.max) / 4, float(info.max) / 2, float(info.max), np.inf]
    if kind == "f64":
        positive += [6381956970095103 * 2.0**797, 1e154, 1.4e154, 1e155, 1e300, 709.78, 710.475, 745.13]
    else:
        positive += [16367173 * 2.0**72, 1.8e19, 2e19, 1e38, 88.72, 89.41, 103.97]
    both = np.array(positive + [-value for value in positive] + [np.nan], dtype=np.float64)
    return both.astype(FLOATS[kind])


def _multiples(step, count):
    return step * np.arange(-count, count + 1)


# Thresholds of overflow and underflow of exp and of functions derived from it.
_EXP = {"f32": (-104.0, 89.5), "f64": (-746.0, 710.5)}
_EXP2 = {"f32": (-150.0, 128.0), "f64": (-1075.0, 1024.0)}
_GAMMA_END = {"f32": 35.04, "f64": 171.624}
_ERFC_END = {"f32": 10.2, "f64": 27.3}
_LARGEST = {"f32": 127, "f64": 1023}


def _interesting(function, stream, count):
    """Points of a one-operand function at which its behaviour changes, in four equal parts."""
    kind, part = stream.kind, count // 4
    uniform, near, scaled = stream.uniform, stream.near, stream.scaled
    low, high = _EXP[kind]
    overflow = [low, high, -high, high + 0.6931471805599453, -high - 0.6931471805599453]
    parts = {
        "acos": lambda: [uniform(-1, 1, 2 * part), near([-1, 1, 0.5, -0.5], part), scaled(-40, 0, part)],
        "atan": lambda: [uniform(-4, 4, 2 * part), near([-1, 1], part), scaled(-40, 60, part)],
        "acosh": lambda: [uniform(1, 4, 2 * part), near([1, 2], part), scaled(0, 2000, part, signed=False)],
        "asinh": lambda: [uniform(-4, 4, 2 * part), near([-1, 1], part), scaled(-60, 2000, part)],
        "atanh": lambda: [uniform(-1, 1, 2 * part), near([-1, 1], part), scaled(-60, 0, part)],
        "sin": lambda: [uniform(-4, 4, part), uniform(-1000, 1000, part),
                        near(_multiples(np.pi / 2, 5000), part), scaled(0, 2000, part)],
        "cosh": lambda: [uniform(-10, 10, 2 * part), uniform(-high - 2, high + 2, part), near(overflow, part)],
        "tanh": lambda: [uniform(-3, 3, 2 * part), uniform(-25, 25, part), scaled(-60, 4, part)],
        "exp": lambda: [uniform(-2, 2, part), uniform(low, high, 2 * part), near(overflow, part)],
        "exp2": lambda: [uniform(-2, 2, part), uniform(*_EXP2[kind], part * 2), near([*_EXP2[kind], 1, -1], part)],
        "tgamma": lambda: [uniform(-6, 6, part), uniform(-_GAMMA_END[kind], _GAMMA_END[kind], part),
                           near([_GAMMA_END[kind], *range(-9, 9)], part), scaled(-60, 5, part)],
        "lgamma": lambda: [uniform(0, 4, part), near([1, 2, -1, -2], part),
                           uniform(-300, 300, part), scaled(-60, 2000, part)],
        "expm1": lambda: [uniform(-1, 1, 2 * part), uniform(-50, high, part), scaled(-60, 3, part)],
        "log": lambda: [uniform(0, 3, part), near([1], 2 * part), scaled(-2000, 2000, part, signed=False)],
        "log1p": lambda: [uniform(-1, 2, 2 * part), near([-1], part), scaled(-60, 60, part)],
        "erf": lambda: [uniform(-3, 3, 2 * part), uniform(-7, 7, part), scaled(-60, 3, part)],
        "cbrt": lambda: [uniform(-30, 30, part), scaled(-140, 120, part), scaled(-2000, 2000, 2 * part)],
        "erfc": lambda: [uniform(-3, 3, part), uniform(-7, _ERFC_END[kind], 2 * part), scaled(-60, 4, part)],
        "sqrt": lambda: [uniform(0, 4, 2 * part), scaled(-2000, 2000, 2 * part, signed=False)],
        "floor": lambda: [uniform(-100, 100, 2 * part), near(_multiples(0.5, 100), part), scaled(0, 60, part)],
    }  # fmt: skip
    alike = {"asin": "acos", "cos": "sin", "tan": "sin", "sinh": "cosh", "log2": "log", "log10": "log"}
    alike |= {"fabs": "floor", "ceil": "floor", "trunc": "floor"}
    return np.concatenate(parts[alike.get(function, function)]())


def _pairs(function, stream, count):
    """Pairs of operands at which the behaviour changes, in four equal parts."""
    kind, part = stream.kind, count // 4
    if function == "pow":
        bases = stream.scaled(-2000, 2000, part, signed=False)
        # The exponent that puts the result anywhere between underflow and overflow.
        exponents = stream.uniform(-1.1, 1.1, part) * _LARGEST[kind] / (np.frexp(bases.astype(np.float64))[1] + 0.5)
        deltas = stream.scaled(-_MANTISSA[kind] + 2, -1, part).astype(np.float64)
        huge = stream.uniform(-700, 700, part) / deltas if kind == "f64" else stream.uniform(-85, 85, part) / deltas
        pairs = [
            (stream.uniform(0, 4, part), stream.uniform(-20, 20, part)),
            (bases, stream.to_float(exponents)),
            (stream.to_float(1 + deltas), stream.to_float(huge)),
            (stream.uniform(-10, 10, part), stream.to_float(stream.integers(-40, 40, part))),
        ]
    elif function == "fmod":
        divisors = stream.scaled(-20, 20, part)
        multiples = stream.to_float(divisors.astype(np.float64) * stream.integers(-1000, 1000, part))
        pairs = [
            (stream.uniform(-100, 100, part), stream.uniform(-10, 10, part)),
            (multiples, divisors),
            (stream.scaled(-30, 60, part), stream.scaled(-30, 30, part)),
            (stream.scaled(-2000, 2000, part), stream.scaled(-2000, 2000, part)),
        ]
    else:
        pairs = [
            (stream.uniform(-4, 4, part), stream.uniform(-4, 4, part)),
            (stream.scaled(-4, 4, part), stream.scaled(-40, 40, part)),
            (stream.scaled(-2000, 2000, part), stream.scaled(-2000, 2000, part)),
            (stream.scaled(_LARGEST[kind] - 3, 2000, part), stream.scaled(_LARGEST[kind] - 3, 2000, part)),
        ]
    return [np.concatenate(side) for side in zip(*pairs, strict=True)]


def points(function, kind):
    """The operands, a tuple of one or two arrays: edges (crossed, for two), then POINTS hashed ones."""
    stream = _Stream(f"{function} {kind}", kind)
    special = edges(kind)
    if function in ONE_OPERAND:
        hashed = [stream.bits(POINTS // 4), _interesting(function, stream, POINTS // 4 * 3)]
        values = np.concatenate([special, *hashed])
        # CUDA's bounds of lgamma do not hold where it has its negative roots.
        return (np.where((values < -2.2) & (values > -11.1), -values, values) if function == "lgamma" else values,)
    left, right = (side.ravel() for side in np.meshgrid(special, special))
    bits = stream.bits(POINTS // 4), stream.bits(POINTS // 4)
    hashed = _pairs(function, stream, POINTS // 4 * 3)
    return tuple(np.concatenate(side) for side in zip((left, right), bits, hashed, strict=True))
