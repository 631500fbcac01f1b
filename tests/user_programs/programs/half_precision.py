# A small network in float16: weights as halves, intrinsics, a softmax per row, and ufuncs on the device array after it.
import math

import numpy as np
from treadle import cuda, float16, float32, vectorize
from treadle.cuda import fp16


@vectorize(["float16(float16)", "float32(float32)"], target="cuda")
def gelu(x):
    return 0.5 * x * (1 + math.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


@cuda.jit(device=True)
def relu(x):
    return fp16.hmax(x, float16(0))


@cuda.jit
def layer(x, weights, bias, out, activate):
    row, column = cuda.grid(2)
    if row < x.shape[0] and column < weights.shape[1]:
        total = bias[column]
        for k in range(weights.shape[0]):
            total = fp16.hfma(x[row, k], weights[k, column], total)
        out[row, column] = relu(total) if activate else total


@cuda.jit
def softmax(x, out):
    row = cuda.grid(1)
    if row >= x.shape[0]:
        return
    values = x[row]
    largest = np.max(values)
    total = float32(0)
    for k in range(x.shape[1]):
        e = math.exp(float32(values[k]) - largest)
        total += e
        out[row, k] = e
    out[row] /= float16(total)
    if fp16.hgt(largest, float16(60000)):
        out[row, 0] = np.float16(np.nan)


rng = np.random.default_rng(13)
x = rng.normal(size=(9, 6)).astype(np.float16)
w1, w2 = (rng.normal(size=s).astype(np.float16) for s in ((6, 10), (10, 4)))
b1, b2 = np.linspace(-1, 1, 10).astype(np.float16), np.zeros(4, np.float16)
hidden, logits, shares = (cuda.device_array((9, n), np.float16) for n in (10, 4, 4))
layer[(2, 2), (8, 8)](x, w1, b1, hidden, True)
layer[(2, 2), (8, 8)](hidden, cuda.to_device(w2), b2, logits, False)
softmax[1, 32](logits, shares)


def reference(x, w, b, activate):
    total = np.broadcast_to(b, (x.shape[0], w.shape[1])).astype(np.float16)
    for k in range(w.shape[0]):
        exact = x[:, k, None].astype(float) * w[k].astype(float) + total.astype(float)
        total = exact.astype(np.float16)
    return np.maximum(total, np.float16(0)) if activate else total


first = reference(x, w1, b1, True)
second = reference(first, w2, b2, False)
np.testing.assert_array_equal(hidden.copy_to_host(), first)
np.testing.assert_array_equal(logits.copy_to_host(), second)
e = np.exp(second.astype(float) - second.max(axis=1, keepdims=True))
np.testing.assert_allclose(shares.copy_to_host(), e / e.sum(axis=1, keepdims=True), rtol=3e-3, atol=1e-6)
np.testing.assert_allclose(np.sum(shares, axis=1).copy_to_host(), 1, rtol=3e-3)
found = gelu(hidden).copy_to_host()
assert found.dtype == np.float16
h = first.astype(float)
np.testing.assert_allclose(found, 0.5 * h * (1 + np.tanh(0.7978845608 * (h + 0.044715 * h**3))), rtol=2e-3)
