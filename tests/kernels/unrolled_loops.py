# Short loops over memory, which are unrolled four times in PTX, and their remaining iterations.
import numpy as np
from treadle import cuda, float32

from kernels.harness import ALL_TARGETS, check

FACTS = {"offsets_fit_int32": True, "grid_fits_int32": True}


# CHECK-PTX: .entry {{.*}}rows(
@cuda.jit
def rows(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        total = float32(0)
        # CHECK-PTX-COUNT-5: ld.global.f32
        # CHECK-PTX-NOT: ld.global
        for k in range(x.shape[1]):
            total += x[i, k]
        # CHECK-PTX: st.global.f32
        out[i] = total


# CHECK-PTX: .entry {{.*}}search(
@cuda.jit
def search(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        out[i] = -1
        # A loop with two exits is not unrolled.
        # CHECK-PTX: ld.global.f32
        # CHECK-PTX-NOT: ld.global
        for k in range(x.shape[1]):
            if x[i, k] > 0.5:
                out[i] = k
                break
    # CHECK-PTX: ret


# CHECK-PTX: .entry {{.*}}strided(
@cuda.jit
def strided(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        total = float32(0)
        # Computing its trip count would need a division.
        # CHECK-PTX: ld.global.f32
        # CHECK-PTX-NOT: ld.global
        for k in range(i, x.shape[1], out.size):
            total += x[i, k]
        out[i] = total
    # CHECK-PTX: ret


TYPES = "(float32[:, ::1], float32[::1])"
PTX = [(rows, TYPES, FACTS), (search, TYPES, FACTS), (strided, TYPES, FACTS)]
TARGETS = ALL_TARGETS


def run():
    for columns in range(11):
        x = np.arange(5 * columns, dtype=np.float32).reshape(5, columns) / 32
        for kernel in (rows, search, strided):
            check(kernel, 1, 32, x, np.zeros(5, np.float32))
