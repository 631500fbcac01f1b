# On the CPU, arrays larger than the caches are written with non-temporal stores: at every alignment, for every element
# size, and only where the kernel does nothing else with them.
import os

import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def doubled(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i % x.size] + 1


@cuda.jit
def shifted(x, out):
    i = cuda.grid(1)
    if i + 3 < out.size:
        out[i + 3] = x[i % x.size] + 1


@cuda.jit
def turned(x, out):
    tile = cuda.shared.array(256, x.dtype)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[t] = x[i % x.size]
    cuda.syncthreads()
    if i < out.size:
        out[i] = tile[255 - t] + 1


@cuda.jit
def turned_over_the_grid(x, out):
    tile = cuda.shared.array(256, x.dtype)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    tile[t] = x[i % x.size]
    cuda.cg.this_grid().sync()
    out[i] = tile[255 - t] + 1


@cuda.jit
def stored_four_times(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 0
        if x[i] > 1:
            out[i] = 1
        if x[i] > 2:
            out[i] = 2
        if x[i] > 3:
            out[i] = 3


@cuda.jit
def stored_five_times(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 0
        if x[i] > 1:
            out[i] = 1
        if x[i] > 2:
            out[i] = 2
        if x[i] > 3:
            out[i] = 3
        if x[i] > 4:
            out[i] = 4


PTX = [(doubled, "(float32[::1], float32[::1])"), (shifted, "(uint8[::1], uint8[::1])")]


def large():
    """Size in bytes of an array that does not fit in the caches."""
    last_level = os.sysconf(194)  # glibc's _SC_LEVEL3_CACHE_SIZE, which Python has no name for
    return max(last_level // 2, 16 << 20) + 4096


def run():
    bytes_wanted = large()
    memory = np.zeros(bytes_wanted + 64, np.uint8)
    first = -memory.ctypes.data % 64
    for dtype in (np.uint8, np.int16, np.float32, np.float64, np.complex64):
        x = np.arange(97).astype(dtype)
        count = bytes_wanted // np.dtype(dtype).itemsize - 7
        expected = np.resize(x + x.dtype.type(1), count)
        for offset in (0, 16, np.dtype(dtype).itemsize):
            out = memory[first + offset : first + offset + count * x.itemsize].view(dtype)
            doubled[(count + 255) // 256, 256](x, out)
            assert (out == expected).all(), (dtype, offset)
            turned[(count + 255) // 256, 256](x, out)
            whole = count // 256 * 256
            blocks = expected[:whole].reshape(-1, 256)[:, ::-1]
            assert (out[:whole].reshape(-1, 256) == blocks).all(), (dtype, offset)
        out[:] = 0
        shifted[(count + 255) // 256, 256](x, out)
        assert (out[3:] == expected[:-3]).all() and (out[:3] == 0).all(), dtype
    text = shifted.inspect("asm", "(complex64[::1], complex64[::1])")
    assert "movnt" not in text, text  # two numbers for each element
    text = shifted.inspect("asm", "(float32[::1], float32[::1])")
    assert "movnt" in text and "sfence" in text, text
    # Not where blocks wait for others while they run.
    x = np.arange(256, dtype=np.float32)
    (out,) = launch(turned_over_the_grid, 1, 256, x, np.zeros_like(x))[1:]
    assert (out == x[::-1] + 1).all()
    assert "movnt" not in turned_over_the_grid.inspect("asm", "(float32[::1], float32[::1])")
    # Between barriers only whole lines.
    assert "movnt" in turned.inspect("asm", "(float32[::1], float32[::1])")
    assert "movnt" not in turned.inspect("asm", "(uint8[::1], uint8[::1])")
    # Not what is written again and again.
    for kernel, most in ((stored_four_times, 3), (stored_five_times, 4)):
        (out,) = launch(kernel, 1, 256, x % 7, np.zeros_like(x))[1:]
        assert (out == np.clip(x % 7 - 1, 0, most)).all()
        assert ("movnt" in kernel.inspect("asm", "(float32[::1], float32[::1])")) == (most == 3)
