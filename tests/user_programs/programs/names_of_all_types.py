# Code that was translated from a script: names change their types, hide builtins, and carry annotations of the host.
from __future__ import annotations

import numpy as np
from treadle import cuda

try:
    import torch
except ImportError:
    torch = None


@cuda.jit
def brightness(light: torch.Tensor, weights: np.ndarray, out: "Image") -> None:  # noqa: F821, UP037
    i: int = cuda.grid(1)
    if i >= light.shape[0]:
        return
    pixel: torch.Tensor = light[i]
    light, green, blue = pixel[0], pixel[1], pixel[2]
    max = out[i]
    len = 0
    for part in [(1, 0.5, 0), (0, 1, 2), (2, 2, 1)]:
        max += part[0] * light + part[1] * green + part[2] * blue
        len += 1
    i, light = float(i) / len, (light, green)
    part = weights[0]
    sum: np.float32 = np.float32(part) + light[0] * light[1]
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
brightness[1, 32](rows, weights, out)
cuda.synchronize()
red, green, blue = rows.T.astype(np.float64)
largest = 1 + (red + 0.5 * green) + (green + 2 * blue) + (2 * red + 2 * green + blue)
expected = largest + np.minimum(largest, 0.5 + red * green) + 2 * (np.arange(20) / 3 > 1.5)
np.testing.assert_allclose(out, expected, rtol=1e-6)
