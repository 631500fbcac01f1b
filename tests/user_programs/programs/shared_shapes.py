# Products of matrices in tiles whose shapes come from globals, closures, defaults, and from the launch.
import numpy as np
from treadle import cuda, float32

SIDE = 8
SQUARE = (SIDE, SIDE)
(ROWS, COLUMNS) = SQUARE


@cuda.jit
def by_globals(left, right, product):
    """Thread (r, c) of a block computes element (i, j), and loads one element of either factor for each square."""
    ours = cuda.shared.array(shape=(SIDE, SIDE), dtype=left.dtype)
    theirs = cuda.shared.array(SQUARE, right.dtype)
    r, c = cuda.threadIdx.x, cuda.threadIdx.y
    i, j = cuda.grid(2)
    inner = left.shape[1]
    dot = left.dtype.type(0)
    for first in range(0, inner, ROWS):
        ours[r, c] = left[i, first + c] if i < left.shape[0] and first + c < inner else 0
        theirs[r, c] = right[first + r, j] if first + r < inner and j < right.shape[1] else 0
        cuda.syncthreads()
        for k in range(COLUMNS):
            dot += ours[r, k] * theirs[k, c]
        cuda.syncthreads()
    if i < product.shape[0] and j < product.shape[1]:
        product[i, j] = dot


def by_closure(side, threads):
    rows = side

    @cuda.jit
    def kernel(left, right, product):
        ours = cuda.shared.array((rows, side), left.dtype)
        sums = cuda.shared.array(shape=(2 * rows * side), dtype=float32)
        dynamic = cuda.shared.array(shape=0, dtype=right.dtype)
        theirs = dynamic[: side * side].reshape((side, side))
        r, c = cuda.threadIdx.x, cuda.threadIdx.y
        i, j = cuda.grid(2)
        inner, own = left.shape[1], 2 * (r * side + c)
        sums[own : own + 2] = 0
        for first in range(0, inner, side):
            ours[r, c] = left[i, first + c] if i < left.shape[0] and first + c < inner else 0
            theirs[r, c] = right[first + r, j] if first + r < inner and j < right.shape[1] else 0
            cuda.syncthreads()
            sums[own] += np.sum(ours[r] * theirs[:, c])
            cuda.syncthreads()
        if i < product.shape[0] and j < product.shape[1]:
            product[i, j] = sums[own]

    return kernel[((21 + side - 1) // side, (13 + side - 1) // side), threads, 0, side * side * 8]


rng = np.random.default_rng(4)
for dtype in (np.int32, np.float16, np.float64):
    A, B = rng.integers(-3, 4, (21, 10)).astype(dtype), rng.integers(-3, 4, (10, 13)).astype(dtype)
    expected = A.astype(int) @ B.astype(int)
    C = cuda.device_array((21, 13), dtype)
    by_globals[(3, 2), SQUARE](cuda.to_device(A), B, C)
    np.testing.assert_array_equal(C.copy_to_host(), expected)
    for side in (4, 5):
        C = np.zeros((21, 13), np.float32)
        by_closure(side, (side, side))(A, B, C)
        np.testing.assert_array_equal(C, expected)
