# Classes with kernels: under staticmethod and without, launched by the class and by its objects, made in __init__.
import math

import numpy as np
from treadle import cuda, float32, guvectorize


class Signal:
    threads = 32

    @staticmethod
    @cuda.jit
    def scale(x, factor):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= factor

    @cuda.jit
    def shift(x, by, out):
        i = cuda.grid(1)
        if i < x.size:
            out[(i + by) % x.size] = x[i]

    @staticmethod
    @cuda.jit(device=True)
    def window(k, n):
        return 0.5 - 0.5 * math.cos(2 * math.pi * k / (n - 1))

    def __init__(self, values, taps):
        self.values = cuda.to_device(np.asarray(values, np.float32))
        window = Signal.window
        count = len(taps)

        @cuda.jit
        def convolve(x, out):
            tile = cuda.shared.array(self.threads + count, float32)
            i, t = cuda.grid(1), cuda.threadIdx.x
            tile[t] = x[i] if i < x.size else 0
            if t < count:
                ahead = i + cuda.blockDim.x
                tile[t + cuda.blockDim.x] = x[ahead] if ahead < x.size else 0
            cuda.syncthreads()
            if i < x.size:
                total = 0.0
                for k in range(count):
                    total += tile[t + k] * taps[k] * window(k, count)
                out[i] = total

        self.kernel = convolve

    def blocks(self):
        return math.ceil(self.values.size / self.threads)

    def configured(self):
        return self.kernel[self.blocks(), self.threads]

    def run(self):
        out = cuda.device_array_like(self.values)
        self.scale[self.blocks(), self.threads](self.values, 2)
        Signal.scale[self.blocks(), self.threads](self.values, np.float32(0.5))
        self.shift[self.blocks(), self.threads](self.values, 3, out)
        Signal.shift[self.blocks(), self.threads](out, -3, self.values)
        self.configured()(self.values, out)
        return out


@guvectorize(["void(float32[:], float32[:], float32[:])"], "(n),(m)->(n)", target="cuda")
def reference(x, taps, out):
    for i in range(x.size):
        out[i] = 0
        for k in range(taps.size):
            if i + k < x.size:
                out[i] += x[i + k] * taps[k]


for n, taps in ((70, (1.0, 2.0, 3.0, 4.0)), (33, np.array([3.0, 1.0, -1.0]))):
    values = np.random.default_rng(n).uniform(-1, 1, n).astype(np.float32)
    found = Signal(values, taps).run()
    weights = (np.asarray(taps) * np.hanning(len(taps))).astype(np.float32)
    expected = np.convolve(np.append(values, np.zeros(len(taps))), weights[::-1])[len(taps) - 1 :][:n]
    np.testing.assert_allclose(found.copy_to_host(), expected, atol=1e-5)
    np.testing.assert_allclose(reference(found, weights).copy_to_host().shape, (n,))
    np.testing.assert_allclose(reference(values, weights), expected, atol=1e-5)
