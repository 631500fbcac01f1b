"""Numba next to Treadle: its types in signatures and kernels, its host functions, kernels and njit in one program."""

import subprocess
import sys

PROGRAM = """
import numba
import numpy as np
from numba import cuda, float32, int32, njit, prange, types, void

@njit
def twice(x):
    return 2 * x

@njit(parallel=True)
def total(x):
    sum = 0.0
    for i in prange(x.size):
        sum += x[i]
    return sum

@cuda.jit(void(float32[:], int32, float32[:, ::1]))
def kernel(x, s, y):
    i = cuda.grid(1)
    tile = cuda.shared.array(32, float32)
    pair = cuda.local.array((2, 2), dtype=types.float64)
    pair[0, 0] = numba.float32(3)
    tile[i] = 1
    for q in prange(2):
        if i < x.size:
            x[i] += numba.int32(2.5) * tile[i] + twice(s) + pair[0, 0] + y[0, 1]

x = np.zeros(8, np.float32)
kernel[1, 32](x, 3, np.ones((2, 2), np.float32))
print(set(x.tolist()), total(x), twice(x)[0])

@cuda.jit([void(float32[:]), (numba.float64[::1],), types.none(types.boolean[:])])
def several(x):
    x[0] = 1

print(several.signatures)

@cuda.jit((types.UniTuple(int32, 2), types.Array(int32, 1, "C", readonly=True), int32[:]))
def add(pair, given, out):
    out[0] = pair[0] + pair[1] + given[0]

out, given = np.zeros(1, np.int32), np.ones(1, np.int32)
given.flags.writeable = False
add[1, 1]((np.int32(2), np.int32(3)), given, out)
print(out[0], cuda.device_array(3, numba.float32).dtype)

record = numba.from_dtype(np.dtype([("a", "f4"), ("b", "i8")]))

@cuda.jit(void(record[:]))
def fill(x):
    x[0].a = 1.5
    x[0].b = 2

x = np.zeros(1, [("a", "f4"), ("b", "i8")])
fill[1, 1](x)
print(x[0])
try:
    cuda.jit(void(types.unicode_type))(lambda text: None)
except TypeError as error:
    print(error)
"""


def test_numba_beside_treadle(redirected):
    assert redirected(PROGRAM).splitlines() == [
        "{24.0} 192.0 48.0",
        "[(array(float32, 1d, A),), (array(float64, 1d, C),), (array(bool, 1d, A),)]",
        "6 float32",
        "(1.5, 2)",
        "a signature is made of types, found unicode_type of type UnicodeType",
    ]


VECTORIZED = """
import numpy as np
from numba import float32, float64, guvectorize, vectorize

@vectorize([float32(float32, float32), "float64(float64, float64)"], target="cuda")
def add(x, y):
    return x + y

@vectorize([float64(float64)], nopython=True)
def on_host(x):
    return x + 1

@guvectorize([(float64[:], float64, float64[:])], "(n),()->(n)", target="cuda")
def scale(x, factor, out):
    for i in range(x.size):
        out[i] = x[i] * factor

from numba import cuda

print(type(add).__module__, type(on_host).__name__, type(scale).__module__)
print(add(np.float32([1, 2]), np.float32(1)).dtype, add(cuda.to_device(np.arange(3.0)), 1).copy_to_host().tolist())
print(on_host(np.arange(3.0)).tolist(), scale(np.arange(4.0).reshape(2, 2), 2).tolist())
try:
    vectorize([float64(float64)], target="cuda", speed=3)(lambda x: x)
except KeyError as error:
    print(error.args[0][:28])
"""


def test_numbas_vectorize_makes_ours_for_cuda(redirected):
    assert redirected(VECTORIZED).splitlines() == [
        "treadle.ufuncs.vectorized DUFunc treadle.ufuncs.generalized",
        "float32 [1.0, 2.0, 3.0]",
        "[1.0, 2.0, 3.0] [[0.0, 2.0], [4.0, 6.0]]",
        "unrecognized option 'speed';",
    ]


TYPES_WITHOUT_REDIRECTION = """
import numba
import numpy as np
from numba import float32, int32, types, void
from treadle import cuda

double = numba.types.float64


@cuda.jit(void(float32[:], int32))
def kernel(x, n):
    i = cuda.grid(1)
    shared = cuda.shared.array(32, numba.int16)
    own = cuda.local.array(2, types.float32)
    shared[i] = own[0] = i
    if i < n:
        x[i] = float32(shared[i]) + double(0.5) + int32(2.7) + own[0]


@cuda.jit(device=True)
def made(dtype):
    memory = cuda.local.array(1, dtype)
    memory[0] = 300
    return memory[0]


@cuda.jit((types.Array(types.int64, 1, "C"),))
def chosen(x):
    x[0] = made(numba.uint8)
    x[1] = made(types.int16)


x = np.zeros(4, "f4")
kernel[1, 32](x, np.int32(3))
y = np.zeros(2, "i8")
chosen[1, 1](y)
print(x.tolist(), y.tolist(), cuda.device_array(3, numba.float32).dtype)
"""


def test_numbas_types_without_redirection(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(TYPES_WITHOUT_REDIRECTION)
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "[2.5, 4.5, 6.5, 0.0] [44, 300] float32\n"
