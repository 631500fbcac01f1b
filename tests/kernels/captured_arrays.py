# Captured NumPy arrays: every element type, sizes that are a multiple of no word, constant memory and beyond it.
import numpy as np
from treadle import cuda, from_dtype

from kernels.harness import launch

PACKED = np.dtype([("tag", "u1"), ("x", "f4"), ("z", "c16"), ("n", "i2", (2,))])
TRIPLE = np.dtype([("r", "u1"), ("g", "i1"), ("b", "?")])
PAIR = np.dtype([("low", "f4"), ("high", "f8")], align=True)
DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", PACKED, TRIPLE, PAIR]
CONSTANT_MEMORY = 65536


def values(dtype, n):
    """Random bits; of floats infinities, both zeros and one NaN as well."""
    dtype, rng = np.dtype(dtype), np.random.default_rng(n)
    table = np.empty(n, dtype)
    if dtype.names:
        for name in dtype.names:
            table[name] = values(dtype[name].base, table[name].size).reshape(table[name].shape)
        return table
    if dtype.kind == "b":
        return rng.random(n) < 0.5
    with np.errstate(invalid="ignore"):
        table.view("u1")[:] = rng.integers(0, 256, table.nbytes)
    if dtype.kind in "fc":
        parts = table.view(f"f{dtype.itemsize // (2 if dtype.kind == 'c' else 1)}")
        parts[np.isnan(parts)] = np.nan
        parts[: min(5, n)] = (-0.0, np.inf, -np.inf, np.nan, np.finfo(parts.dtype).smallest_subnormal)[:n]
    return table


def reader(table):
    @cuda.jit
    def read(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = table[i]

    return read


def ends(numbers):
    """With zeros at the end, of which the last words consist in whole or in part, and at the beginning."""
    for zeros in (1, 3, 8, 9, len(numbers)):
        table = numbers.copy()
        table[-zeros:] = 0
        yield table
        yield table[::-1]


TABLES = [
    *[values(dtype, n) for dtype in DTYPES for n in (1, 5)],
    *[values("u1", n) for n in (2, 3, 7, 9, 16, 31)],
    *ends(np.arange(1, 33).astype("u1")),
    *ends(np.arange(1, 12).astype("u2")),
    np.array([2**64 - 1, 2**63, 2**63 - 1, 10**19, 0], "u8"),
    np.array([2**32 - 1, 2**31, 4 * 10**9], "u4"),
    np.array([-(2**63), -1], "i8"),
]
# The last sizes do not fit into constant memory.
MIDDLE = [values("u1", n) for n in (1023, 1024, 1025, 1031, 1032)]
LARGE = [values("u1", CONSTANT_MEMORY + more) for more in (-1, 0, 8, 12, 14, 15)]
HALF, OTHER, LONG = values("i4", 10000), values("i4", 9997), values("i4", 20000)
ALONE = np.array(-1.5, "f4")
GRID = values("i2", 105).reshape(3, 5, 7)
TURNED = GRID.transpose(2, 0, 1)
STEPS = TURNED[::3, ::-1, 1::2]
NOTHING = np.zeros((0, 3))
UNREAD = np.ones(20000, "f8")


@cuda.jit
def both(out):
    i = cuda.grid(1)
    if i < OTHER.size:
        # CHECK-PTX: .const .align 16 .b64 captured[4999] = {
        # CHECK-PTX-NEXT: .global .align 16 .b64 captured1[5000] = {
        out[i] = HALF[i] ^ OTHER[i] ^ LONG[19999]


@cuda.jit
def shapes(turned, steps, rest):
    i, j, k = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    turned[i, j, k] = TURNED[i, j, k]
    if i < steps.shape[0] and j < steps.shape[1] and k < steps.shape[2]:
        steps[i, j, k] = STEPS[i, j, k]
    if i == 0:
        rest[0] = ALONE[()] + NOTHING.size + UNREAD.size
        for row in NOTHING:
            rest[1] += row[j]


@cuda.jit(device=True)
def following(i):
    return LONG[i + 1]


@cuda.jit(device=True, inline="never")
def preceding(i):
    return LONG[i - 1]


@cuda.jit
def thrice(out):
    # CHECK-PTX: .global .align 16 .b64 captured[10000] = {
    # CHECK-PTX-NOT: captured1
    # CHECK-PTX: .entry thrice
    i = cuda.grid(1)
    if 0 < i < LONG.size - 1:
        out[i] = LONG[i] ^ following(i) ^ preceding(i)


@cuda.jit
def known(out):
    # CHECK-PTX: .globl{{.*}}known
    # CHECK-PTX-NOT: captured
    # CHECK-PTX: .entry known
    out[0] = HALF[77] + UNREAD.size


PTX = [
    (both, "(int32[::1])"),
    (shapes, "(int16[:, :, ::1], int16[:, :, ::1], float32[::1])"),
    (thrice, "(int32[::1])"),
    (known, "(int32[::1])"),
    *[(reader(table), (from_dtype(table.dtype)[::1],)) for table in [*TABLES[1:34:2], *MIDDLE, *LARGE[1:]]],
]


def are_same(found, table):
    """Bit for bit, but for what lies between the fields of records."""
    return all(found[name].tobytes() == table[name].tobytes() for name in table.dtype.names or (...,))


def run():
    for table in [*TABLES, *MIDDLE, *LARGE]:
        (out,) = launch(reader(table), -(-table.size // 128), 128, np.zeros_like(table))
        assert are_same(out, table), f"{table.dtype}[{table.size}]"
    (out,) = launch(both, 100, 100, np.zeros(9997, "i4"))
    np.testing.assert_array_equal(out, HALF[:9997] ^ OTHER ^ LONG[-1])
    block = TURNED.shape
    turned, steps, rest = launch(
        shapes, 1, block, np.zeros(block, "i2"), np.zeros(STEPS.shape, "i2"), np.zeros(2, "f4")
    )
    np.testing.assert_array_equal(turned, TURNED)
    np.testing.assert_array_equal(steps, STEPS)
    assert rest.tolist() == [-1.5 + 20000, 0]
    (out,) = launch(thrice, 157, 128, np.zeros(LONG.size, "i4"))
    np.testing.assert_array_equal(out[1:-1], LONG[1:-1] ^ LONG[2:] ^ LONG[:-2])
    (out,) = launch(known, 1, 1, np.zeros(1, "i4"))
    assert out[0] == HALF[77] + 20000
