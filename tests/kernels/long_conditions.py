# Long conditions and chains of choices: cheap terms are computed several at once, others only for lanes that need them.
import numpy as np
from treadle import cuda

from kernels.harness import check

N = 200

AND = " and ".join(f"v != {7 * k + 3}" for k in range(40))
OR = " or ".join(f"v == {5 * k + 1}" for k in range(40))
CHAIN = " < ".join(f"v * {k + 1} - {k * k // 40}" for k in range(20))
CHOICES = "".join(f"{k * k} if v == {k} else " for k in range(30))
GUARDED = " and ".join(f"(v < {k} or x[v - {k}] != {k % 5})" for k in range(20))
LOADS = "".join(f"x[v] + {k} if v % {k + 2} == 0 else {k} if v == {k + 50} else " for k in range(12))
ARMS = "".join(f"    elif v == {k}:\n        out[i] += {k} * x[{k}]\n" for k in range(60))

TEXT = f"""
def conditions(x, out):
    i = cuda.grid(1)
    if i >= out.size:
        return
    v = x[i]
    if {AND}:
        out[i] += 1
    if {OR}:
        out[i] += 2
    if {CHAIN}:
        out[i] += 4
    if {GUARDED}:
        out[i] += 8
    if not ({AND}) or {CHAIN}:
        out[i] += 16


def choices(x, out):
    i = cuda.grid(1)
    if i >= out.size:
        return
    v = x[i]
    out[i] = {CHOICES} v * x[v]
    out[i] += {LOADS} x[v]
    out[i] += (x[v] if v > 3 else 7) if v % 3 else (8 if v > 90 else x[v + 1])
    flag = (x[v] > 2 if v > 5 else v > 2) and (v < 100 or x[v - 100] > 1)
    out[i] += flag


def arms(x, out):
    i = cuda.grid(1)
    if i >= out.size:
        return
    v = x[i]
    if v == -1:
        out[i] = 5
{ARMS}    else:
        out[i] -= v
"""


_NAMES = {"cuda": cuda}
exec(TEXT, _NAMES)
KERNELS = [cuda.jit(_NAMES[name]) for name in ("conditions", "choices", "arms")]
PTX = [(kernel, "void(int64[::1], int64[::1])") for kernel in KERNELS]


def run():
    x = np.random.default_rng(7).integers(0, N - 1, N)
    x[:70] = np.arange(70)
    for kernel in KERNELS:
        for block in (32, 96):
            check(kernel, -(-N // block), block, x, np.zeros(N, np.int64))
