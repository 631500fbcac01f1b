# 64-bit integers that PTX code computes in 32 bits, at the limits of 32 bits, on the machine that runs PTX.

import numpy as np
import pytest
import treadle
from treadle import cuda, int64

from ptx import ptx_code

ALL_FACTS = {"offsets_fit_int32": True, "grid_fits_int32": True, "no_overlap": True, "aligned16": True}
DTYPES = ["int16", "int32", "uint16", "uint32"]
VARIANTS = [({}, 3), (ALL_FACTS, 3), (ALL_FACTS, 0)]
LARGEST = 2**31 - 1


def run(kernel, types, arguments, block=(64, 1, 1)):
    """The arrays after a launch of one block; must be equal for all variants."""
    signature = treadle._core.Signature(types, treadle.void)
    results = []
    for facts, opt in VARIANTS:
        copies = {name: value.copy() if value.flags.writeable else value for name, value in arguments.items()}
        ptx_code.load(kernel.py_func, signature, facts, opt)((1, 1, 1), block, copies)
        results.append({name: value for name, value in copies.items() if value.flags.writeable})
    for other in results[1:]:
        for name, value in results[0].items():
            np.testing.assert_array_equal(other[name], value)
    return results[0]


@cuda.jit
def arithmetic(x, y, out):
    i = cuda.threadIdx.x
    if i < x.size:
        out[0, i] = x[i] + y[i]
        out[1, i] = x[i] - y[i]
        out[2, i] = x[i] * y[i]
        out[3, i] = x[i] + y[i] - 1
        out[4, i] = (x[i] + y[i]) * 2 - x[i]
        out[5, i] = -1 - (x[i] - y[i])
        out[6, i] = x[i] * x[i] + y[i] * y[i]
        out[7, i] = x[i] < y[i]
        out[8, i] = x[i] + 1 <= y[i]
        out[9, i] = x[i] - 1 >= y[i] + 1
        out[10, i] = x[i] * 2 == y[i] * 2
        out[11, i] = int64(x[i]) < int64(y[i])


