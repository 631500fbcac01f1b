# The runtime of translated kernels: arrays of Python values, and one function per operation and type.
"""`kernel_code` uses these functions by name in the code that it writes; `Helpers` creates them at first use."""

import ctypes
import math

from oracle import number_types as nt
from oracle import operations as ops


class Rejected(Exception):
    """The program has no single right answer, or uses what the oracle does not model."""


class Array:
    """Strided view of a list of Python values; views of one list alias."""

    __slots__ = ("data", "dtype", "offset", "shape", "strides")

    def __init__(self, data, dtype, shape, strides=None, offset=0):
        self.data = data
        self.dtype = dtype
        self.shape = shape
        self.strides = strides or _c_strides(shape)
        self.offset = offset

    @property
    def size(self):
        return math.prod(self.shape)

    def view(self, offset, shape, strides):
        return Array(self.data, self.dtype, shape, strides, self.offset + offset)

    def place(self, *indices):
        """Position of an element in the list; negative indices count from the end."""
        where = self.offset
        for i, extent, stride in zip(indices, self.shape, self.strides, strict=True):
            if i < 0:
                i += extent
            if not 0 <= i < extent:
                raise Rejected(f"index {indices} outside of {self.shape}")
            where += i * stride
        return where


def _c_strides(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def load1(array, i):
    n = array.shape[0]
    if i < 0:
        i += n
    if not 0 <= i < n:
        raise Rejected(f"index {i} outside of {n}")
    return array.data[array.offset + i * array.strides[0]]


def store1(array, i, value):
    n = array.shape[0]
    if i < 0:
        i += n
    if not 0 <= i < n:
        raise Rejected(f"index {i} outside of {n}")
    array.data[array.offset + i * array.strides[0]] = value


def load(array, *indices):
    return array.data[array.place(*indices)]


def store(array, indices, value):
    array.data[array.place(*indices)] = value


def atomic(array, indices, value, apply):
    where = array.place(*indices)
    array.data[where] = apply(array.data[where], value)


def count(counter, start, stop, step):
    """The values of range(...) in a counter type; none for a step of 0."""
    low, high = nt.int_range(counter)
    if step == 0:
        return
    while start < stop if step > 0 else start > stop:
        yield start
        start += step
        if not low <= start <= high:
            return


def float32(value):
    return ctypes.c_float(value).value


def any_is_rejected(value):
    if value is nt.ANY:
        raise Rejected("an undefined result was computed")
    return value


def _equal_zeros(a, b):
    return a == 0 and b == 0 and isinstance(a, float) and math.copysign(1, a) != math.copysign(1, b)


class Watch:
    """Rejects programs in which threads race for an element; one atomic operation by several threads is no race."""

    def __init__(self):
        self.thread = None
        self.users = {}

    def touch(self, array, where, how):
        ways = self.users.setdefault((id(array.data), where), {})
        for other, theirs in ways.items():
            if other != self.thread and (how != theirs or how == "write"):
                raise Rejected("threads race")
        ways[self.thread] = how if ways.get(self.thread, how) == how else "write"

    def load(self, array, *indices):
        where = array.place(*indices)
        self.touch(array, where, "read")
        return array.data[where]

    def store(self, array, indices, value):
        where = array.place(*indices)
        self.touch(array, where, "write")
        array.data[where] = value

    def store1(self, array, i, value):
        self.store(array, (i,), value)

    def atomic(self, array, indices, value, apply):
        self.touch(array, array.place(*indices), apply.op)
        atomic(array, indices, value, apply)

    def install(self, helpers):
        helpers.update(load1=self.load, load=self.load, store1=self.store1, store=self.store, atomic=self.atomic)


class Helpers(dict):
    """The globals of translated code."""

    def __init__(self):
        super().__init__(
            load1=load1, store1=store1, load=load, store=store, atomic=atomic, count=count, f32=float32,
            math=math, Array=Array,
        )  # fmt: skip

    def binary(self, op, typing, a, b):
        """Code for `a op b` over the codes of converted operands."""
        ty = typing.result
        if op in ("+", "-", "*") and ty == "float64":
            return f"({a} {op} {b})"
        if op in ("+", "-", "*") and ty == "float32":
            return f"f32({a} {op} {b})"
        name = f"b{_NAMES[op]}_{typing.left}_{typing.right}_{ty}"
        if name not in self:
            self[name] = _wrapping(op, ty) if op in _WRAPPING and nt.is_int(ty) else _general(op, typing)
        return f"{name}({a}, {b})"

    def convert(self, code, source, target):
        """Code that converts the value of the expression `code`."""
        if source == target:
            return code
        if nt.is_int(source) and nt.is_int(target):
            (low, high), (least, most) = nt.int_range(source), nt.int_range(target)
            if least <= low and high <= most:
                return code
        if source == nt.BOOL and nt.is_int(target):
            return f"int({code})"
        if source != nt.BOOL and target == "float64" and not nt.is_complex(source):
            return code if source == "float32" else f"float({code})"
        name = f"c_{source}_{target}"
        if name not in self:
            self[name] = lambda value: nt.convert(value, source, target)
        return f"{name}({code})"

    def unary(self, op, ty, a):
        if op == "not":
            return f"(not {a})"
        name = f"u{_NAMES[op]}_{ty}"
        if name not in self:
            self[name] = lambda value: ops.unary(op, ty, value)
        return f"{name}({a})"

    def function(self, name, make):
        if name not in self:
            self[name] = make()
        return name

    def min_max(self, op, ty, a, b):
        def choose(x, y):
            if _equal_zeros(x, y):
                raise Rejected("min or max of zeros of different sign")
            return ops.min_max(op, x, y)

        return f"{self.function(f'{op}_{ty}', lambda: choose)}({a}, {b})"


_NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow",
    "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr", "~": "inv",
}  # fmt: skip
_WRAPPING = ("+", "-", "*", "&", "|", "^")


