# Device functions that call themselves: depth per lane, several calls in one expression, effects along the way, no
# result, local arrays at each level.
import numpy as np
import pytest
import stand_in
from treadle import cuda, int64

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


@cuda.jit(device=True)
def long_arrays(n):
    own = cuda.local.array(100, int64)
    for j in range(100):
        own[j] = n * 1000 + j
    rest = long_arrays(n - 1) if n > 0 else int64(0)
    return rest + own[7]


@cuda.jit(device=True)
def pair(first):
    own = cuda.local.array(2, int64)
    own[0] = first
    return own


@cuda.jit(device=True)
def arrays_of_a_callee(n):
    own = pair(n)
    rest = arrays_of_a_callee(n - 1) if n > 0 else int64(0)
    return rest * 100 + own[0]


@cuda.jit(device=True)
def wide_without_end(n):
    own = cuda.local.array(1000, int64)
    own[n % 1000] = n
    return wide_without_end(n + 1) + own[n % 7] if n >= 0 else int64(0)


@cuda.jit
def arrays_of_levels(out):
    i = cuda.grid(1)
    out[i] = long_arrays(int64(i % 4))


@cuda.jit
def arrays_and_barrier(out):
    i = cuda.grid(1)
    value = arrays_of_a_callee(int64(i % 4))
    cuda.syncthreads()
    out[i] = value


@cuda.jit
def too_deep_for_arrays(out):
    out[0] = wide_without_end(int64(0))


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


PTX = [
    (numbers, "(int64[::1],)"),
    (trees, "(int64[:, ::1],)"),
    (arrays_of_levels, "(int64[::1],)"),
    (arrays_and_barrier, "(int64[::1],)"),
]


def run():
    (out,) = launch(numbers, 2, 50, np.zeros(100, np.int64))
    known = [0, 1]
    while len(known) < 17:
        known.append(known[-1] + known[-2])
    assert out.tolist() == [known[i % 17] * 10000 + 2 * (i % 5) + 3 for i in range(100)]
    (out,) = launch(trees, 1, 7, np.zeros((7, 12), np.int64))
    assert out.tolist() == [[(node + 1).bit_length() for node in range(12)]] * 7
    (out,) = launch(arrays_of_levels, 1, 8, np.zeros(8, np.int64))
    assert out.tolist() == [7, 1014, 3021, 6028] * 2
    (out,) = launch(arrays_and_barrier, 2, 40, np.zeros(80, np.int64))
    assert out.tolist() == [0, 1, 102, 10203] * 20
    if stand_in.is_under_test():
        return  # on a GPU nothing tells that a thread's stack is used up
    for kernel in (too_deep, too_deep_for_arrays):
        with pytest.raises(RecursionError, match="too deep for the thread's stack in line"):
            kernel[1, 1](np.zeros(1))
