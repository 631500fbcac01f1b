# atomic.add over its types, with the old value, two-dimensional and negative indices.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def tickets(counter, order):
    i = cuda.grid(1)
    mine = cuda.atomic.add(counter, 0, 1)
    order[mine] = i


@cuda.jit
def accumulate(total, value):
    cuda.atomic.add(total, (0, 1), value)
    cuda.atomic.add(total, (-1, cuda.threadIdx.x % 2), 2 * value)


@cuda.jit
def flags_in_shared_memory(x, out):
    """A bool is added to an integer."""
    counts = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    counts[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(counts, x[t] % 7, x[t] > 20)
    cuda.syncthreads()
    out[t] = counts[t]


PTX = [(flags_in_shared_memory, "(int64[::1], int64[::1])")]
PTX += [(tickets, f"({t}[::1], int64[::1])") for t in ("int32", "uint32", "int64", "uint64")]
PTX += [(accumulate, f"({t}[:, ::1], {t})") for t in ("int32", "uint32", "int64", "uint64", "float32", "float64")]


def run():
    x, counts = launch(flags_in_shared_memory, 1, 64, np.arange(64), np.zeros(64, np.int64))
    assert counts.tolist() == np.bincount(x % 7, x > 20, minlength=64).tolist()
    for dtype in (np.int32, np.uint32, np.int64, np.uint64):
        counter, order = launch(tickets, 3, 70, np.zeros(1, dtype), np.full(210, -1))
        assert counter[0] == 210
        assert sorted(order) == list(range(210))
    for dtype in (np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64):
        total, _ = launch(accumulate, 2, 100, np.zeros((2, 2), dtype), dtype(3))
        assert total.tolist() == [[0, 600], [600, 600]]
