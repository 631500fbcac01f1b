# Values in the rows of one warp that are half the range of int32 apart, and are widened.
import numpy as np
from treadle import cuda, int32, int64

from kernels.harness import launch


@cuda.jit
def tripled(out):
    y = cuda.threadIdx.y
    value = int32(y * 2147483648 - 1073741824)
    if -1073741824 <= value:
        if value <= 1073741824:
            out[y, cuda.threadIdx.x] = value * int64(3)


PTX = [(tripled, "(int64[:, ::1],)")]


def run():
    (out,) = launch(tripled, 1, (16, 2), np.zeros((2, 16), np.int64))
    assert out.tolist() == [[-3 * 2**30] * 16, [3 * 2**30] * 16]
