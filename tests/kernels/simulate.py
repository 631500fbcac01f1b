# A kernel's Python function run by Python itself, one thread of the block at a time (or all of them, with barriers).
"""For kernels whose values stay in the range in which Python's arithmetic and the kernel's agree."""

import itertools
import sys
import threading
import types
from typing import NamedTuple

import numpy as np
from treadle import cuda

_NUMBERS = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "complex64", "complex128",
)  # fmt: skip


class Dim3(NamedTuple):
    x: int
    y: int
    z: int


class Block:
    """The state that the threads of one block share."""

    def __init__(self, place, block, grid):
        self.place, self.dim, self.grid = Dim3(*place), Dim3(*block), Dim3(*grid)
        self.shared = {}
        self.lock = threading.Lock()
        self.alive = self.dim.x * self.dim.y * self.dim.z
        self.turn = threading.Condition(self.lock)
        self.waiting = self.phase = 0

    def wait(self):
        """Waits until every thread that has not ended waits here."""
        with self.turn:
            self.waiting += 1
            phase = self.phase
            self._open()
            while phase == self.phase:
                self.turn.wait()

    def leave(self):
        with self.turn:
            self.alive -= 1
            self._open()

    def _open(self):
        if self.waiting and self.waiting == self.alive:
            self.waiting = 0
            self.phase += 1
            self.turn.notify_all()


class FakeCuda:
    """The part of `cuda` that kernels use."""

    def __init__(self):
        self.now = threading.local()
        self.shared = types.SimpleNamespace(array=self._shared_array)
        self.local = types.SimpleNamespace(array=lambda shape, dtype: np.empty(shape, dtype))
        self.atomic = types.SimpleNamespace(add=self._atomic_add)
        for name in _NUMBERS:
            setattr(self, name, getattr(np, name))

    threadIdx = property(lambda self: self.now.thread)  # noqa: N815
    blockIdx = property(lambda self: self.now.block.place)  # noqa: N815
    blockDim = property(lambda self: self.now.block.dim)  # noqa: N815
    gridDim = property(lambda self: self.now.block.grid)  # noqa: N815
    warpsize = 32
    laneid = property(lambda self: self._flat() % 32)

    def _flat(self):
        t, d = self.now.thread, self.now.block.dim
        return t.x + d.x * (t.y + d.y * t.z)

    def grid(self, n):
        block = self.now.block
        places = tuple(b * d + t for t, b, d in zip(self.now.thread, block.place, block.dim, strict=True))
        return places[0] if n == 1 else places[:n]

    def gridsize(self, n):
        sizes = tuple(d * g for d, g in zip(self.now.block.dim, self.now.block.grid, strict=True))
        return sizes[0] if n == 1 else sizes[:n]

    def syncthreads(self):
        self.now.block.wait()

    def _shared_array(self, shape, dtype):
        """One array for each place in the source, however often a thread reaches it."""
        place = sys._getframe(1).f_lineno
        block = self.now.block
        with block.lock:
            return block.shared.setdefault(place, np.empty(shape, dtype))

    def _atomic_add(self, array, where, value):
        with self.now.block.lock:
            old = array[where]
            array[where] += value
            return old


class Simulation:
    """Rebuilds functions so that they refer to the fake `cuda`, to NumPy's number types and to each other's copies."""

    def __init__(self):
        self.cuda = FakeCuda()
        self.rebuilt = {}

    def translate(self, value):
        if value is cuda:
            return self.cuda
        function = getattr(value, "py_func", None)
        if isinstance(function, types.FunctionType):
            return self.function(function)
        name = str(value)
        is_type = type(value).__module__.partition(".")[0] == "treadle" and name in _NUMBERS
        return getattr(np, name) if is_type else value

    def function(self, original):
        if original not in self.rebuilt:
            names = Globals(original.__globals__, self)
            cells = tuple(types.CellType() for _ in original.__closure__ or ()) or None
            copy = types.FunctionType(original.__code__, names, original.__name__, original.__defaults__, cells)
            self.rebuilt[original] = copy
            # A closure may refer to the function itself.
            for new, old in zip(cells or (), original.__closure__ or (), strict=True):
                new.cell_contents = self.translate(old.cell_contents)
        return self.rebuilt[original]

    def run(self, kernel, grid, block, *arguments):
        grid, block = _three(grid), _three(block)
        function = self.function(kernel.py_func)
        in_step = _waits(kernel.py_func, set())
        for place in itertools.product(*(range(n) for n in reversed(grid))):
            shared = Block(tuple(reversed(place)), block, grid)
            places = [Dim3(x, y, z) for z in range(block[2]) for y in range(block[1]) for x in range(block[0])]
            if in_step:
                self._in_step(function, shared, places, arguments)
            else:
                for thread in places:
                    self._one(function, shared, thread, arguments)

    def _one(self, function, block, thread, arguments):
        self.cuda.now.thread, self.cuda.now.block = thread, block
        try:
            function(*arguments)
        finally:
            block.leave()

    def _in_step(self, function, block, places, arguments):
        threads = [threading.Thread(target=self._one, args=(function, block, p, arguments)) for p in places]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


class Globals(dict):
    """A module's names, translated."""

    def __init__(self, names, simulation):
        super().__init__()
        for name, value in names.items():
            # A function's own name is the function that is being rebuilt.
            super().__setitem__(name, value)
        self.simulation = simulation
        self.update_all(names)

    def update_all(self, names):
        for name, value in names.items():
            function = getattr(value, "py_func", None)
            if isinstance(function, types.FunctionType):
                super().__setitem__(name, _Later(self.simulation, function))
            else:
                super().__setitem__(name, self.simulation.translate(value))


class _Later:
    """A device function, rebuilt at its first call, since functions may refer to each other."""

    def __init__(self, simulation, function):
        self.simulation, self.original = simulation, function

    def __call__(self, *arguments, **keywords):
        return self.simulation.function(self.original)(*arguments, **keywords)


def _waits(function, seen):
    """Whether it, or a device function that it calls by name, contains a barrier."""
    seen.add(function)
    if "syncthreads" in function.__code__.co_names:
        return True
    called = [function.__globals__.get(name) for name in function.__code__.co_names]
    called += [cell.cell_contents for cell in function.__closure__ or ()]
    functions = {getattr(one, "py_func", None) for one in called} - {None, *seen}
    return any(_waits(one, seen) for one in functions)


def _three(dim):
    dims = (int(dim),) if np.isscalar(dim) else tuple(int(d) for d in dim)
    return dims + (1,) * (3 - len(dims))
