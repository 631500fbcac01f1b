# -x, ~x and abs(x) of narrow integers: computed in their own width and widened afterwards, as NumPy's results are.
import numpy as np
from treadle import cuda

from kernels.harness import launch

DTYPES = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64]


@cuda.jit
def negate(x, out, inverted, same, magnitude):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = -x[i]
        inverted[i] = ~x[i]
        k = x[i]
        k = -k
        same[i] = -k
        magnitude[i] = abs(x[i])


PTX = [
    (negate, f"({sign}int{bits}[::1], {wide}[::1], {wide}[::1], {wide}[::1], {wide}[::1])")
    for sign, wide in (("u", "uint64"), ("", "int64"))
    for bits in (8, 16, 32)
]


def run():
    for dtype in DTYPES:
        info, wide = np.iinfo(dtype), np.uint64 if np.iinfo(dtype).min == 0 else np.int64
        x = np.array([0, 1, 2, 3, 100, info.max, info.max - 1, info.min], dtype)
        outs = launch(negate, 1, 32, x, *(np.zeros(8, wide) for _ in range(4)))
        negative = np.negative(x).astype(wide)
        assert outs[1].tolist() == negative.tolist(), (dtype, outs[1])
        assert outs[2].tolist() == np.invert(x).tolist(), (dtype, outs[2])
        assert outs[3].tolist() == np.negative(negative).tolist(), (dtype, outs[3])
        assert outs[4].tolist() == np.abs(x).astype(wide).tolist(), (dtype, outs[4])