def edges(dtype):
    """Pairs of values of that type."""
    info = np.iinfo(dtype)
    values = sorted({info.min, info.min + 1, 0, 1, info.max - 1, info.max, info.max // 2})
    pairs = np.array([(a, b) for a in values for b in values], dtype=dtype)
    return pairs[:, 0].copy(), pairs[:, 1].copy()


@pytest.mark.parametrize("dtype", DTYPES)
def test_arithmetic(dtype):
    x, y = edges(dtype)
    element = getattr(treadle, dtype)
    types = [element[::1], element[::1], treadle.int64[:, ::1]]
    out = run(arithmetic, types, {"x": x, "y": y, "out": np.zeros((12, x.size), np.int64)})["out"]
    for i, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        want = [a + b, a - b, a * b, a + b - 1, (a + b) * 2 - a, -1 - (a - b), a * a + b * b]
        want = [(value + 2**63) % 2**64 - 2**63 for value in want]
        found = out[:, i].tolist()
        assert found[:7] == want, (a, b)
        tests = [a < b, a + 1 <= b, a - 1 >= b + 1, a * 2 == b * 2, a < b]
        assert found[7:] == [int(t) for t in tests], (a, b)


@cuda.jit
def loops(starts, stops, steps, out):
    i = cuda.threadIdx.x
    if i < starts.size:
        count = 0
        last = 0
        for k in range(starts[i], stops[i], steps[i]):
            count += 1
            last = k
        out[0, i] = count
        out[1, i] = last


@cuda.jit
def rising(starts, stops, steps, out):
    i = cuda.threadIdx.x
    if i < starts.size:
        count = 0
        last = 0
        for k in range(starts[i], stops[i], steps[i] + 1):
            count += 1
            last = k
        out[0, i] = count
        out[1, i] = last


SIGNED = [
    (LARGEST - 5, LARGEST, 2), (LARGEST - 5, LARGEST, LARGEST), (0, LARGEST, LARGEST), (0, LARGEST, 2**30),
    (-LARGEST - 1, LARGEST, LARGEST), (-LARGEST - 1, -LARGEST, 5), (5, -LARGEST - 1, -LARGEST - 1),
    (LARGEST, -LARGEST - 1, -LARGEST), (-LARGEST + 6, -LARGEST - 1, -3), (3, 3, 1), (4, 3, 1), (3, 4, -1), (3, 9, 0),
    (LARGEST, LARGEST, 1), (-1, 3, 1), (3, -1, -1), (3, -2, -1), (-3, 3, 1),
]  # fmt: skip
UNSIGNED = [(2**32 - 5, 2**32 - 1, 2), (0, 2**32 - 1, 2**31), (0, 2**32 - 1, 2**32 - 1), (3, 3, 1), (2**31, 5, 7)]


def check_loops(kernel, cases, types, arrays):
    out = run(kernel, [*types, treadle.int64[:, ::1]], arrays | {"out": np.zeros((2, len(cases)), np.int64)})
    for i, case in enumerate(cases):
        values = range(*case) if case[2] else range(0)
        assert out["out"][:, i].tolist() == [len(values), values[-1] if values else 0], case


def columns(cases, *dtypes):
    names = ("starts", "stops", "steps")
    return {n: np.array([c[k] for c in cases], d) for k, (n, d) in enumerate(zip(names, dtypes, strict=True))}


def test_loops_of_int32():
    check_loops(loops, SIGNED, [treadle.int32[::1]] * 3, columns(SIGNED, *["int32"] * 3))


@pytest.mark.parametrize("start", ["int32", "uint16"])
def test_loops_that_rise(start):
    cases = [(a, b, c) for a, b, c in SIGNED if 0 < c <= 2**16]
    cases += [(LARGEST - 70000, LARGEST, 2**16), (LARGEST - 2**16, LARGEST, 2**16)]
    if start == "uint16":
        cases = [(0, 3, 1), (3, -3, 1), (65535, 65536, 65536), (65535, 2**17, 65536), (0, LARGEST, 65536)]
    types = [getattr(treadle, start)[::1], treadle.int32[::1], treadle.uint16[::1]]
    arrays = columns([(a, b, c - 1) for a, b, c in cases], start, "int32", "uint16")
    check_loops(rising, cases, types, arrays)


def test_loops_of_uint32():
    check_loops(loops, UNSIGNED, [treadle.uint32[::1]] * 3, columns(UNSIGNED, *["uint32"] * 3))


@cuda.jit
def extents(x, jump, out):
    n = x.size
    out[0] = n + 1
    out[1] = n * 2
    out[2] = n * 3
    out[3] = -n - 2
    out[4] = n + n + n - 2
    out[5] = n + 1 > n
    out[6] = n * 2 - n == n
    out[7] = 0 - n * 2 < -n
    for k in range(n - 3, n, jump.size):
        out[8] += k
    for _ in range(cuda.grid(1), n, n - 1):
        out[9] += 1
    i = n - 2
    while i < n:
        out[10] += i
        i += jump.size + n - n // 2


@pytest.mark.parametrize("length", [LARGEST, LARGEST - 1, 3])
def test_extents_up_to_the_largest(length):
    x = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), (length,), (0,), writeable=False)
    arguments = {"x": x, "jump": np.zeros(2, np.int8), "out": np.zeros(11, np.int64)}
    types = [treadle.int8[:], treadle.int8[::1], treadle.int64[::1]]
    out = run(extents, types, arguments, block=(1, 1, 1))["out"]
    n = length
    loops = [sum(range(n - 3, n, 2)), len(range(0, n, n - 1)), sum(range(n - 2, n, 2 + n - n // 2))]
    assert out.tolist() == [n + 1, n * 2, n * 3, -n - 2, 3 * n - 2, 1, 1, 1, *loops]


@cuda.jit
def rows(x, out):
    i = cuda.threadIdx.x
    if i < x.shape[0]:
        for k in range(x.shape[1]):
            out[0, i] += x[i, k] << k
        for k in range(x.shape[1] - 1, -1, -1):
            out[1, i] = out[1, i] * 3 + x[i, k]
        for k in range(1, x.shape[1] - 1, 2):
            out[2, i] += x[i, k - 1] * k - x[i, k + 1]


@pytest.mark.parametrize("columns", [0, 1, 2, 3, 4, 5, 7, 8, 9])
def test_loops_of_any_length(columns):
    x = np.arange(4 * columns, dtype=np.int32).reshape(4, columns) * 7 - 9
    arguments = {"x": x, "out": np.zeros((3, 4), np.int64)}
    out = run(rows, [treadle.int32[:, ::1], treadle.int64[:, ::1]], arguments, block=(4, 1, 1))["out"]
    for i, row in enumerate(x.tolist()):
        assert out[0, i] == sum(v << k for k, v in enumerate(row))
        assert out[1, i] == sum(v * 3**k for k, v in enumerate(row))
        assert out[2, i] == sum(row[k - 1] * k - row[k + 1] for k in range(1, columns - 1, 2))


@cuda.jit
def indices(x, shift, out):
    i = cuda.threadIdx.x
    a = shift[i]
    if i < shift.size:
        out[0, i] = x[4 * i + a - a]
        out[1, i] = x[(a + i * 4) - a]
        out[2, i] = x[a * 3 - (a * 3 - i)]
        out[3, i] = x[(a - i) * -1 + a]
        out[4, i] = x[a * a - (a * a - i)]
        out[5, i] = x[i + a * 2147483647 - a * 2147483647]
        out[6, i] = x[a * 4611686018427387904 * 4 + i]
        out[7, i] = x[i - 4 * x.size + 3 * x.size]


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64"])
def test_indices_made_from_large_numbers(dtype):
    info = np.iinfo(dtype)
    shift = np.array([0, 1, info.max, info.min, info.max - 1, info.max // 2, info.max // 3, 5], dtype)
    x = np.arange(32, dtype=np.int64) * 10
    arguments = {"x": x, "shift": shift, "out": np.zeros((8, 8), np.int64)}
    types = [treadle.int64[::1], getattr(treadle, dtype)[::1], treadle.int64[:, ::1]]
    out = run(indices, types, arguments, block=(8, 1, 1))["out"]
    plain = np.arange(8) * 10
    np.testing.assert_array_equal(out, [4 * plain, 4 * plain, *[plain] * 6])


LONG = np.zeros((0, 2**40 + 3), np.int8)


@cuda.jit
def captured(out):
    out[0] = LONG.shape[1] > out.size
    out[1] = LONG.shape[1] * 2
    for _ in range(LONG.shape[1] - 2, LONG.shape[1]):
        out[2] += 1
    out[3] = out.size


def test_facts_do_not_speak_of_long_captured_arrays():
    out = run(captured, [treadle.int64[::1]], {"out": np.zeros(4, np.int64)}, block=(1, 1, 1))["out"]
    assert out.tolist() == [1, 2**41 + 6, 2, 4]
