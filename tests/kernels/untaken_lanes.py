# Inactive lanes contain zeros and minimum values: dividing by them must not trap, at any width.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def divide(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        if b[i] != 0 and b[i] != -1:
            out[i, 0] = a[i] // b[i]
            out[i, 1] = a[i] % b[i]
        elif b[i] == -1:
            out[i, 0] = a[i] // b[i]
            out[i, 1] = a[i] % b[i]


PTX = [(divide, f"({t}[::1], {t}[::1], {t}[:, ::1])") for t in ("int8", "int32", "int64")]


def run():
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        info = np.iinfo(dtype)
        a = np.array([info.min, info.min, 7, -7, info.max, 0, info.min + 1, -1] * 8, dtype)
        b = np.array([-1, 0, 2, 2, -1, 0, info.min, 3] * 8, dtype)
        *_, out = launch(divide, 2, 32, a, b, np.zeros((64, 2), dtype))
        for x, y, found in zip(a.tolist(), b.tolist(), out.tolist(), strict=True):
            quotient, remainder = (0, 0) if y == 0 else (x // y, x % y)
            wrapped = (quotient - info.min) % (1 << info.bits) + info.min
            assert found == [wrapped, remainder], (dtype, x, y)
