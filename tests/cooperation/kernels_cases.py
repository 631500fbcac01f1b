"""Cases: a kernel's source, its launches and their arguments, combined from constructs, positions and conditions."""

import itertools
import math
import re
import zlib
from dataclasses import dataclass

import numpy as np

from cooperation import kernels_exchange, kernels_positions
from cooperation.kernels_positions import FULL, KINDS, POSITIONS

HEAD = """
@cuda.jit({options})
def kernel(out, data, acc, tot, n):
    tid = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
    size = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z
    block = cuda.blockIdx.x
    i = block * size + tid
    lane = cuda.laneid
    warp = tid // 32
    x = data[i]
    r = 0
    e = 0
"""
TAIL = "    out[i] = r\n"
STEP = """
@cuda.jit(device=True)
def {name}({parameters}):
{first}{body}
    return r, e
"""
CONTEXT = ("tid", "size", "lane", "warp", "block", "x", "r", "e")
TYPES = ("int64", "int32")
# (blocks, block shape): one of each per case.
RAGGED = ((2, 33), (1, (5, 7, 3)), (2, 70), (3, 31), (1, (33, 2)), (2, (5, 7, 2)))
WHOLE = ((3, 64), (2, 96), (2, (8, 8)), (3, 32), (1, (16, 16)), (2, 1), (3, 31), (2, 64), (2, (4, 4, 4)))


@dataclass
class Case:
    """`launches`: (blocks, block shape, `n`). `what`: the Construct, which defines the contents of `acc`."""

    name: str
    source: str
    launches: list
    what: kernels_exchange.Construct
    spin: bool = False

    def arguments(self, number):
        """New arguments for a launch, and its bytes of dynamic shared memory."""
        blocks, shape, n = self.launches[number]
        threads = math.prod(shape) if isinstance(shape, tuple) else shape
        rng = np.random.default_rng(zlib.crc32(self.name.encode()) + number)
        data = rng.integers(0, 1024, blocks * threads)
        arrays = kernels_exchange.global_arrays(self.what, blocks)
        return [np.zeros(blocks * threads, np.int64), data, *arrays, n], self.what.dynamic * threads


class Builder:
    """Turns one position's text into a kernel with one construct."""

    def __init__(self, what, variant, has_masks):
        self.what, self.variant, self.has_masks = what, variant, has_masks
        self.site = itertools.count(variant)
        self.functions = what.functions

    def line(self, text):
        """The lines that replace one line of a position."""
        words = text.lstrip(" ")
        indent = text[: len(text) - len(words)]
        if words.startswith("@"):
            return [indent + words[1:].replace("FULL", FULL)] if self.has_masks else []
        if words.startswith("X("):
            return [indent + line for line in self.exchange(words[2:-1])]
        call = re.search(r"STEP(_IF)?\((.*)\)$", words)
        if call:
            words = words[: call.start()] + self.call(call[2])
        return [indent + words]

    def exchange(self, mask):
        mask = mask.replace("FULL", FULL) if self.has_masks else FULL
        return kernels_exchange.exchange(self.what, mask, next(self.site), mask != FULL)

    def call(self, given):
        """A call of a device function that does one exchange for STEP(mask), or of one that returns early if the
        condition fails for STEP_IF(condition, mask).
        """
        *test, mask = given.rsplit(", ", 1)
        mask = mask.replace("FULL", FULL) if self.has_masks else FULL
        name = f"step_{next(self.site)}"
        is_own = mask != FULL
        lines = kernels_exchange.exchange(self.what, "mask" if is_own else FULL, next(self.site), is_own)
        names = [*CONTEXT, *self.what.arrays, *(["mask"] if is_own else []), *(["wanted"] if test else [])]
        first = "    if not wanted:\n        return r, e\n" if test else ""
        body = "\n".join("    " + line for line in lines)
        self.functions += STEP.format(name=name, parameters=", ".join(names), first=first, body=body)
        return f"{name}({', '.join([*CONTEXT, *self.what.arrays, *([mask] if is_own else []), *test])})"

    def source(self, position, holes, options=""):
        text = POSITIONS[position]
        for hole, value in holes.items():
            text = text.replace(hole, value)
        lines = [*self.what.setup.split("\n"), *text.strip("\n").split("\n")]
        body = "".join(f"    {line}\n" for given in lines for line in self.line(given) if line)
        kernel = self.functions + HEAD.format(options=options) + body + TAIL
        return kernel.replace("{t}", TYPES[self.variant // 2 % 2])


def make(construct, position, kind, variant, has_masks):
    """The case of one construct at one position under one kind of condition."""
    what = kernels_exchange.construct(construct, variant)
    has_masks = has_masks and what.is_warp
    other = KINDS[(KINDS.index(kind) + 1 + variant % 4) % len(KINDS)]
    holes = {
        "{C}": kernels_positions.condition(kind, variant),
        "{D}": kernels_positions.condition(other, variant + 1),
        "{K}": kernels_positions.trips(kind, variant),
    }
    # Optimised and unoptimised: a bug may affect only one of them.
    source = Builder(what, variant, has_masks).source(position, holes, "opt=0" if variant % 3 == 1 else "")
    launches = [(*RAGGED[variant % len(RAGGED)], 3), (*WHOLE[variant % len(WHOLE)], 2)]
    # Collectives that name the lanes at the same place, or the whole warp and thus also lanes elsewhere.
    style = ("-masks" if has_masks else "-meet") if what.is_warp else ""
    return Case(f"{construct}-{position}-{kind}{style}", source, launches, what)


def product():
    """One case for each construct at each position; conditions, operations and shapes rotate."""
    cases = []
    for c, construct in enumerate(kernels_exchange.NAMES):
        for p, position in enumerate(POSITIONS):
            kind = KINDS[(c + p) % len(KINDS)]
            cases.append(make(construct, position, kind, c * 7 + p, (c + p // 2) % 2 == 0))
    return cases


def whole_product():
    """Every construct at every position under every kind of condition, with and without masks."""
    combinations = itertools.product(kernels_exchange.NAMES, POSITIONS, KINDS, (False, True))
    cases = [make(c, p, k, number, m) for number, (c, p, k, m) in enumerate(combinations)]
    return [*{case.name: case for case in cases}.values()]
