# Chains through memory, in which what is loaded says where to load next: the CPU device runs some of them lane by lane.
import os

import numpy as np
import stand_in
from treadle import cuda

from kernels.harness import check


@cuda.jit
def probe(slots, following, wanted, out):
    i = cuda.grid(1)
    if i < wanted.size:
        key = wanted[i]
        at = key * 7 % slots.size
        rounds = 0
        while slots[at] != key and slots[at] != -1:
            at = (at + 1) & (slots.size - 1)
            rounds += 1
        out[i] = at * 1000 + rounds


@cuda.jit
def chain(slots, following, wanted, out):
    """Until nothing follows; threads that do not enter keep what they have."""
    i = cuda.grid(1)
    if i < wanted.size:
        node, total, weight = wanted[i], 3, 1.5
        if i % 5:
            while node != -1:
                total += slots[node] + i
                weight = weight * 0.5 + slots[node]
                node = following[node]
        out[i] = total * 10 + node + int(weight)


@cuda.jit
def roots(slots, following, wanted, out):
    """Of a forest: a root is its own parent. Each thread notes its steps in memory, where it reads them again."""
    i = cuda.grid(1)
    if i < wanted.size:
        node = wanted[i]
        out[i] = 0
        while slots[node] < node:
            node = slots[node]
            out[i] = out[i] + 1
        out[i] += 100 * node


@cuda.jit
def chains_in_loops(slots, following, wanted, out):
    i = cuda.grid(1)
    if i < wanted.size:
        total = 0
        for start in range(i % 4):
            node = (wanted[i] + start) % slots.size
            while node >= 0:
                total += node
                node = following[node]
            if total > 400:
                break
            total += start
        out[i] = total


@cuda.jit
def others(slots, following, wanted, out):
    """With branches, which lanes take together; else clauses; and a counter that is the same for all."""
    i = cuda.grid(1)
    if i < wanted.size:
        low, high = 0, slots.size
        while low < high:
            middle = (low + high) >> 1
            if slots[middle] < wanted[i]:
                low = middle + 1
            else:
                high = middle
        node = wanted[i]
        while node != -1:
            node = following[node]
        else:
            low += 7
        j = 0
        while slots[j] != wanted[i] and j < 20:
            j += 1
        out[i] = low * 100 + j


ALONE = [probe, chain, roots, chains_in_loops]
PTX = [(kernel, "(int32[::1], int32[::1], int32[::1], int64[::1])") for kernel in [*ALONE, others]]


def is_for_each_lane(kernel):
    return all("chain.by.lane" in kernel.inspect("llvm", types) for types in kernel.signatures)


def run():
    rng = np.random.default_rng(2)
    n = 64
    forest = (np.arange(n) * rng.random(n)).astype(np.int32)
    following = np.where(rng.random(n) < 0.2, -1, np.arange(n) - rng.integers(1, 9, n)).clip(-1).astype(np.int32)
    table = np.full(n, -1, np.int32)
    for key in rng.permutation(200)[:40]:
        at = key * 7 % n
        while table[at] != -1:
            at = (at + 1) % n
        table[at] = key
    for count, block in ((1, 32), (64, 64), (100, 32), (95, 17)):
        wanted, out = rng.integers(0, n, count).astype(np.int32), np.zeros(count, np.int64)
        check(probe, -(-count // block), block, table, following, rng.integers(0, 200, count).astype(np.int32), out)
        for kernel in (chain, roots, chains_in_loops):
            check(kernel, -(-count // block), block, forest, following, wanted, out)
        check(others, -(-count // block), block, np.sort(table), following, wanted, out)
    if stand_in.is_under_test() or os.environ.get("TREADLE_CPU", "") not in ("x86-64-v2", "x86-64-v3", "x86-64-v4"):
        return  # where gathers are fast they stay
    for kernel in [*ALONE, others]:
        assert is_for_each_lane(kernel) == (kernel in ALONE), kernel.py_func.__name__
