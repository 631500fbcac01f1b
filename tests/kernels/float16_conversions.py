# Conversions from float16 to all types and back, of all halves and of what lies between them; int(), round(), floor.
import math

import numpy as np
from oracle import number_types as nt
from treadle import (
    boolean,
    complex64,
    complex128,
    cuda,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)  # fmt: skip

from kernels.halves import HALVES, all_halves, launch, same, some


@cuda.jit
def to_others(x, b, i1, i2, i4, i8, u1, u2, u4, u8, f4, f8, c8, c16):
    i = cuda.grid(1)
    if i < x.size:
        b[i] = boolean(x[i])
        i1[i] = int8(x[i])
        i2[i] = int16(x[i])
        i4[i] = int32(x[i])
        i8[i] = int64(x[i])
        u1[i] = uint8(x[i])
        u2[i] = uint16(x[i])
        u4[i] = uint32(x[i])
        u8[i] = uint64(x[i])
        f4[i] = float32(x[i])
        f8[i] = float64(x[i])
        c8[i] = complex64(x[i])
        c16[i] = complex128(x[i])


@cuda.jit
def to_half(x, named, stored):
    i = cuda.grid(1)
    if i < x.size:
        named[i] = float16(x[i])
        stored[i] = x[i]


@cuda.jit
def whole(x, as_int, nearest, down, up, inwards, digits, tens, nan, infinite, finite):
    i = cuda.grid(1)
    if i < x.size:
        as_int[i] = int(x[i])
        nearest[i] = round(x[i])
        down[i] = math.floor(x[i])
        up[i] = math.ceil(x[i])
        inwards[i] = math.trunc(x[i])
        digits[i] = round(x[i], 2)
        tens[i] = round(x[i], -2)
        nan[i] = math.isnan(x[i])
        infinite[i] = math.isinf(x[i])
        finite[i] = math.isfinite(x[i])


OTHERS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
PTX = [
    (to_others, f"(float16[::1], {', '.join(f'{name}[::1]' for name in OTHERS)})"),
    *[(to_half, f"({name}[::1], float16[::1], float16[::1])") for name in OTHERS if "complex" not in name],
    (whole, "(float16[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float16[::1], float16[::1], "
            "bool[::1], bool[::1], bool[::1])"),
]  # fmt: skip


def check_to_others():
    x = all_halves()
    found = launch(to_others, x, results=[np.dtype(name) for name in OTHERS])
    for name, ours in zip(OTHERS, found, strict=True):
        if name.startswith(("float", "complex")):
            theirs = x.astype(name)
            same(name, ours.real, theirs.real, x)
            assert (ours.imag == 0).all()
        else:
            theirs = np.array([nt.convert(value, "float16", name) for value in x.tolist()], name)
            np.testing.assert_array_equal(ours, theirs, name)


def between():
    """The points half way between neighbours, in float64, with their neighbours in float32 and in float64."""
    low = np.sort(HALVES[(HALVES == HALVES) & np.isfinite(HALVES)]).astype(np.float64)
    middle = some(np.unique(np.concatenate([(low[1:] + low[:-1]) / 2, [65520, -65520, 2**-25, -(2**-25), 0.0, -0.0]])))
    single = middle.astype(np.float32)
    assert (single == middle).all()
    down, up = (np.nextafter(single, np.float32(to)) for to in (-np.inf, np.inf))
    return middle, np.concatenate([single, down, up, [np.nan, np.inf, -np.inf, 1e30, -1e-30, 1e-45]]).astype(np.float32)


def check_from_floats():
    middle, single = between()
    down, up = (np.nextafter(middle, to) for to in (-np.inf, np.inf))
    near = [middle * (1 + 2.0**-40), middle * (1 - 2.0**-40), middle * (1 + 2.0**-25), middle * (1 - 2.0**-25)]
    others = np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-300, -1e-300, 5e-324, -5e-324])
    for x in (np.concatenate([middle, down, up, *near, others]), single, some(HALVES).astype(np.float64)):
        for ours in launch(to_half, x, results=[np.float16] * 2):
            same(str(x.dtype), ours, x.astype(np.float16), x)


def check_from_integers():
    for name in OTHERS[:9]:
        low, high = nt.int_range(name)
        middle = [value + step for value in between()[0].tolist() for step in (-1, 0, 1) if value == int(value)]
        wanted = [*middle, low, low + 1, high, high - 1, 65519, 65520, 2**24 + 1, 2**33 + 1, -(2**62) - 1]
        x = np.array([int(value) for value in wanted if low <= value <= high], name)
        theirs = np.array([nt.convert(int(value), name, "float16") for value in x.tolist()], np.float16)
        for ours in launch(to_half, x, results=[np.float16] * 2):
            same(name, ours, theirs, x)


def rounded(value, digits):
    return value if math.isinf(value) or math.isnan(value) else round(value, digits)


def check_whole():
    x = all_halves()
    found = launch(whole, x, results=[np.int64] * 5 + [np.float16] * 2 + [np.bool_] * 3)
    values = x.tolist()
    functions = (math.trunc, round, math.floor, math.ceil, math.trunc)
    for function, ours in zip(functions, found[:5], strict=True):
        theirs = [function(value) if math.isfinite(value) else nt.float_to_int(value, "int64") for value in values]
        np.testing.assert_array_equal(ours, theirs, function.__name__)
    for digits, ours in zip((2, -2), found[5:7], strict=True):
        same(f"round(x, {digits})", ours, np.array([rounded(value, digits) for value in values], np.float16), x)
    for ours, theirs in zip(found[7:], (np.isnan(x), np.isinf(x), np.isfinite(x)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def run():
    with np.errstate(all="ignore"):
        check_to_others()
        check_from_floats()
        check_from_integers()
        check_whole()
