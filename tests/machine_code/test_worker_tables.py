"""Tables that a kernel only adds to are what locked updates would have made: all operations that may have copies of
workers, those that may not, sizes around the limit, signs of zero, several tables, uses that reveal the copies."""

import json

import numpy as np
import pytest
import remote
import treadle
from treadle import cuda

INTEGERS = [np.int32, np.uint32, np.int64, np.uint64]
N = 30_000


def keys(bins, seed=1):
    return np.random.default_rng(seed).integers(0, bins, N).astype(np.int32)


@cuda.jit
def add(table, keys, values):
    i = cuda.grid(1)
    if i < keys.size:
        cuda.atomic.add(table, keys[i], values[i])


@pytest.mark.parametrize("dtype", [*INTEGERS, np.float32, np.float64])
@pytest.mark.parametrize("bins", [1, 3, 512, 1024, 1025, 8192, 8193, 15001, 15104, 15105])
def test_sums(dtype, bins):
    where = keys(bins)
    values = np.random.default_rng(2).integers(0, 100, N).astype(dtype)
    table = np.arange(bins).astype(dtype)
    expected = table.copy()
    np.add.at(expected, where, values)
    add[-(-N // 256), 256](table, where, values)
    assert (table == expected).all()


def kernel_of(operation):
    @cuda.jit
    def update(table, keys, values):
        for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
            operation(table, keys[i], values[i])

    return update


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    ("operation", "function"),
    [
        (cuda.atomic.sub, np.subtract),
        (cuda.atomic.and_, np.bitwise_and),
        (cuda.atomic.or_, np.bitwise_or),
        (cuda.atomic.xor, np.bitwise_xor),
        (cuda.atomic.max, np.maximum),
        (cuda.atomic.min, np.minimum),
    ],
    ids=lambda item: getattr(item, "__name__", str(item)),
)
def test_operations(operation, function, dtype):
    info = np.iinfo(dtype)
    rng = np.random.default_rng(3)
    where = keys(40)
    values = rng.integers(info.min, info.max, N, dtype=dtype, endpoint=True)
    table = rng.integers(info.min, info.max, 40, dtype=dtype, endpoint=True)
    expected = table.copy()
    function.at(expected, where, values)
    kernel_of(operation)[16, 128](table, where, values)
    assert (table == expected).all()


def keeps_nan(is_better):
    return lambda old, value: value if is_better(value, old) else old


def prefers_numbers(is_better):
    return lambda old, value: value if np.isnan(old) or is_better(value, old) else old


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("operation", "model"),
    [
        (cuda.atomic.max, keeps_nan(np.greater)),
        (cuda.atomic.min, keeps_nan(np.less)),
        (cuda.atomic.nanmax, prefers_numbers(np.greater)),
        (cuda.atomic.nanmin, prefers_numbers(np.less)),
    ],
    ids=["max", "min", "nanmax", "nanmin"],
)
def test_extremes_of_floats(operation, model, dtype):
    """NaN and infinities as elements and as operands, elements that nothing reaches."""
    special = np.array([np.nan, np.inf, -np.inf, 1, -1], dtype)
    table, where, values = [], [], []
    for element in special:
        for operands in ([], *([one] for one in special), [np.nan, 0.5], [-np.inf, np.nan], [np.inf, 3]):
            where += [len(table)] * len(operands)
            values += list(operands)
            table.append(element)
    table, where, values = np.array(table, dtype), np.array(where, np.int32), np.array(values, dtype)
    expected = table.copy()
    for i, value in zip(where, values, strict=True):
        expected[i] = model(expected[i], value)
    kernel_of(operation)[1, 64](table, where, values)
    assert np.array_equal(table, expected, equal_nan=True)


def test_untouched_elements_keep_their_sign():
    table = np.array([-0.0, -0.0, 0.0, np.nan], np.float32)
    where = np.zeros(64, np.int32)
    add[1, 64](table, where, np.zeros(64, np.float32))
    assert not np.signbit(table[0])  # -0.0 + 0.0
    assert np.signbit(table[1]) and not np.signbit(table[2]) and np.isnan(table[3])
    table[0] = -0.0
    add[1, 64](table, where, np.full(64, -0.0, np.float32))
    assert np.signbit(table[0])


def test_two_dimensions_and_negative_indices():
    @cuda.jit
    def pairs(table, a, b):
        i = cuda.grid(1)
        if i < a.size:
            cuda.atomic.add(table, (a[i], -1 - b[i]), 1)

    a, b = keys(7), keys(11, seed=5)
    table = np.zeros((7, 11), np.int32)
    pairs[120, 256](table, a, b)
    expected = np.zeros_like(table)
    np.add.at(expected, (a, 10 - b), 1)
    assert (table == expected).all()


