# float16 in every place: shared, local and captured arrays, records, tuples, device functions, shuffles, branches.
import numpy as np
from treadle import cuda, float16, float32, from_dtype, int64, types

from kernels.halves import HALVES, same

TABLE = np.array([0.1, -2, 65504, np.inf, 2**-24, -0.0], np.float16)
FACTOR = np.float16(0.1)
PAIR = np.dtype([("tag", "u1"), ("weight", "f2"), ("at", "f2", (3,)), ("count", "i4")])
ALIGNED = np.dtype([("tag", "u1"), ("weight", "f2"), ("at", "f2", (3,)), ("count", "i4")], align=True)


@cuda.jit
def reversed_in_shared(x, out):
    part = cuda.shared.array(64, float16)
    mine = cuda.local.array((2, 3), np.float16)
    tid = cuda.threadIdx.x
    i = cuda.grid(1)
    part[tid] = x[i]
    for row in range(2):
        for column in range(3):
            mine[row, column] = part[tid] * (row + column)
    cuda.syncthreads()
    out[i] = part[63 - tid] + mine[1, 2] - mine[1, 1]


@cuda.jit
def rows(x, out):
    """Slices, strides and negative indices."""
    i = cuda.grid(1)
    row = x[i, ::-2]
    out[i, :] = row[0]
    out[i, 1:] += row
    for value in row:
        out[i, -1] += value


@cuda.jit(device=True)
def both(x, pair):
    return x + pair[0], x if x > pair[0] else pair[0]


@cuda.jit
def captured(x, scalar, pair, out):
    i = cuda.grid(1)
    total, larger = both(x[i], pair)
    out[i, 0] = total
    out[i, 1] = larger
    out[i, 2] = TABLE[i % 6]
    out[i, 3] = FACTOR
    out[i, 4] = scalar
    out[i, 5] = x[i] + FACTOR
    out[i, 6] = pair[1]


@cuda.jit
def of_records(records, copies):
    i = cuda.grid(1)
    one = records[i]
    one.weight += one.at[1]
    one.at[2] = one.count
    one["at"][0] = records["weight"][i] * float16(2)
    copies[i] = one


@cuda.jit
def shuffled(x, out):
    i = cuda.grid(1)
    lane = cuda.laneid
    out[i, 0] = cuda.shfl_sync(0xFFFFFFFF, x[i], 31 - lane)
    out[i, 1] = cuda.shfl_up_sync(0xFFFFFFFF, x[i], 1)
    out[i, 2] = cuda.shfl_down_sync(0xFFFFFFFF, x[i], 2, 8)
    out[i, 3] = cuda.shfl_xor_sync(0xFFFFFFFF, x[i], 5)
    out[i, 4] = cuda.selp(lane < 9, x[i], float16(0))


@cuda.jit
def matched(x, masks):
    i = cuda.grid(1)
    masks[i] = cuda.match_any_sync(0xFFFFFFFF, x[i])


@cuda.jit
def kinds(x, single, out):
    """Which branches are compiled: those that are not would be errors, or other numbers."""
    if x.dtype == float16:
        out[0] = 1
    if single.dtype == float16:
        out[1] = single.no_such_attribute
    if isinstance(x[0], (int, float16)):
        out[2] = 1
    if isinstance(x[0], float):
        out[3] = 1
    if isinstance(x[0], np.float16):
        out[4] = 1
    if isinstance(single[0], np.float16):
        out[5] = 1
    if isinstance(x[0], np.floating):
        out[6] = 1
    if isinstance(x[0], int):
        out[7] = 1
    if isinstance(x[0], types.Float):
        out[8] = 1


@cuda.jit
def changing(x, n, out):
    """A variable that is float16, and float64 where paths join."""
    value = x[0]
    for _ in range(n):
        value = value + x[1]
    total = x[0]
    if n > 2:
        total = int64(3)
    out[0] = value
    out[1] = total
    out[2] = -x[0] if x[0] > x[1] else x[1]
    out[3] = x[0] and x[1]


@cuda.jit
def scalar_array(x):
    x[()] += float16(0.5)


