"""Values of the SIMT model: integers with a width, arrays in memory, atomic operations, bits of integers."""

import math
import types
from fractions import Fraction

import numpy as np


class Int32(int):
    """An int32 value. Arithmetic on it returns plain integers, which represent int64."""

    bits, signed = 32, True


class UInt32(int):
    bits, signed = 32, False


class UInt64(int):
    bits, signed = 64, False


class Small(int):
    """An integer of 8 or 16 bits, which no operation here distinguishes from 32."""

    bits, signed = 32, True


_CLASSES = {
    "int8": Small, "int16": Small, "uint8": Small, "uint16": Small,
    "int32": Int32, "uint32": UInt32, "int64": int, "uint64": UInt64,
}  # fmt: skip


def wrapped(value, bits, signed):
    """`value` modulo 2 ** bits, as an integer of that width and signedness."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def int32(value):
    return Int32(wrapped(int(value), 32, True))


def bits_of(value):
    return getattr(value, "bits", 64)


class NumberType:
    """A name such as `int32` in a kernel: the dtype of an array, or a conversion."""

    def __init__(self, name):
        self.dtype = np.dtype(name)

    def __call__(self, value):
        return loaded(self.dtype, stored(self.dtype, value))


def stored(dtype, value):
    """The value that an element of this dtype has after `value` is assigned to it."""
    if dtype.kind in "iu":
        return wrapped(int(value), dtype.itemsize * 8, dtype.kind == "i")
    return dtype.type(value)


def loaded(dtype, value):
    """An element as a value in a kernel."""
    if dtype.kind in "iu":
        return _CLASSES[dtype.name](value)
    return bool(value) if dtype.kind == "b" else value


class Memory:
    """An array as kernels see it; `array` is the NumPy array that holds it. Slices are views."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype
        self.shape, self.size, self.ndim, self.strides = array.shape, array.size, array.ndim, array.strides
        self.kind = array.dtype.kind
        self.convert = _CLASSES.get(array.dtype.name)

    def __len__(self):
        return len(self.array)

    def __getitem__(self, index):
        value = self.array[index]
        if isinstance(value, np.ndarray):
            return Memory(value)
        return self.convert(value) if self.convert else loaded(self.dtype, value)

    def __setitem__(self, index, value):
        self.array[index] = value.array if isinstance(value, Memory) else stored(self.dtype, value)


def dtype_of(dtype):
    """NumPy's dtype from a NumberType, a string, or anything that NumPy accepts."""
    return dtype.dtype if isinstance(dtype, NumberType) else np.dtype(dtype)


def unwritten(rng, shape, dtype):
    """An array whose elements must be written before they are read: it holds random bytes, or zeros without `rng`."""
    dtype = dtype_of(dtype)
    count = math.prod(shape) if isinstance(shape, tuple) else shape
    if rng is None:
        return np.zeros(shape, dtype)
    return np.frombuffer(bytearray(rng.randbytes(count * dtype.itemsize)), dtype).reshape(shape)


# Atomic operations: functions from (old, operand) to the new value.


def _increment(old, value):
    return 0 if old >= value else old + 1


def _decrement(old, value):
    return value if old == 0 or old > value else old - 1


def _extreme(choose, missing):
    """min or max. A stored NaN stays, unless NaN counts as `missing`; a NaN operand has no effect."""

    def update(old, value):
        if value != value:
            return old
        if old != old:
            return value if missing else old
        return choose(old, value)

    return update


_UPDATES = {
    "add": lambda old, value: old + value,
    "sub": lambda old, value: old - value,
    "and_": lambda old, value: old & value,
    "or_": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "exch": lambda old, value: value,
    "inc": _increment,
    "dec": _decrement,
    "max": _extreme(max, False),
    "min": _extreme(min, False),
    "nanmax": _extreme(max, True),
    "nanmin": _extreme(min, True),
}


def _updater(update):
    def run(array, index, value):
        old = array[index]
        array[index] = update(old, loaded(array.dtype, stored(array.dtype, value)))
        return old

    return run


def _cas(array, index, expected, value):
    old = array[index]
    if old == stored(array.dtype, expected):
        array[index] = value
    return old


def _compare_and_swap(array, expected, value):
    return _cas(array, (0,) * array.ndim, expected, value)


atomic = types.SimpleNamespace(
    **{name: _updater(update) for name, update in _UPDATES.items()},
    cas=_cas,
    compare_and_swap=_compare_and_swap,
)


# Bits, selection, fma.


def popc(value):
    return (value & ((1 << bits_of(value)) - 1)).bit_count()


def brev(value):
    width = bits_of(value)
    text = format(value & ((1 << width) - 1), f"0{width}b")
    return (UInt64 if width == 64 else UInt32)(int(text[::-1], 2))


def clz(value):
    width = bits_of(value)
    return width - (value & ((1 << width) - 1)).bit_length()


def ffs(value):
    value &= (1 << bits_of(value)) - 1
    return (value & -value).bit_length()


def selp(test, then, otherwise):
    return then if test else otherwise


def fma(a, b, c):
    """a * b + c of finite numbers, rounded once."""
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if not all(isinstance(v, np.float32) for v in (a, b, c)):
        return np.float64(exact.numerator / exact.denominator)
    return _to_float32(exact)


def _to_float32(exact):
    """The float32 nearest to a fraction; going through float64 would round twice."""
    near = np.float32(exact.numerator / exact.denominator)
    around = [near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf))]

    def distance(number):
        return abs(Fraction(float(number)) - exact), int(number.view(np.uint32)) & 1

    return min((n for n in around if np.isfinite(n)), key=distance)
