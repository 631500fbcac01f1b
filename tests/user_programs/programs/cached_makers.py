# A small library of element-wise kernels, made on demand, kept in tables by type, and used from several threads.
import concurrent.futures
import functools
import operator

import numpy as np
from treadle import cuda, types

OPTIONS = {"fastmath": False, "inline": "always"}
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "max": max, "<": operator.lt}


@functools.cache
def binary(name, dtype):
    function = OPERATORS[name]
    result = dtype.type

    @cuda.jit(device=True, **OPTIONS)
    def one(a, b):
        return result(function(a, b))

    @cuda.jit
    def kernel(x, y, out):
        for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
            out.flat[i] = one(x.flat[i % x.size], y.flat[i % y.size])

    return kernel


@functools.lru_cache
def row_totals(columns, mode="sum"):
    steps = tuple(1 << k for k in range(columns.bit_length()))[::-1]

    @cuda.jit(cache=True, max_registers=64)
    def kernel(x, out):
        lane, row = cuda.threadIdx.x, cuda.blockIdx.x
        tile = cuda.shared.array(columns, types.float64)
        tile[lane] = x[row, lane]
        cuda.syncthreads()
        for s in steps:
            if lane < s and lane + s < columns:
                if mode == "sum":
                    tile[lane] += tile[lane + s]
                else:
                    tile[lane] = min(tile[lane], tile[lane + s])
            cuda.syncthreads()
        if lane == 0:
            out[row] = tile[0]

    return kernel


class Array:
    def __init__(self, values):
        self.device = cuda.to_device(np.ascontiguousarray(values))

    def apply(self, name, other, stream=0):
        out = cuda.device_array(self.device.shape, self.device.dtype, stream=stream)
        binary(name, self.device.dtype)[2, 32, stream](self.device, other.device, out)
        return Array(out.copy_to_host(stream=stream))

    __add__ = functools.partialmethod(apply, "+")
    __sub__ = functools.partialmethod(apply, "-")


def work(seed):
    rng = np.random.default_rng(seed)
    stream = cuda.stream()
    for dtype in (np.int16, np.float16, np.float32, np.uint8):
        x, y = (rng.integers(0, 100, (5, 7)).astype(dtype) for _ in range(2))
        for name, numpy_name in (("+", np.add), ("-", np.subtract), ("max", np.maximum), ("<", np.less)):
            found = Array(x).apply(name, Array(y), stream=stream)
            stream.synchronize()
            np.testing.assert_array_equal(found.device.copy_to_host(), numpy_name(x, y).astype(dtype), name)
    return seed


with concurrent.futures.ThreadPoolExecutor(3) as pool:
    assert list(pool.map(work, range(3))) == [0, 1, 2]
assert (Array([1, 2]) + Array([3, 4])).device.copy_to_host().tolist() == [4, 6]
for columns in (5, 16, 21):
    x = np.random.default_rng(columns).integers(-50, 50, (4, columns)).astype(np.float32)
    for mode in ("sum", "min"):
        out = np.zeros(4)
        row_totals(columns, mode)[4, columns](x, out)
        np.testing.assert_array_equal(out, getattr(x, mode)(axis=1))
