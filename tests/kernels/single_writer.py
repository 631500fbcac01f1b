# One lane of a warp writes to an element whose index all lanes share: its value is stored, not another's. Of several
# the last one counts on the CPU device.
import numpy as np
import stand_in
from treadle import cuda

from kernels.harness import check


@cuda.jit
def pick(x, out):
    i = cuda.grid(1)
    if i % 32 == 7:
        out[0, i // 32] = x[i]
    if x[i] == 11:
        out[1, 0] = i
    if cuda.threadIdx.x == 3:
        out[2, cuda.blockIdx.x] = x[i] + 0.5


@cuda.jit
def overwrite(x, out):
    """All threads write; on the CPU device a block's last one is what stays."""
    i = cuda.grid(1)
    if x[i] > 0:
        out[cuda.blockIdx.x] = i


PTX = [(pick, "(float64[::1], float64[:, ::1])"), (overwrite, "(float64[::1], float64[::1])")]


def run():
    check(pick, 2, 64, np.arange(128.0) * 3 % 128, np.zeros((3, 4)))
    if stand_in.is_under_test():  # which finds the race
        return
    for first in (0, 5, 60):
        check(overwrite, 2, 64, np.where((np.arange(128) - first) % 7 == 3, 1.0, 0.0), np.zeros(2))
