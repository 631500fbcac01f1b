# A device array that a kernel captures may be the memory of one of its arguments.
import numpy as np
from treadle import cuda

held = cuda.to_device(np.arange(64, dtype=np.float32))


@cuda.jit
def through_both(x, out):
    i = cuda.grid(1)
    before = held[i]
    x[i] = 5
    out[i] = before * 10 + held[i]


@cuda.jit(device=True)
def of_held(i):
    return held[i]


@cuda.jit
def in_a_function(x, out):
    i = cuda.grid(1)
    before = of_held(i)
    x[i] = 6
    out[i] = before * 10 + of_held(i)


reversed_half = held[::-2]


@cuda.jit(device=True)
def of_both(i):
    return held[i] - reversed_half[i]


@cuda.jit
def between(out):
    i = cuda.grid(1)
    if i < 32:
        out[i] = reversed_half[i] + of_both(i)
        out[32 + i] = of_both(i)


dropped = cuda.to_device(np.full(64, 3, dtype=np.float32))


@cuda.jit
def of_dropped(out):
    out[0] = dropped[5]


PTX = [(through_both, "(float32[::1], float32[::1])"), (in_a_function, "(float32[::1], float32[::1])"),
       (between, "(float32[::1],)")]  # fmt: skip


def keeps_what_it_captured(out):
    global dropped
    of_dropped[1, 1](out)
    dropped = None
    cuda.current_context().deallocations.clear()
    others = [cuda.to_device(np.full(64, 9, dtype=np.float32)) for _ in range(20)]
    of_dropped[1, 1](out)
    assert out[0] == 3 and len(others) == 20


def run():
    out = cuda.device_array(64, np.float32)
    between[1, 32](out)
    assert out.copy_to_host().tolist() == [*range(32), *(i - (63 - 2 * i) for i in range(32))]
    through_both[2, 32](held, out)
    assert out.copy_to_host().tolist() == [10 * i + 5 for i in range(64)]
    keeps_what_it_captured(out)
    in_a_function[2, 32](held, out)
    assert out.copy_to_host().tolist() == [56] * 64