def test_several_tables_and_constant_places():
    @cuda.jit
    def moments(count, sums, extremes, keys, values):
        i = cuda.grid(1)
        if i < keys.size:
            cuda.atomic.add(count, 0, 1)
            cuda.atomic.add(sums, keys[i], values[i])
            cuda.atomic.max(extremes, keys[i], values[i])

    where, values = keys(20), np.random.default_rng(6).integers(-50, 50, N)
    count, sums, extremes = np.zeros(1, np.int64), np.zeros(20, np.int64), np.full(20, -40)
    expected_sums, expected_extremes = sums.copy(), extremes.copy()
    np.add.at(expected_sums, where, values)
    np.maximum.at(expected_extremes, where, values)
    moments[-(-N // 128), 128](count, sums, extremes, where, values)
    assert count[0] == N and (sums == expected_sums).all() and (extremes == expected_extremes).all()


def test_used_results_are_tickets():
    """A table whose old values are used, or that is read, has no copies."""

    @cuda.jit
    def tickets(counter, out):
        i = cuda.grid(1)
        if i < out.size:
            out[cuda.atomic.add(counter, 0, 1)] = 1

    counter, out = np.zeros(1, np.int32), np.zeros(5000, np.int32)
    tickets[40, 128](counter, out)
    assert counter[0] == 5000 and out.all()

    @cuda.jit
    def read_back(table, keys, out):
        t = cuda.threadIdx.x
        cuda.atomic.add(table, keys[t], 1)
        cuda.syncthreads()
        out[t] = table[keys[t]]

    table, out = np.full(4, 100, np.int32), np.zeros(64, np.int32)
    read_back[1, 64](table, (np.arange(64) % 4).astype(np.int32), out)
    assert (out == 116).all()


def test_tables_that_overlap_other_arrays():
    """The same memory as an argument that is read: no copies, so that a later block sees what an earlier one added."""

    @cuda.jit
    def add_and_read(table, same, out):
        t = cuda.threadIdx.x
        cuda.atomic.add(table, t, 1)
        cuda.syncthreads()
        out[t] = same[t]

    table, out = cuda.to_device(np.zeros(32, np.int32)), np.zeros(32, np.int32)
    add_and_read[1, 32](table, table, out)
    assert (out == 1).all()


def test_fences_publish():
    @cuda.jit
    def last_block(sums, done, out):
        if cuda.threadIdx.x == 0:
            cuda.atomic.add(sums, 0, 1)
            cuda.threadfence()
            if cuda.atomic.add(done, 0, 1) == cuda.gridDim.x - 1:
                out[0] = cuda.atomic.add(sums, 0, 0)

    sums, done, out = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    last_block[500, 32](sums, done, out)
    assert out[0] == 500


def test_concurrent_launches_merge():
    where = keys(30)
    table = cuda.to_device(np.zeros(30, np.int64))
    ones = cuda.to_device(np.ones(N, np.int64))
    places = cuda.to_device(where)
    streams = [cuda.stream() for _ in range(4)]
    for _ in range(5):
        for stream in streams:
            add[-(-N // 256), 256, stream](table, places, ones)
    cuda.synchronize()
    assert (table.copy_to_host() == 20 * np.bincount(where, minlength=30)).all()


@pytest.mark.skipif(remote.is_under_test(), reason="of the devices that run here only the CPU device has workers")
@pytest.mark.parametrize(
    ("dtype", "bins", "threads", "is_copied"),
    [
        (np.int32, 1024, 32, True),
        (np.int64, 512, 32, True),
        (np.int32, 1025, 2048, False),
        (np.int32, 1025, 2080, True),
        (np.float64, 8192, 16384, True),
        (np.float64, 8193, 1 << 20, False),
        (np.int32, 16384, 32768, True),
        (np.int32, 16385, 1 << 20, False),
    ],
)
def test_sizes_that_have_copies(dtype, bins, threads, is_copied, tmp_path):
    """4 KiB, or 64 KiB with half as many elements as threads."""
    traced = cuda.jit(add.py_func)
    table = np.zeros(bins, dtype)
    with treadle.trace(tmp_path / "trace.json"):
        traced[-(-threads // 32), 32](table, np.arange(bins, dtype=np.int32), np.ones(bins, dtype))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    made = [event["args"]["facts"] for event in events if "facts" in event.get("args", {})]
    assert made and all(("tables" in facts) == is_copied for facts in made)
    assert (table[: min(bins, threads)] == 1).all() and (table[threads:] == 0).all()
