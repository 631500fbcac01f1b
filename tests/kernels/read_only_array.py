# Read-only arrays are read like any other.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def double(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = 2 * x[i]


PTX = [(double, "(float32[::1], float32[::1])")]


def run():
    x = np.arange(40, dtype=np.float32)
    x.flags.writeable = False
    _, out = launch(double, 2, 32, x, np.zeros(40, np.float32))
    np.testing.assert_array_equal(out, 2 * np.arange(40))
    out = np.zeros(3)
    double[1, 32](np.frombuffer(np.arange(3.0).tobytes()), out)
    assert out.tolist() == [0, 2, 4]
