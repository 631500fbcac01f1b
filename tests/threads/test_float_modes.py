"""Floating-point modes of the launching thread: kernels compute under the default modes."""

import contextlib
import ctypes

import numpy as np
import pytest
from treadle import cuda

libm = ctypes.CDLL("libm.so.6")
MXCSR = 28  # its place in fenv_t of x86-64, whose size is 32
ROUND_UPWARD, FLUSH_TO_ZERO, SUBNORMALS_ARE_ZERO = 0x4000, 0x8000, 0x0040


@contextlib.contextmanager
def modes(bits):
    """The SSE modes of the calling thread: the default ones and `bits`."""
    before = (ctypes.c_uint8 * 32)()
    libm.fegetenv(before)
    changed = (ctypes.c_uint8 * 32).from_buffer_copy(before)
    word = ctypes.c_uint32.from_buffer(changed, MXCSR)
    word.value |= bits
    libm.fesetenv(changed)
    try:
        yield
    finally:
        libm.fesetenv(before)


def current_modes():
    now = (ctypes.c_uint8 * 32)()
    libm.fegetenv(now)
    return ctypes.c_uint32.from_buffer(now, MXCSR).value & ~0x3F


@cuda.jit
def creep(x):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        for _ in range(20):
            v = v + 1e-17
        x[i] = v


@cuda.jit
def creep_with_barriers(x):
    i = cuda.grid(1)
    if cuda.threadIdx.x % 2 == 0:
        cuda.syncthreads()
        x[i] += 1e-17
    else:
        cuda.syncthreads()
        x[i] += 1e-17


@cuda.jit
def halve(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 0.5


@cuda.jit(debug=True)
def beyond(x):
    x[x.size] = 1


@pytest.mark.parametrize("kernel", [creep, creep_with_barriers])
def test_all_blocks_round_to_nearest(kernel):
    x = np.ones(64 * 256)
    with modes(ROUND_UPWARD):
        for _ in range(3):  # of unknown duration, long, known to be long
            kernel[64, 256](x)
    assert (x == 1).all()


def test_subnormal_numbers_stay():
    tiny = np.finfo(np.float64).smallest_normal
    x = np.full(64 * 256, tiny)
    with modes(FLUSH_TO_ZERO | SUBNORMALS_ARE_ZERO):
        halve[64, 256](x)
        halve[1, 32](x[:32])
    assert (x[:32] == tiny / 4).all() and (x[32:] == tiny / 2).all()


def test_workers_do_not_inherit_modes(run_python):
    """Threads inherit the modes of the thread that starts them, as do those of streams."""
    assert run_python(WORKERS, TREADLE_CPU_THREADS="4") == "True True\n"


WORKERS = """
import ctypes
import numpy as np
from treadle import cuda

@cuda.jit
def creep(x):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        for _ in range(200):
            v = v + 1e-17
        x[i] = v

libm = ctypes.CDLL("libm.so.6")
libm.fesetround(0x800)
x = np.ones(1_000_000)
creep[4000, 256](x)
stream, device = cuda.stream(), cuda.to_device(np.ones(1000))
creep[4, 256, stream](device)
y = device.copy_to_host(stream=stream)
libm.fesetround(0)
print((x == 1).all(), (y == 1).all())
"""


def test_the_caller_keeps_its_modes():
    with modes(ROUND_UPWARD | FLUSH_TO_ZERO):
        before = current_modes()
        halve[1, 32](np.ones(32))
        with pytest.raises(IndexError):
            beyond[1, 1](np.ones(1))
        assert current_modes() == before
