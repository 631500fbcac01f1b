"""A model of how CUDA runs threads: each is a Python generator that stops wherever it may have to wait for others.

The rules, which are those of GPUs since Volta:

- A barrier of the block ends when every thread of the block that has not exited waits at one, at the same place in the
  source or not. `syncthreads_count`, `_and` and `_or` combine the predicates of all these threads.
- A warp collective with member mask M ends when every lane in M that has not exited has arrived at a collective of the
  same operation and mask. M may name lanes that have exited or never were.
- A barrier of the grid ends when all threads of the grid that have not exited have arrived.
- If no thread can make progress, a `Deadlock` is raised.

`launch(source, grid, block, arguments)` runs a kernel's source text. A kernel without races computes the same in any
`order`: "up", "down" (by thread number), or a number that seeds a random one. Memory that was never written has random
contents, which depend on the order too; in the order "down" it is zero.
"""

import itertools
import random
import types
from typing import NamedTuple

import numpy as np

from cooperation import simt_source, simt_values
from cooperation.simt_values import Int32, Memory, int32
from cooperation.simt_warp import Request, Undefined, answers, collective

FULL = 0xFFFFFFFF
BARRIERS = ("barrier", "barrier count", "barrier and", "barrier or")


class Deadlock(Exception):
    """No thread can make progress, or the threads run for too long."""


class Dim3(NamedTuple):
    x: int
    y: int
    z: int