def _wrapping(op, ty):
    low, high = nt.int_range(ty)
    exact, wrap = ops._INT[op], nt.wrap

    def operate(a, b):
        result = exact(a, b)
        return result if low <= result <= high else wrap(result, ty)

    return operate


def _general(op, typing):
    return lambda a, b: any_is_rejected(ops.binary(op, typing, a, b))


def sqrt(ty):
    """Correctly rounded in both types; a negative number gives NaN."""
    return lambda v: math.nan if v < 0 or math.isnan(v) else nt.round_float(math.sqrt(v), ty)


def rounding(name, source, target):
    """math.floor, ceil or trunc of a float."""
    whole = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc}[name]

    def apply(value):
        if math.isnan(value) or math.isinf(value):
            return nt.convert(value, source, target)
        if nt.is_float(target):
            return math.copysign(float(whole(value)), value)
        low, high = nt.int_range(target)
        return min(max(whole(value), low), high)

    return apply


_PERIODIC = {"math.sin": math.sin, "math.cos": math.cos, "math.tan": math.tan}
_LOGARITHMS = ("math.log", "math.log2")
_LIKE_OPERAND = ("math.atan", "math.sinh", "math.tanh", "math.erf", "math.expm1", "cuda.cbrt")
SIGNS = (*_PERIODIC, *_LOGARITHMS, *_LIKE_OPERAND)


def is_negative(name):
    """Whether the result of a function in SIGNS is below 0."""
    if name in _LIKE_OPERAND:
        return lambda v: v < 0
    if name in _LOGARITHMS:
        return lambda v: 0 <= v < 1
    return lambda v: math.isfinite(v) and _PERIODIC[name](v) < 0


def _fmod(a, b):
    return math.nan if b == 0 or math.isinf(a) or math.isnan(a) or math.isnan(b) else math.fmod(a, b)


TWO_FLOATS = {"fmod": _fmod, "copysign": math.copysign}


def bit_function(name, ty):
    """popc, clz, ffs or brev of a 32- or 64-bit integer."""
    width = nt.bits(ty)
    whole = (1 << width) - 1
    return {
        "popc": lambda v: (v & whole).bit_count(),
        "clz": lambda v: width - (v & whole).bit_length(),
        "ffs": lambda v: (v & -v).bit_length(),
        "brev": lambda v: int(f"{v & whole:0{width}b}"[::-1], 2),
    }[name]


METHODS = {"bit_length": lambda v: v.bit_length(), "bit_count": lambda v: v.bit_count()}
"""Of integers, which Python has itself."""


def gcd(a, b):
    """Of int64; that of the smallest numbers alone, 2 ** 63, wraps."""
    return nt.wrap(math.gcd(a, b), "int64")


def isqrt(a):
    """Of int64; of negative numbers 0."""
    return math.isqrt(a) if a > 0 else 0


def atomic_function(op, ty):
    exact = {
        "add": lambda a, b: nt.wrap(a + b, ty), "max": max, "min": min,
        "and_": lambda a, b: a & b, "or_": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    }[op]  # fmt: skip

    def apply(old, value):
        return exact(old, value)

    apply.op = op
    return apply
