# Random programs: a seed determines kernels, their launches and a record of their constructs.
"""`make(seed)` returns a `Program`; equal seeds give equal programs."""

import ast
from dataclasses import dataclass, field

import numpy as np

from programs.grammar.endings import Endings
from programs.grammar.functions import TICKS, Module
from programs.grammar.meetings import READY
from programs.grammar.scope import Cells, Place, indented

PARAMETERS = ("out", "own", "acc", "data", "res", "flag", "n", "m")
THEMES = ("order", "calls", "loops", "barriers", "memory", "waiting", "captured", "strided", "recursion", "returns")
# (blocks, shape of a block). Blocks of one row share their code, so such programs are launched twice.
ROWS = ((1, (32,)), (2, (32,)), (1, (64,)), (2, (33,)), (1, (1,)), (5, (7,)), (2, (40,)), (1, (20,)))
BOXES = ((3, (8, 4)), (1, (5, 3, 2)), (2, (16, 2)), (2, (4, 4, 4)), (1, (33, 1, 1)), (2, (3, 11)), (3, (1, 20)))
LARGE = ((1, (1024,)), (1, (32, 8)), (2, (256,)), (1, (16, 16, 2)), (40, (3,)))
MOST_THREADS = 1024  # of a block
MOST_CALLS = 20_000  # of functions that call others, in one launch, about
FLAGS = 512


@dataclass
class Program:
    seed: int
    source: str = field(repr=False)
    launches: list  # (blocks, shape, kernels in order)
    layout: str
    spins: bool
    rules: str | None
    used: dict
    streams: bool = False
    width: int = 8  # cells of a thread
    names: tuple = field(default=PARAMETERS)


