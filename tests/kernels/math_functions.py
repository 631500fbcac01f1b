# Functions of the math module on float32 and float64; tests/math checks their accuracy.
import math

import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def compute(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        out[i, 0] = math.sin(v) + math.cos(v)
        out[i, 1] = math.exp(-v) * math.log(v + 1)
        out[i, 2] = math.sqrt(v) + math.pow(v, 1.5)
        out[i, 3] = math.floor(v) + math.ceil(v)
        out[i, 4] = math.atan2(v, 2.0) + math.hypot(v, 3.0)
        out[i, 5] = math.fmod(v, 0.75) + math.copysign(1.0, -v) + math.fabs(-v) + math.pi


PTX = [(compute, f"({t}[::1], {t}[:, ::1])") for t in ("float32", "float64")]


def run():
    for dtype, rtol in ((np.float64, 1e-13), (np.float32, 2e-5)):
        x = np.linspace(0, 9, 70, dtype=dtype)
        _, out = launch(compute, 3, 32, x, np.zeros((70, 6), dtype))
        v = x.astype(float)
        want = [
            np.sin(v) + np.cos(v), np.exp(-v) * np.log(v + 1), np.sqrt(v) + v**1.5, np.floor(v) + np.ceil(v),
            np.arctan2(v, 2) + np.hypot(v, 3), np.fmod(v, 0.75) - 1 + v + np.pi,
        ]  # fmt: skip
        np.testing.assert_allclose(out, np.stack(want, 1), rtol=rtol, atol=rtol)
