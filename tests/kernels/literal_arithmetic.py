# Arithmetic of literals is Python's, exact: fractions from negative powers, numbers beyond int64, and what is between.
import numpy as np
from treadle import cuda

from kernels.harness import check

SIX = 6


def reals(out):
    out[0] = 10**-6
    out[1] = 2**-1
    out[2] = -(2**-3) * 8
    out[3] = 3 * 10 ** -(1 + 1)
    out[4] = (-2) ** -3
    out[5] = 1 / 2**-2
    out[6] = (2**70 - 2**69) >> 69
    out[7] = (2**64 - 1) // 2**60 + (2**65) % 7
    out[8] = 10**-2 * SIX
    out[9] = (-(2**65)) // 2**62 + (2**66 | 1) % -5
    out[10] = 1**-5 + (-1) ** -3
    out[11] = 2**63 / SIX


def words(out):
    out[0] = 2**63
    out[1] = 1 << 63
    out[2] = 2**64 - 1
    out[3] = (1 << 64) - 2
    out[4] = 9223372036854775807 + 1
    out[5] = 0xFFFFFFFF * 0xFFFFFFFF
    out[6] = (0x123456789ABCDEF * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    out[7] = (2**64 - 1) ^ (2**32 - 1)
    out[8] = 3**40


def signed(out):
    out[0] = -(2**63)
    out[1] = 2**63 - 1
    out[2] = -(2**62) * 2
    out[3] = 7 // -2
    out[4] = -7 % 3
    out[5] = (1 << 70) >> 8


KERNELS = [(function, dtype, jit(function)) for jit in (cuda.jit, cuda.autojit) for function, dtype in (
    (reals, np.float64), (words, np.uint64), (signed, np.int64))]  # fmt: skip
PTX = [(kernel, f"({np.dtype(dtype).name}[::1],)") for _, dtype, kernel in KERNELS]


def run():
    for function, dtype, kernel in KERNELS:
        wanted = np.zeros(12, dtype)
        function(wanted)
        (found,) = check(kernel, 1, 1, np.zeros(12, dtype))
        assert found.tolist() == wanted.tolist(), (function.__name__, found, wanted)
