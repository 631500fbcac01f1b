# Code that was translated from a script: names change their types, hide builtins, and carry annotations of the host.
from __future__ import annotations

import numpy as np
from treadle import cuda

try:
    import torch
except ImportError:
    torch = None


@cuda.jit
def colors(R: torch.Tensor, weights: np.ndarray, out: "Image") -> None:  # noqa: F821, UP037
    i: int = cuda.grid(1)
    if i >= R.shape[0]:
        return
    row: torch.Tensor = R[i]
    R, G, B = row[0], row[1], row[2]
    max = out[i]
    len = 0
    for P in [(1, 0.5, 0), (0, 1, 2), (2, 2, 1)]:
        max += P[0] * R + P[1] * G + P[2] * B
        len += 1
    i, R = float(i) / len, (R, G)
    P = weights[0]
    sum: np.float32 = np.float32(P) + R[0] * R[1]
    abs = np.minimum(max, sum)
    out[int(i * len + 0.5)] = max + abs * 1j.imag
    x = i
    x = x > 1.5
    if x:
        x = complex(i, 2)
        out[int(i * len + 0.5)] += x.imag


rows = np.random.default_rng(1).uniform(0, 1, (20, 3)).astype(np.float32)
weights = np.float16([0.5])
out = cuda.managed_array(20, np.float64)
out[:] = 1
colors[1, 32](rows, weights, out)
cuda.synchronize()
R, G, B = rows.T.astype(np.float64)
largest = 1 + (R + 0.5 * G) + (G + 2 * B) + (2 * R + 2 * G + B)
expected = largest + np.minimum(largest, 0.5 + R * G) + 2 * (np.arange(20) / 3 > 1.5)
np.testing.assert_allclose(out, expected, rtol=1e-6)