HALF, HALVES_2D = "float16[::1]", "float16[:, ::1]"
PTX = [
    (reversed_in_shared, f"({HALF}, {HALF})"),
    (rows, f"({HALVES_2D}, {HALVES_2D})"),
    (captured, f"({HALF}, float16, UniTuple(float16, 2), {HALVES_2D})"),
    *[(of_records, cuda.void(from_dtype(dtype)[:], from_dtype(dtype)[:])) for dtype in (PAIR, ALIGNED)],
    (shuffled, f"({HALF}, {HALVES_2D})"),
    (matched, f"({HALF}, uint32[::1])"),
    (kinds, f"({HALF}, float32[::1], int32[::1])"),
    (changing, f"({HALF}, int32, float64[::1])"),
]


def check_arrays():
    x = HALVES[0x3000:0x3080].copy()
    out = np.zeros_like(x)
    reversed_in_shared[2, 64](x, out)
    twice, thrice = (x.astype("f8") * k for k in (2, 3))
    expected = x.reshape(2, 64)[:, ::-1].ravel() + thrice.astype("f2") - twice.astype("f2")
    same("shared", out, expected, x)
    for order in ("C", "F"):
        matrix = np.asarray(HALVES[0x4000 : 0x4000 + 40 * 6].reshape(40, 6), order=order)
        out = np.zeros((40, 4), np.float16)
        rows[5, 8](matrix, out)
        row = matrix[:, ::-2]
        expected = np.repeat(row[:, :1], 4, axis=1)
        expected[:, 1:] += row
        for k in range(3):
            expected[:, -1] += row[:, k]
        same("slices", out.ravel(), expected.ravel())
    zero = np.array(0.1, np.float16)
    scalar_array[1, 1](zero)
    assert zero == np.float16(0.1) + np.float16(0.5)


def check_values():
    x = HALVES[0x2C00:0x2C40].copy()
    out = np.zeros((64, 7), np.float16)
    pair = np.float16(0.07), np.float16(-1.1)
    captured[2, 32](x, np.float16(1 / 3), pair, out)
    expected = [x + pair[0], np.maximum(x, pair[0]), np.resize(TABLE, 64), np.full(64, FACTOR),
                np.full(64, np.float16(1 / 3)), x + FACTOR, np.full(64, pair[1])]  # fmt: skip
    for k, column in enumerate(expected):
        same(f"column {k}", np.ascontiguousarray(out[:, k]), column)
    out = np.zeros(4)
    changing[1, 1](np.array([0.1, 0.2], np.float16), 3, out)
    a, b = np.float16(0.1), np.float16(0.2)
    assert out.tolist() == [float(a + b + b + b), 3, float(b), float(b)]


def check_records():
    for dtype in (PAIR, ALIGNED):
        records, copies = np.zeros(40, dtype), np.zeros(40, dtype)
        records["weight"], records["count"] = HALVES[0x3000:0x3028], np.arange(40) * 100
        records["at"] = HALVES[0x2800 : 0x2800 + 120].reshape(40, 3)
        expected = records.copy()
        expected["weight"] += expected["at"][:, 1]
        expected["at"][:, 2] = expected["count"]
        expected["at"][:, 0] = expected["weight"] * np.float16(2)
        of_records[2, 20](records, copies)
        for name in dtype.names:
            assert records[name].tolist() == expected[name].tolist() == copies[name].tolist()


def check_warps():
    x = HALVES[0x3C00:0x3C20].copy()
    x[7] = np.nan
    out = np.zeros((32, 5), np.float16)
    shuffled[1, 32](x, out)
    lanes = np.arange(32)
    columns = (31 - lanes, np.maximum(lanes - 1, 0), np.where(lanes % 8 < 6, lanes + 2, lanes), lanes ^ 5)
    for k, source in enumerate(columns):
        assert out[:, k].view("u2").tolist() == x[source].view("u2").tolist(), k
    same("selp", np.ascontiguousarray(out[:, 4]), np.where(lanes < 9, x, np.float16(0)))
    few, masks = np.resize(np.array([0.0, -0.0, 2, 3, 2], "f2"), 32), np.zeros(32, np.uint32)
    matched[1, 32](few, masks)
    bits = few.view("u2")
    assert masks.tolist() == [sum(1 << int(k) for k in np.flatnonzero(bits == one)) for one in bits]


def run():
    check_arrays()
    check_values()
    check_records()
    check_warps()
    out = np.zeros(9, np.int32)
    kinds[1, 1](np.zeros(1, np.float16), np.zeros(1, np.float32), out)
    assert out.tolist() == [1, 0, 1, 1, 1, 0, 1, 0, 1]
    assert float32(0.1) != float16(0.1)
