# Closure variables and globals are constants; each kernel defined in a loop keeps its own.
import numpy as np
from treadle import cuda, float32

from kernels.harness import launch

FACTOR = 3
OFFSETS = (10, 20, 30)
SCALE = np.float32(0.5)


def make(n, offset):
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = i * n + offset + FACTOR * OFFSETS[1] + SCALE

    return kernel


@cuda.jit
def halves(out):
    # CHECK-PTX: .entry {{.*}}halves
    # CHECK-PTX-NOT: f64
    # CHECK-PTX: mul{{.*}}.f32
    out[cuda.grid(1)] = out[cuda.grid(1)] * SCALE * float32(0.25)


KERNELS = [make(n, n * 100) for n in range(1, 4)]
PTX = [(kernel, "(float64[::1])") for kernel in KERNELS] + [(halves, "(float32[::1])")]


def run():
    for n, kernel in enumerate(KERNELS, start=1):
        (out,) = launch(kernel, 1, 64, np.zeros(50))
        np.testing.assert_array_equal(out, np.arange(50) * n + n * 100 + 60.5)
    (out,) = launch(halves, 1, 8, np.full(8, 8, np.float32))
    assert out.tolist() == [1.0] * 8
