# popc, brev, clz, ffs on every width and sign; fma rounds once; selp evaluates both; cbrt of numbers and integers.
import numpy as np
from treadle import cuda, uint64

VALUES = [
    0,
    1,
    2,
    3,
    5,
    127,
    128,
    255,
    -1,
    -2,
    -128,
    1 << 15,
    -(1 << 31),
    (1 << 31) - 1,
    1 << 40,
    -(1 << 63),
    (1 << 63) - 1,
]


@cuda.jit
def bits(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i, 0] = cuda.popc(x[i])
        out[i, 1] = cuda.brev(x[i])
        out[i, 2] = cuda.clz(x[i])
        out[i, 3] = cuda.ffs(x[i])


@cuda.jit
def floats(x, y):
    i = cuda.grid(1)
    y[0, i] = cuda.fma(x[i], x[i], -x[i] * x[i])
    y[1, i] = cuda.selp(x[i] > 1.5, x[i], -1.0)
    y[2, i] = cuda.cbrt(x[i]) + cuda.cbrt(27)


@cuda.jit
def types(out):
    # A narrower result would wrap.
    out[0] = (cuda.popc(uint64(1) << 63) << 40) >> 40
    out[1] = cuda.ffs(8) - 5
    out[2] = cuda.selp(out[0] == 1, 7, 8)


PTX = [
    *[(bits, f"({kind}[::1], uint64[:, ::1])") for kind in ("int8", "uint16", "int32", "uint32", "int64", "uint64")],
    (floats, "(float64[::1], float64[:, ::1])"),
    (floats, "(float32[::1], float32[:, ::1])"),
    (types, "(int64[::1],)"),
]


def run():
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        x = np.array(VALUES, dtype=np.int64).astype(kind)
        out = np.zeros((x.size, 4), np.uint64)
        bits[1, 32](x, out)
        width = max(32, 8 * x.itemsize)
        for value, (popc, brev, clz, ffs) in zip(x.tolist(), out.tolist(), strict=True):
            wide = value & ((1 << width) - 1)
            assert popc == (value & ((1 << (8 * x.itemsize)) - 1)).bit_count()
            assert brev == int(f"{wide:0{width}b}"[::-1], 2)
            assert clz == width - wide.bit_length()
            assert ffs == (wide & -wide).bit_length()
    x = np.array([1.1, 2.7, 1e10 / 3, -0.3])
    y = np.zeros((3, 4))
    floats[1, 4](x, y)
    assert np.count_nonzero(y[0]) == 4  # what one rounding leaves of the exact square
    np.testing.assert_allclose(y[0], [float(_exact_square(v)) for v in x], rtol=1e-15)
    assert y[1].tolist() == [-1.0, 2.7, 1e10 / 3, -1.0]
    np.testing.assert_allclose(y[2], np.cbrt(x) + 3, rtol=4e-16)
    out = np.zeros(3, np.int64)
    types[1, 1](out)
    assert out.tolist() == [1, -1, 7]


def _exact_square(value):
    from fractions import Fraction

    return Fraction(float(value)) ** 2 - Fraction(float(value) * float(value))
