# A library for two back ends: its kernels are made by functions that take `cuda` as an argument.
import gpu_helpers
import numpy as np
import treadle
import treadle.cuda
from gpu_helpers import cuda as backend


def make_tools(cuda, dtype):
    @cuda.jit(device=True)
    def power(x, n):
        result = dtype(1)
        for _ in range(n):
            result *= x
        return result

    @cuda.jit
    def polynomial(x, coefficients, out):
        i = cuda.grid(1)
        table = cuda.shared.array(8, dtype)
        if cuda.threadIdx.x < coefficients.size:
            table[cuda.threadIdx.x] = coefficients[cuda.threadIdx.x]
        cuda.syncthreads()
        if i < x.size:
            total = dtype(0)
            for k in range(coefficients.size):
                total += table[k] * power(x[i], k)
            out[i] = total

    return polynomial


driver = treadle.cuda


@treadle.cuda.jit
def reversed_blocks(x, out):
    i = treadle.cuda.grid(1)
    tile = driver.shared.array(32, treadle.float32)
    tile[driver.threadIdx.x] = x[i] * gpu_helpers.FACTOR
    gpu_helpers.cuda.syncthreads()
    out[i] = tile[driver.blockDim.x - 1 - backend.threadIdx.x]


x = np.linspace(-1, 1, 50)
coefficients = np.array([1.0, -2.0, 0.5])
for dtype, precision in ((treadle.float64, 1e-14), (treadle.float32, 1e-6)):
    kernel = make_tools(backend, dtype)
    out = backend.device_array_like(x)
    kernel[gpu_helpers.blocks_for(x.size, 32), 32](x, coefficients, out)
    np.testing.assert_allclose(out.copy_to_host(), np.polynomial.polynomial.polyval(x, coefficients), atol=precision)
    np.testing.assert_allclose(float(np.sum(out)), np.polynomial.polynomial.polyval(x, coefficients).sum(), rtol=1e-5)

x = np.arange(64, dtype=np.float16)
out = np.zeros(64, np.float32)
reversed_blocks[2, 32](x, out)
np.testing.assert_array_equal(out, x.reshape(2, 32)[:, ::-1].ravel())
assert gpu_helpers.HAS_GPU and gpu_helpers.MAX_THREADS >= 512
