# One guarded multiply-add per thread: the least that a kernel can cost.
import numpy as np
from treadle import cuda

from kernels.harness import ALL_TARGETS, launch


@cuda.jit
def saxpy(a, x, y, out):
    # At most five parameters: a, x and its length, y, out.
    # CHECK-PTX: .visible .entry
    # CHECK-PTX-COUNT-5: .param .
    # CHECK-PTX-NOT: .param .
    i = cuda.grid(1)
    # CHECK-PTX: %tid.x
    if i < x.shape[0]:
        # CHECK-PTX: fma.rn.f32
        out[i] = a * x[i] + y[i]
        # CHECK-PTX: st.global.f32


PTX = [(saxpy, "(float32, float32[::1], float32[::1], float32[::1])")]
TARGETS = ALL_TARGETS


def run():
    rng = np.random.default_rng(1)
    for size in (1, 31, 32, 33, 1000):
        x, y = rng.random(size, np.float32), rng.random(size, np.float32)
        blocks = (size + 63) // 64
        *_, out = launch(saxpy, blocks, 64, np.float32(2.5), x, y, np.zeros(size, np.float32))
        exact = np.float64(2.5) * x.astype(np.float64) + y
        np.testing.assert_allclose(out, exact.astype(np.float32), rtol=2.4e-7)
