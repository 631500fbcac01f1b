# Device functions that call themselves: per-lane depths, several calls in one expression, effects on the way, no value.
import numpy as np
import pytest
from treadle import cuda

from kernels.harness import launch


@cuda.jit(device=True)
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@cuda.jit(device=True)
def ackermann(m, n):
    return n + 1 if m == 0 else (ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1)))


@cuda.jit(device=True)
def visit(tree, node, depth):
    if node < tree.size:
        tree[node] = depth
        visit(tree, 2 * node + 1, depth + 1)
        visit(tree, 2 * node + 2, depth + 1)


@cuda.jit(device=True)
def without_end(n):
    return without_end(n + 1) + 1 if n >= 0 else 0


@cuda.jit
def numbers(out):
    i = cuda.grid(1)
    out[i] = fibonacci(i % 17) * 10000 + ackermann(2, i % 5)


@cuda.jit
def trees(out):
    visit(out[cuda.threadIdx.x], 0, 1)


@cuda.jit
def too_deep(out):
    out[0] = without_end(0)


PTX = [(numbers, "(int64[::1],)"), (trees, "(int64[:, ::1],)")]


def run():
    (out,) = launch(numbers, 2, 50, np.zeros(100, np.int64))
    known = [0, 1]
    while len(known) < 17:
        known.append(known[-1] + known[-2])
    assert out.tolist() == [known[i % 17] * 10000 + 2 * (i % 5) + 3 for i in range(100)]
    (out,) = launch(trees, 1, 7, np.zeros((7, 12), np.int64))
    assert out.tolist() == [[(node + 1).bit_length() for node in range(12)]] * 7
    with pytest.raises(RecursionError, match="too deep for the thread's stack in line"):
        too_deep[1, 1](np.zeros(1))
