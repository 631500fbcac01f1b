# The same array twice, and shifted views of one array: no code may assume that they are disjoint, whatever ran before.
import numpy as np
from treadle import cuda


@cuda.jit
def twice(x, y, z):
    i = cuda.grid(1)
    if i < x.size:
        a = x[i]
        y[i] = a + 1
        b = x[i]
        z[i] = b + 10
        y[i] += x[i]


PTX = [(twice, "(int64[::1], int64[::1], int64[::1])")]


def expected(x, y, z):
    for i in range(x.size):
        a = x[i]
        y[i] = a + 1
        b = x[i]
        z[i] = b + 10
        y[i] += x[i]


def run():
    for case in range(4):
        arrays = []
        for _ in range(2):
            base = np.arange(300)
            x, y, z = base[:64], base[100:164], base[200:264]
            arrays.append([(x, y, z), (x, x, z), (x, x, x), (x, y, y)][case])
        expected(*arrays[0])
        twice[2, 32](*arrays[1])
        for want, have in zip(*arrays, strict=True):
            np.testing.assert_array_equal(have, want)
