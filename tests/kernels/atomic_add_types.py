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


PTX = [(tickets, f"({t}[::1], int64[::1])") for t in ("int32", "uint32", "int64", "uint64")]
PTX += [(accumulate, f"({t}[:, ::1], {t})") for t in ("int32", "uint32", "int64", "uint64", "float32", "float64")]


def run():
    for dtype in (np.int32, np.uint32, np.int64, np.uint64):
        counter, order = launch(tickets, 3, 70, np.zeros(1, dtype), np.full(210, -1))
        assert counter[0] == 210
        assert sorted(order) == list(range(210))
    for dtype in (np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64):
        total, _ = launch(accumulate, 2, 100, np.zeros((2, 2), dtype), dtype(3))
        assert total.tolist() == [[0, 600], [600, 600]]
