"""Runs exercises: the kernel that a function makes of `cuda`, as a kernel of the device and by threads of Python."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace
from typing import Callable, Tuple

import numpy as np
from numba import cuda

UNSET = -77  # in results before the kernel runs, and in shared memory before a thread stores there


class Place(SimpleNamespace):
    """threadIdx, blockIdx, blockDim or gridDim."""

    @classmethod
    def of(cls, numbers):
        return cls(**dict(zip("xyz", (*numbers, 0, 0))))


class Block:
    """What the threads of a block have in common: their shared arrays, and where they meet.

    A thread that has returned goes on meeting the others, until all have returned at the same meeting.
    """

    def __init__(self, threads):
        self.returned, self.over = 0, False
        self.arrays, self.lock = [], threading.Lock()
        self.meeting = threading.Barrier(threads, action=self.look_around, timeout=60)

    def look_around(self):
        self.over = self.returned == self.meeting.parties

    def array(self, number, shape, dtype):
        with self.lock:
            if number == len(self.arrays):
                self.arrays.append(np.full(shape, UNSET, str(dtype)))
            return self.arrays[number]

    def leave(self):
        with self.lock:
            self.returned += 1
        while not self.over:
            self.meeting.wait()


class ThreadsCuda:
    """What one thread of Python sees as `cuda`."""

    def __init__(self, common, blocks, block, threads, thread):
        self.gridDim, self.blockIdx = Place.of(blocks), Place.of(block)
        self.blockDim, self.threadIdx = Place.of(threads), Place.of(thread)
        self.syncthreads = common.meeting.wait
        self.shared = self
        self._common, self._arrays = common, 0
        self._first = [b * size + t for b, size, t in zip(block, threads, thread)]
        self._sizes = [count * size for count, size in zip(blocks, threads)]

    def array(self, shape, dtype):
        """The n-th call of every thread gets the n-th array of the block."""
        self._arrays += 1
        return self._common.array(self._arrays - 1, shape, dtype)

    def grid(self, ndim):
        return self._first[0] if ndim == 1 else tuple(self._first[:ndim])

    def gridsize(self, ndim):
        return self._sizes[0] if ndim == 1 else tuple(self._sizes[:ndim])


@dataclass
class Exercise:
    """`factory(cuda)` is a kernel that stores in its first argument what `expected` returns for the others."""

    title: str
    factory: Callable
    inputs: Tuple
    expected: Callable
    blocks: Tuple[int, ...] = (1,)
    threads: Tuple[int, ...] = (1,)

    def answer(self):
        return self.expected(*self.inputs)

    def blank(self):
        return np.full_like(self.answer(), UNSET)

    def on_device(self):
        out = self.blank()
        cuda.jit(self.factory(cuda))[self.blocks, self.threads](out, *self.inputs)
        return out

    def by_threads(self):
        out = self.blank()
        for block in self._places(self.blocks):
            self._run_block(block, out)
        return out

    @staticmethod
    def _places(sizes):
        return [place[::-1] for place in product(*map(range, sizes[::-1]))]

    def _run_block(self, block, out):
        places = self._places(self.threads)
        common = Block(len(places))

        def run(place):
            kernel = self.factory(ThreadsCuda(common, self.blocks, block, self.threads, place))
            try:
                kernel(out, *self.inputs)
                common.leave()
            except BaseException:
                common.meeting.abort()
                raise

        with ThreadPoolExecutor(len(places)) as pool:
            for done in [pool.submit(run, place) for place in places]:
                done.result()
