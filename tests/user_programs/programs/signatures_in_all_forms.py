# Kernels compiled when they are declared: signatures of text with and without parentheses, calls and tuples of types.
import numpy as np
from treadle import boolean, cuda, float32, float64, int32, int64, types, uint8, void


@cuda.jit("int32[:, :], float32[:], int64")
def histogram(counts, values, bins):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(counts, (i % counts.shape[0], int(values[i] * bins)), 1)


@cuda.jit("float64(float64, float64)", device=True)
def mean(a, b):
    return (a + b) / 2


@cuda.jit("(float64, int32)", device=True)
def halved(a, times):
    for _ in range(times):
        a = mean(a, 0)
    return a


@cuda.jit(void(float64[:], float64[::1], boolean))
def smooth(x, out, twice):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = mean(x[i], x[i - 1])
        if twice:
            out[i] = mean(out[i], mean(x[i - 1], x[i - 2]))


@cuda.jit((float64[:, ::1], types.UniTuple(int64, 2), uint8))
def corner(a, at, value):
    a[at[0], at[1]] = halved(value, 3)


@cuda.jit([(float32[:], float32), (float64[:], float64), "void(int32[:], int32)"])
def fill(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = value


@cuda.jit(argtypes=[int32[:], float32])
def old_form(x, factor):
    x[cuda.grid(1)] *= factor


values = np.random.default_rng(2).uniform(0, 1, 60).astype(np.float32)
counts = cuda.to_device(np.zeros((2, 5), np.int32))
histogram[2, 32](counts, values, 5)
expected = [np.bincount((values[k::2] * np.float32(5)).astype(int), minlength=5) for k in range(2)]
np.testing.assert_array_equal(counts.copy_to_host(), expected)

x, out = np.arange(20.0) ** 2, np.zeros(20)
smooth[1, 32](x, out, False)
np.testing.assert_allclose(out, (x + np.roll(x, 1)) / 2)
smooth[1, 32](x[::-1], out, True)
y = x[::-1]
np.testing.assert_allclose(out, (y + 2 * np.roll(y, 1) + np.roll(y, 2)) / 4)

a = np.zeros((3, 4))
corner[1, 1](a, (2, -1), 200)
assert a[2, 3] == 25 and np.count_nonzero(a) == 1
for dtype, found in ((np.float32, 2.5), (np.float64, 2.5), (np.int32, 2)):
    x = cuda.device_array(7, dtype)
    fill[1, 32](x, 2.5)
    assert set(x.copy_to_host()) == {found}
assert len(fill.signatures) == 3
x = np.arange(32, dtype=np.int32)
old_form[1, 32](x, 1.5)
np.testing.assert_array_equal(x, (np.arange(32) * 1.5).astype(int))
total = cuda.reduce(lambda a, b: a + b)
assert total(cuda.to_device(x)) == x.sum()
