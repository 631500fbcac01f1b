# Heat in a plate: windows of two axes are passed to device functions, kernels are called from kernels, NaN is a wall.
import numpy as np
from treadle import cuda


@cuda.jit
def laplace(window):
    return window[0, 1] + window[2, 1] + window[1, 0] + window[1, 2] - 4 * window[1, 1]


@cuda.jit(device=True)
def walled(window):
    total = 0.0
    for row in window:
        for value in row:
            total += value
    return np.isnan(total)


@cuda.jit
def store(out, i, j, value):
    out[i, j] = value


@cuda.jit
def step(a, out, c):
    i, j = cuda.grid(2)
    if i >= a.shape[0] or j >= a.shape[1]:
        return
    if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
        if walled(a[i - 1 : i + 2, j - 1 : j + 2]):
            store(out, i, j, a[i, j])
        else:
            store(out, i, j, a[i, j] + c * laplace(a[i - 1 : i + 2, j - 1 : j + 2]))
    else:
        store(out, i, j, a[i, j])


largest = cuda.reduce(lambda a, b: b if b > a else a)


def solve(a, c, steps, stream):
    here = cuda.to_device(a, stream=stream)
    there = cuda.device_array_like(here)
    for _ in range(steps):
        step[tuple((n + 7) // 8 for n in a.shape), (8, 8), stream](here, there, c)
        here, there = there, here
    return here


def on_host(a, c, steps):
    for _ in range(steps):
        windows = np.lib.stride_tricks.sliding_window_view(a, (3, 3))
        change = windows[..., 0, 1] + windows[..., 2, 1] + windows[..., 1, 0] + windows[..., 1, 2] - 4 * a[1:-1, 1:-1]
        new = a.copy()
        walls = np.isnan(windows.sum(axis=(2, 3)))
        new[1:-1, 1:-1] = np.where(walls, a[1:-1, 1:-1], a[1:-1, 1:-1] + c * change)
        a = new
    return a


plate = np.zeros((12, 17))
plate[:, 0], plate[5, 8], plate[3, 3] = 100, np.nan, 50
with cuda.stream().auto_synchronize() as stream:
    result = solve(plate, 0.2, 6, stream)
expected = on_host(plate, 0.2, 6)
np.testing.assert_allclose(result.copy_to_host(), expected, rtol=1e-13)
np.testing.assert_allclose(np.hypot(result, 1).copy_to_host(), np.hypot(expected, 1))
assert largest(result[:, 1]) == result.copy_to_host()[:, 1].max()