class Block:
    """What the threads of a block share; `array` is `cuda.shared.array`."""

    def __init__(self, place, dim, run):
        self.place, self.dim, self.run = place, dim, run
        self.arrays = {}
        self.dynamic = simt_values.unwritten(run.contents, run.dynamic_bytes, "uint8")
        self.waiting = []
        self.alive = dim.x * dim.y * dim.z
        numbers = itertools.product(range(dim.z), range(dim.y), range(dim.x))
        self.threads = [Thread(self, k, Dim3(x, y, z)) for k, (z, y, x) in enumerate(numbers)]
        self.warps = [Warp(self.threads[k : k + 32]) for k in range(0, len(self.threads), 32)]

    def array(self, place, shape, dtype, alignment=None):
        """One array per place in the source; all dynamic shared memory if the shape is 0."""
        if shape in (0, (0,)):
            dtype = simt_values.dtype_of(dtype)
            return Memory(self.dynamic[: len(self.dynamic) // dtype.itemsize * dtype.itemsize].view(dtype))
        if place not in self.arrays:
            self.arrays[place] = Memory(simt_values.unwritten(self.run.contents, shape, dtype))
        return self.arrays[place]


class Warp:
    def __init__(self, threads):
        self.threads = threads
        self.alive = (1 << len(threads)) - 1
        self.waiting = []
        for thread in threads:
            thread.warp = self


class Thread:
    """The `cuda` of one thread, and what it waits for."""

    warpsize = 32
    atomic = simt_values.atomic
    const = types.SimpleNamespace(array_like=lambda values: Memory(np.array(values)))
    popc, brev, clz, ffs, selp, fma = (
        staticmethod(getattr(simt_values, name)) for name in "popc brev clz ffs selp fma".split()
    )

    def __init__(self, block, number, place):
        self.block, self.number = block, number
        self.threadIdx, self.blockIdx = Dim3(*map(int32, place)), block.place
        self.blockDim, self.gridDim = block.dim, block.run.dim
        self.laneid = Int32(number % 32)
        self.shared = block
        self.local = types.SimpleNamespace(array=self._local_array)
        self.cg = types.SimpleNamespace(this_grid=lambda: types.SimpleNamespace(sync=lambda: Request("grid")))
        self.request = self.answer = None

    def _local_array(self, shape, dtype, alignment=None):
        return Memory(simt_values.unwritten(self.block.run.contents, shape, dtype))

    def grid(self, ndim):
        places = [int(b * d + t) for t, b, d in zip(self.threadIdx, self.blockIdx, self.blockDim)]
        return places[0] if ndim == 1 else tuple(places[:ndim])

    def gridsize(self, ndim):
        sizes = [int(d * g) for d, g in zip(self.blockDim, self.gridDim)]
        return sizes[0] if ndim == 1 else tuple(sizes[:ndim])

    def lanemask_lt(self):
        return Int32((1 << self.laneid) - 1)

    def threadfence(self):
        pass

    threadfence_block = threadfence_system = threadfence

    def syncthreads(self):
        return Request("barrier")

    def syncthreads_count(self, predicate):
        return Request("barrier count", value=bool(predicate))

    def syncthreads_and(self, predicate):
        return Request("barrier and", value=bool(predicate))

    def syncthreads_or(self, predicate):
        return Request("barrier or", value=bool(predicate))

    def syncwarp(self, mask=FULL):
        return collective("syncwarp", mask)

    def activemask(self, place):
        return Request("activemask", value=True, extra=place)

    def shfl_sync(self, mask, value, src_lane, width=32):
        return collective("shfl", mask, value, (src_lane, width))

    def shfl_up_sync(self, mask, value, delta, width=32):
        return collective("shfl_up", mask, value, (delta, width))

    def shfl_down_sync(self, mask, value, delta, width=32):
        return collective("shfl_down", mask, value, (delta, width))

    def shfl_xor_sync(self, mask, value, lane_mask, width=32):
        return collective("shfl_xor", mask, value, (lane_mask, width))

    def all_sync(self, mask, predicate):
        return collective("all", mask, predicate)

    def any_sync(self, mask, predicate):
        return collective("any", mask, predicate)

    def eq_sync(self, mask, predicate):
        return collective("eq", mask, predicate)

    def ballot_sync(self, mask, predicate):
        return collective("ballot", mask, predicate)

    def match_any_sync(self, mask, value):
        return collective("match_any", mask, value)

    def match_all_sync(self, mask, value):
        return collective("match_all", mask, value)


class Run:
    """One launch: which threads can run, and which wait for which."""

    def __init__(self, grid, block, options):
        self.dim, self.dynamic_bytes = Dim3(*map(int32, grid)), options.get("shared", 0)
        self.order = options.get("order", "up")
        self.random = random.Random(self.order)
        self.contents = None if self.order == "down" else self.random
        self.is_alone = options.get("alone", False)
        self.turns_left = options.get("limit", 1_000_000)
        self.apart = options.get("apart")
        places = itertools.product(*(range(n) for n in reversed(grid)))
        dim = Dim3(*map(int32, block))
        self.blocks = [Block(Dim3(*map(int32, (x, y, z))), dim, self) for z, y, x in places]
        self.ready = [thread for b in self.blocks for thread in b.threads]
        self.place_in_order = {thread: k for k, thread in enumerate(self.ready)}
        self.alive = len(self.ready)
        self.at_grid = []
        self.changed_warps, self.changed_blocks = {}, {}

    def start(self, function, arguments):
        for thread in self.ready:
            thread.generator = function(thread, *arguments)
            if self.is_alone:
                thread.generator = _alone(thread.generator, int(thread.laneid))

    def finish(self):
        while self.alive:
            for thread in self._batch():
                self._step(thread)
            self._settle()
            if not self.ready and self.alive:
                raise Deadlock(self._situation())

    def _batch(self):
        """The threads to run next, in order: all that can run, or some of them in a random order."""
        batch, self.ready = self.ready, []
        if self.order in ("up", "down"):
            return sorted(batch, key=self.place_in_order.get, reverse=self.order == "down")
        batch.sort(key=self.place_in_order.get)
        self.random.shuffle(batch)
        count = self.random.randint(1, len(batch))
        self.ready = batch[count:]
        return batch[:count]

    def _step(self, thread):
        """Runs a thread until it waits, yields to others, or exits."""
        answer, thread.answer = thread.answer, None
        try:
            request = thread.generator.send(answer)
        except StopIteration:
            self.alive -= 1
            thread.block.alive -= 1
            thread.warp.alive &= ~(1 << thread.laneid)
        else:
            if request is None:
                self.turns_left -= 1
                if self.turns_left < 0:
                    raise Deadlock("the threads still run, but seem to have no end")
                self.ready.append(thread)
                return
            self._wait(thread, request)
        self.changed_warps[thread.warp] = self.changed_blocks[thread.block] = True

    def _wait(self, thread, request):
        thread.request = request
        if request.op == "grid":
            self.at_grid.append(thread)
        elif request.op in BARRIERS:
            thread.block.waiting.append(thread)
        else:
            if request.op != "activemask" and not request.mask >> thread.laneid & 1:
                raise Undefined(f"{request.op}: lane {thread.laneid} is not in its mask {request.mask:#010x}")
            thread.warp.waiting.append(thread)

    def _release(self, thread, answer):
        thread.answer, thread.request = answer, None
        self.ready.append(thread)

    def _settle(self):
        """Completes every barrier and collective at which all have arrived."""
        warps, blocks = self.changed_warps, self.changed_blocks
        self.changed_warps, self.changed_blocks = {}, {}
        for warp in warps:
            self._settle_warp(warp)
        for block in blocks:
            if block.waiting and len(block.waiting) == block.alive:
                waiting, block.waiting = block.waiting, []
                if self.apart is not None:
                    self.apart |= _lines_apart(waiting)
                answer = _barrier_result([thread.request for thread in waiting])
                for thread in waiting:
                    self._release(thread, answer)
        if self.at_grid and len(self.at_grid) == self.alive:
            waiting, self.at_grid = self.at_grid, []
            for thread in waiting:
                self._release(thread, None)

    def _settle_warp(self, warp):
        groups = {}
        for thread in warp.waiting:
            groups.setdefault(_group(thread.request), []).append(thread)
        ended = [group for (op, mask), group in groups.items() if op != "activemask" and _is_full(warp, mask, group)]
        if not ended and all(t.request is not None for t in warp.threads if warp.alive >> t.laneid & 1):
            # No lane can arrive any more at the place where others ask for the active mask.
            ended = [group for (op, _), group in groups.items() if op == "activemask"]
        for group in ended:
            results = answers(group[0].request.op, {int(t.laneid): t.request for t in group})
            for thread in group:
                warp.waiting.remove(thread)
                self._release(thread, results[thread.laneid])

    def _situation(self):
        """Where threads wait, for the message of a Deadlock."""
        places = {}
        for thread in (t for block in self.blocks for t in block.threads if t.request is not None):
            op, mask = thread.request.op, thread.request.mask
            key = f"block {tuple(thread.block.place)}, line {_line_of(thread.generator)}: {op}"
            places.setdefault(f"{key} {mask:#010x}" if mask else key, []).append(thread.number)
        return "\n".join(["no thread can go on:", *(f"{key}: threads {which}" for key, which in places.items())])


def _group(request):
    """The key that requests of one warp share if they complete together."""
    return request.op, request.extra if request.op == "activemask" else request.mask


def _is_full(warp, mask, group):
    """Whether every lane in the mask has arrived or has exited."""
    return mask & warp.alive & ~sum(1 << thread.laneid for thread in group) == 0


def _barrier_result(requests):
    kinds = {request.op for request in requests}
    if len(kinds) > 1:
        raise Undefined(f"different barriers meet: {', '.join(sorted(kinds))}")
    (kind,) = kinds
    votes = [request.value for request in requests]
    results = {
        "barrier count": lambda: Int32(sum(votes)), "barrier and": lambda: Int32(all(votes)),
        "barrier or": lambda: Int32(any(votes)), "barrier": lambda: None,
    }  # fmt: skip
    return results[kind]()


def _alone(generator, lane):
    """A thread that never waits: a broken model, to find kernels that would not notice."""
    answer = None
    for _ in range(100_000):
        try:
            request = generator.send(answer)
        except StopIteration:
            return
        answer = None
        if request is not None and request.op in BARRIERS:
            answer = _barrier_result([request])
        elif request is not None and request.op != "grid":
            shuffled = request.op.startswith("shfl")
            answer = request.value if shuffled else answers(request.op, {lane: request})[lane]
    raise Deadlock("the thread does not end alone")
    yield  # never reached: the thread runs in one go


def _line_of(generator):
    """The source line at which a suspended generator, or the innermost one it called, is suspended."""
    while generator.gi_yieldfrom is not None:
        generator = generator.gi_yieldfrom
    return generator.gi_frame.f_lineno


def _lines_of(generator):
    """The lines at which a suspended generator and those it called are suspended, innermost last."""
    lines = []
    while generator is not None:
        lines.append(generator.gi_frame.f_lineno)
        generator = generator.gi_yieldfrom
    return tuple(lines)


def _lines_apart(waiting):
    """Lines of barriers at which some lanes of a warp wait while others wait elsewhere."""
    places = {}
    for thread in waiting:
        places.setdefault(thread.warp, set()).add(_lines_of(thread.generator))
    return {place[-1] for group in places.values() if len(group) > 1 for place in group}


def _three(dim):
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    return dims + (1,) * (3 - len(dims))


def launch(source, grid, block, arguments, **options):
    """Runs a kernel on arrays that it changes in place. `source`: text, or the result of `simt_source.load`.

    Options: `kernel`, its name; `shared`, bytes of dynamic shared memory; `order`; `spin`, whether threads take turns
    in loops, and `limit`, the number of turns allowed; `alone`, whether threads never wait; `apart`, a set that
    collects the lines of barriers at which lanes of one warp wait while others wait elsewhere.
    """
    spin = options.get("spin", False)
    functions = simt_source.load(source, spin) if isinstance(source, str) else source
    run = Run(_three(grid), _three(block), options)
    values = [Memory(a) if isinstance(a, np.ndarray) else a for a in arguments]
    run.start(functions[options.get("kernel", "kernel")], values)
    with np.errstate(all="ignore"):
        run.finish()