class Effects(Endings):
    def __init__(self, seed):
        super().__init__(seed)
        self.themes = {*self.random.sample(THEMES, self.number(1, 2))}
        self.effects = 0.3 if "order" in self.themes else self.pick(0.05, 0.15)
        self.calls = 2 if "calls" in self.themes or "recursion" in self.themes else 1
        self.has_barriers = "barriers" in self.themes or self.chance(0.15)
        self.is_loose = self.chance(0.25)
        self.has_exchange = self.has_barriers and not self.is_loose
        self.spins = "waiting" in self.themes
        self.needs_ready = self.spins and self.chance(0.3)
        self.rules = self.pick(None, None, "cuda-python")
        self.mixes_rules = self.chance(0.25)
        self.module, self.functions, self.closures, self.tables = Module(), [], [], []
        self.flags = 0
        self.layout = self.pick("flat", "rows", "columns", "flat wrapped", "rows wrapped")
        # Kernels know the lengths of short rows. Functions are given eight cells.
        self.width = self.number(2, 7) if self.layout.startswith("rows") and self.chance(0.5) else 8
        self.stride = self.choose_stride()

    def rules_text(self, rules):
        if rules:
            self.used[f"{rules} rules"] += 1
        return f'rules="{rules}", ' if rules else ""

    def rules_of_function(self):
        """Those of the kernels; in some programs each function has rules of its own."""
        if not self.mixes_rules:
            return self.rules_text(self.rules)
        self.used["functions of both rules"] += 1
        return self.rules_text(self.pick(None, "cuda-python"))

    def choose_stride(self):
        """(starts, steps, element) of strided loops: one partition for the whole program."""
        if self.chance(0.3):
            return ["t"], ["size"], "blk * data.size + {}"
        return ["i", "cuda.grid(1)"], ["total", "cuda.gridsize(1)"], "{}"

    # The kernel.

    def own_cells(self):
        row = "w" if "wrapped" in self.layout else "i"
        if self.layout == "columns":
            return Cells("own", "{}, " + row, 8, f"own[:, {row}]")
        if self.layout.startswith("rows"):
            return Cells("own", row + ", {}", self.width, f"own[{row}]")
        return Cells("own", "b + {}", 8, "own", "b", has_slices="wrapped" not in self.layout)

    def prologue(self):
        """Numbers of the thread, and what the block shares."""
        flat = "(cuda.threadIdx.z * cuda.blockDim.y + cuda.threadIdx.y) * cuda.blockDim.x + cuda.threadIdx.x"
        lines = ["t = cuda.threadIdx.x" if self.is_row else f"t = {flat}", "blk = cuda.blockIdx.x"]
        lines.append("size = cuda.blockDim.x" if self.is_row else
                     "size = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z")  # fmt: skip
        lines += ["total = size * cuda.gridDim.x", "blocks = cuda.gridDim.x"]
        grid = self.pick("cuda.grid(1)", "blk * size + t") if self.is_row else "blk * size + t"
        lines.append(f"i = {grid}")
        if "wrapped" in self.layout:
            lines.append(f"w = i - min(total, {self.number(1, 20)})")
        if self.layout.startswith("flat"):
            lines.append("b = w * 8" if "wrapped" in self.layout else "b = i * 8")
        return [*lines, f"r = {self.number(0, 99)}", "x = data[i]"]

    def preface(self):
        """A kernel may begin with a loop around a barrier, before anything is known about the thread."""
        if not self.has_barriers or not self.chance(0.2):
            return []
        self.begin([], [], in_kernel=True)
        self.frame.uniform = ["n", "m"]
        before, count = self._count(Place())
        return [*before, f"for {self.fresh('k')} in range({count}):", "    cuda.syncthreads()"]

    def kernel(self, name):
        preface = self.preface()
        self.begin(["t", "i", "x"], [self.own_cells()], in_kernel=True)
        self.frame.uniform = ["n", "m", "blk"]
        if not self.is_row and self.stride[0][0] == "i":
            self.stride = ["i"], ["total"], "{}"
        self.budget = self.number(6, 12)
        place = Place()
        first = self.block(1, Place(returns=False, meets=False)) if self.chance(0.2) else []
        functions = len(self.functions)
        lines = self.shared_setup() if self.has_barriers else []
        if self.chance(0.5):
            lines += ["v0 = (x + t) & 255"]
            self.frame.varying.append("v0")
        if self.spins:
            for _ in range(self.number(1, 2)):
                lines += self.waiting()
        lines += self.block(self.number(2, 5), place)
        lines += self.ending(place)
        lines.append("out[i] = r")
        # Drop functions with shared memory, which another kernel has not initialised.
        self.functions = self.functions[:functions]
        options = self.pick("", "opt=0, ", "opt=0, ") + self.bounds
        head = f"@cuda.jit({self.rules_text(self.rules)}{options})\ndef {name}({', '.join(PARAMETERS)}):"
        return "\n".join([head, *indented([*preface, *self.prologue(), *first, *lines])]) + "\n"

    def choose_shapes(self):
        """[(blocks, shape of a block)]"""
        if self.chance(0.04):
            return [self.pick(*LARGE)]
        if self.chance(0.03):
            return [(1, self.any_shape(MOST_THREADS))]
        if self.chance(0.3):
            return [(self.number(1, 3), self.any_shape(96))]
        return self.random.sample(*self.pick((ROWS, 2), (ROWS, 2), (BOXES, 1)))

    def any_shape(self, most):
        """Of one to three axes, with at most so many threads."""
        shape = []
        for _ in range(self.number(1, 3)):
            shape.append(self.number(1, most))
            most //= shape[-1]
        self.random.shuffle(shape)
        return (*shape[:2], *(min(depth, 64) for depth in shape[2:]))

    def make(self, seed):
        shapes = self.choose_shapes()
        self.is_row = all(len(shape) == 1 for _, shape in shapes)
        threads = max(int(np.prod(shape)) for _, shape in shapes)
        # By each thread: the model runs them all, one after the other.
        self.most_calls = MOST_CALLS // max(blocks * int(np.prod(shape)) for blocks, shape in shapes)
        self.bounds = self.pick("", "", f"launch_bounds={threads}, ", f"launch_bounds=({threads}, 2), ",
                                f"launch_bounds={min(threads + 31, MOST_THREADS)}, ")  # fmt: skip
        self.make_functions()
        if self.needs_ready:
            self.module.add(READY.format(rules=self.rules_of_function()))
        names = ["kernel", "other"] if self.chance(0.12) else ["kernel"]
        for name in names:
            self.module.texts.append(self.kernel(name))
        if len(names) > 1:
            names = [*names, *self.random.choices(names, k=self.number(0, 2))]
        text = "\n".join(self.module.texts)
        ticks = [each for name, each in TICKS.items() if f"{name}(" in text]
        ticks = [each.replace("device=True", f"{self.rules_of_function()}device=True") for each in ticks]
        text = "\n".join(ticks) + text
        source = ast.unparse(ast.parse(text)) + "\n"
        launches = [(blocks, shape, names) for blocks, shape in shapes]
        return Program(seed, source, launches, self.layout, self.spins, self.rules, dict(self.used),
                       self.chance(0.6 if len(names) > 1 else 0.1), width=self.width)  # fmt: skip


def make(seed):
    return Effects(seed).make(seed)


def arguments(program, blocks, shape):
    """The arguments of a launch in order; the same every time."""
    total = blocks * int(np.prod(shape))
    cells = {"rows": (total, program.width), "columns": (8, total), "flat": (total * 8,)}[program.layout.split()[0]]
    size = max(total, 64)
    numbers = np.random.default_rng(program.seed)
    return [
        np.zeros(total, np.int64), numbers.integers(0, 9, cells).astype(np.int64), np.zeros(64, np.int64),
        numbers.integers(0, 64, size).astype(np.int32), np.zeros(size * blocks, np.int64),
        np.zeros(FLAGS, np.int32), 4, 3,
    ]  # fmt: skip
