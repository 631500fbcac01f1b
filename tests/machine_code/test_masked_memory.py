# Loads and stores under masks, on processors that have no instructions for them as well: elements beside pages that may
# not be accessed, gathers and scatters of some lanes, indices that wrap.

import pytest

PROGRAM = """
import ctypes
import mmap

import numpy as np
from treadle import cuda

libc = ctypes.CDLL(None, use_errno=True)
pages = []


def at_edge(values, at_end):
    \"\"\"A copy of the array that begins or ends where the only page that may be accessed does.\"\"\"
    size = -(-max(values.nbytes, 1) // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, size + 2 * mmap.PAGESIZE)
    pages.append(memory)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (start, start + mmap.PAGESIZE + size):
        assert libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    offset = mmap.PAGESIZE + (size - values.nbytes if at_end else 0)
    array = np.frombuffer(memory, values.dtype, values.size, offset).reshape(values.shape)
    array[:] = values
    return array


@cuda.jit
def chosen(flags, x, out):
    i = cuda.grid(1)
    if i < x.size and flags[i] > 2:
        out[i] = x[i] + 1
        if flags[i] % 2:
            out[i] += x[x.size - 1 - i]


@cuda.jit
def tiles(flags, x, out):
    j, i = cuda.grid(2)
    cuda.syncthreads()  # so that a warp is two rows of its block
    if i < x.shape[0] and j < x.shape[1] and flags[i, j] != 1:
        out[i, j] = x[i, j] * 2


@cuda.jit
def wrapped(flags, x, out):
    i = cuda.grid(1)
    if i < x.size and flags[i] != 3:
        out[i - 1] = x[i - 2] + x[flags[i] - 3]


@cuda.jit
def looked_up(places, x, out):
    i = cuda.grid(1)
    if i < places.size:
        place = places[i]
        if place < x.size:
            out[i] = x[place]


@cuda.jit
def many(places, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        a, b, c, d, e = places[i, 0], places[i, 1], places[i, 2], places[i, 3], places[i, 4]
        out[i] = x[a] * 2 + x[b] * 3 + x[c] * 4 + x[d] * 5 + x[e] + y[a] * 2 + y[b] * 3 + y[c] * 4 + y[d] * 5 + y[e]


@cuda.jit
def turned(x, out):
    j, i = cuda.grid(2)
    cuda.syncthreads()  # so that a warp is eight rows of its block, whole ones
    out[j, i] = x[i, j]


@cuda.jit
def shuffled(places, x, out):
    i = cuda.grid(1)
    if i < places.size:  # so that there is code without a mask
        out[places[i]] = x[places[places[i]]]


@cuda.jit
def shuffled_some(flags, places, x, out):
    i = cuda.grid(1)
    if i < flags.size and flags[i] > 2:
        out[places[i]] = x[places[i]]


@cuda.jit
def every_other(x, out):
    i = cuda.grid(1)
    if 2 * i < x.size:
        out[2 * i] = x[2 * i + 1]


@cuda.jit
def last_of(places, x, out):
    i = cuda.grid(1)
    if i < places.size:
        out[places[i]] = x[i]


@cuda.jit
def columns(rows, out):
    i = cuda.grid(1)
    if i < rows.shape[0]:
        out[i, 0] = rows[i, -1]
        if rows[i, 0] > 2:
            out[i, 1] = rows[i, 1]


@cuda.jit
def turned_rows(rows, out):
    i = cuda.grid(1)
    if i < rows.shape[0]:
        for k in range(rows.shape[1]):
            out[i, k] = rows[i, rows.shape[1] - 1 - k]


@cuda.jit
def inner_columns(rows, out):
    i = cuda.grid(1)
    if i < rows.shape[0]:
        out[i, 1] = rows[i, -2]
        out[i, 2] = rows[i, 1]
        out[i, 3] = rows[i, 2]
        out[i, 4] = rows[i, 3]


def plus(a, b):
    return a | b if a.dtype == bool else a + b


random = np.random.default_rng(3)
for dtype in (np.uint8, np.int16, np.float16, np.bool_, np.float32, np.int64, np.complex64, np.complex128):
    for n in (1, 2, 31, 32, 33, 63, 64, 100, 257):
        for at_end in (False, True):
            flags = at_edge(random.integers(0, 6, n).astype(np.uint8), at_end)
            x = at_edge(random.integers(0, 2 if dtype is np.bool_ else 50, n).astype(dtype), at_end)
            out, want = at_edge(np.zeros(n, dtype), at_end), np.zeros(n, dtype)
            chosen[-(-n // 64), 64](flags, x, out)
            on, odd = flags > 2, (flags > 2) & (flags % 2 == 1)
            want[on] = plus(x[on], dtype(1))
            want[odd] = plus(want[odd], x[::-1][odd])
            assert np.array_equal(out, want), (dtype, n, at_end, "chosen")
            out, want = at_edge(np.zeros(n, dtype), at_end), np.zeros(n, dtype)
            # Those that are not looked up would be 2 Gi elements below: kernels keep the low 32 bits, with their sign.
            places = np.where(on, random.integers(0, n, n), 1 << 31).astype(np.uint64)
            looked_up[-(-n // 64), 64](places, x, out)
            want[on] = x[places[on]]
            assert np.array_equal(out, want), (dtype, n, at_end, "looked_up")
            out, want = at_edge(np.zeros(n, dtype), at_end), np.zeros(n, dtype)
            if n > 3:
                # Each thread writes a place of its own.
                wrapped[1, 512](flags, x, out)
                i = np.nonzero(flags != 3)[0]
                want[i - 1] = plus(x[i - 2], x[flags[i].astype(int) - 3])
                assert np.array_equal(out, want), (dtype, n, at_end, "wrapped")
    ordered = np.dtype(dtype).kind != "c"
    for n, width in ((32, 2), (64, 3), (100, 3), (65, 4), (96, 5), (64, 8), (33, 16)) if ordered else ():
        for at_end in (False, True):
            rows = at_edge(random.integers(0, 2 if dtype is np.bool_ else 6, (n, width)).astype(dtype), at_end)
            out = at_edge(random.integers(0, 2, (n, width)).astype(dtype), at_end)
            want = out.copy()
            columns[-(-n // 64), 64](rows, out)
            want[:, 0] = rows[:, -1]
            want[:, 1] = np.where(rows[:, 0] > 2, rows[:, 1], want[:, 1])
            assert np.array_equal(out, want), (dtype, n, width, at_end, "columns")
            turned_rows[-(-n // 64), 64](rows, out)
            assert np.array_equal(out, rows[:, ::-1]), (dtype, n, width, at_end, "turned_rows")
            if width >= 5:
                want = out.copy()
                want[:, 1:5] = rows[:, [width - 2, 1, 2, 3]]
                inner_columns[-(-n // 64), 64](rows, out)
                assert np.array_equal(out, want), (dtype, n, width, at_end, "inner_columns")
    for shape in ((5, 7), (16, 33), (17, 16), (40, 3)):
        for at_end in (False, True):
            flags = at_edge(random.integers(0, 3, shape).astype(np.int16), at_end)
            x = at_edge(random.integers(0, 2, shape).astype(dtype), at_end)
            out = at_edge(np.zeros(shape, dtype), at_end)
            tiles[(-(-shape[1] // 16), -(-shape[0] // 16)), (16, 16)](flags, x, out)
            doubled = x if dtype is np.bool_ else x * dtype(2)
            assert np.array_equal(out, np.where(flags != 1, doubled, 0).astype(dtype)), (dtype, shape, at_end)
# More gathers than are worth being in line, of types of one size and others.
for dtype in (np.uint8, np.int16, np.float32, np.float64):
    places, factors = random.integers(0, 100, (300, 5)), np.array([2, 3, 4, 5, 1])
    x, y, out = random.integers(0, 9, 100).astype(dtype), random.integers(0, 9, 100).astype(np.int32), np.zeros(300)
    many[3, 128](places, x, y, out)
    want = (x[places].astype(np.float64) * factors).sum(1) + (y[places] * factors).sum(1)
    assert np.array_equal(out, want), (dtype, "many")


def parts(n, dtype):
    return (random.integers(0, 50, n) + 1j * random.integers(50, 99, n)).astype(dtype)


def unaligned(values):
    \"\"\"A copy of the array, a byte past what its elements are aligned to.\"\"\"
    array = np.zeros(values.nbytes + 1, np.uint8)[1:].view(values.dtype)
    array[:] = values
    return array


for dtype in (np.complex64, np.complex128):
    for n in (32, 64, 100, 256):
        for at_end in (False, True):
            flags = at_edge(random.integers(0, 6, n).astype(np.uint8), at_end)
            on = flags > 2
            places = at_edge(random.permutation(n).astype(np.int32), at_end)
            x, out = at_edge(parts(n, dtype), at_end), at_edge(np.zeros(n, dtype), at_end)
            shuffled[-(-n // 32), 32](places, x, out)
            assert np.array_equal(out[places], x[places[places]]), (dtype, n, at_end, "shuffled")
            out, want = at_edge(np.zeros(n, dtype), at_end), np.zeros(n, dtype)
            # Lanes that are off have places of nobody.
            nowhere = at_edge(np.where(on, places, -(1 << 30)).astype(np.int32), at_end)
            shuffled_some[-(-n // 32), 32](flags, nowhere, x, out)
            want[places[on]] = x[places[on]]
            assert np.array_equal(out, want), (dtype, n, at_end, "shuffled_some")
            out, want = at_edge(np.zeros(n - 1, dtype), at_end), np.zeros(n - 1, dtype)
            every_other[1, n](x, out)
            want[::2] = x[1::2]
            assert np.array_equal(out, want), (dtype, n, at_end, "every_other")
            # Of lanes that store to one place the last one wins, with both parts.
            out = at_edge(np.zeros(5, dtype), at_end)
            last_of[1, 32](places[:32] % 5, x, out)
            assert all(out[k] == x[:32][places[:32] % 5 == k][-1] for k in set(places[:32] % 5)), (dtype, n, "last_of")
            image = at_edge(parts((16, 20), dtype), at_end)
            out = at_edge(np.zeros((20, 16), dtype), at_end)
            turned[(5, 2), (4, 8)](image, out)
            assert np.array_equal(out, image.T), (dtype, n, at_end, "turned")
        x, out = unaligned(parts(n, dtype)), unaligned(np.zeros(n, dtype))
        shuffled[-(-n // 32), 32](places, x, out)
        assert np.array_equal(out[places], x[places[places]]), (dtype, n, "unaligned")
        out = unaligned(np.zeros(n, dtype))
        chosen[-(-n // 32), 32](flags, x, out)
        odd = on & (flags % 2 == 1)
        assert np.array_equal(out, np.where(on, x + 1, 0) + np.where(odd, x[::-1], 0)), (dtype, n, "unaligned, masked")
print("done")
"""


# A processor that this machine cannot stand for is refused when something is compiled.
PROBE = """
from treadle import cuda

try:
    cuda.jit("void(int64[:])")(lambda x: None)
except ValueError as error:
    if "this machine has not" not in str(error):
        raise
    print("no such machine")
    raise SystemExit
"""


@pytest.mark.share(every=4)
@pytest.mark.parametrize("processor", ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_elements_beside_pages_of_nobody(run_python, processor):
    printed = run_python(PROBE + PROGRAM, TREADLE_CPU=processor)
    if printed == "no such machine\n":
        pytest.skip(f"this machine is no {processor}")
    assert printed == "done\n"
