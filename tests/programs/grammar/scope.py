# What all parts of the grammar of random programs share: choices, names in scope, contexts of statements, cells.
"""No program has a race: each thread has its own cells in memory; other threads only take part in atomic operations
that commute, or read what was written before a barrier. The number of iterations of every loop is known in advance.
"""

import random
from collections import Counter
from dataclasses import dataclass, field, fields, replace

MASK = 4095  # stored values of programs with effects stay below this: sums and small products fit into 32 bits
INT, UINT, FLOAT, BOOL = "varying", "uints", "floats", "bools"
"""Categories of values, by which `Frame` has names. Inference finds the types."""


def indented(lines):
    return ["    " + line for line in lines]


@dataclass
class Cells:
    """Elements of an array that no other thread accesses: numbers 0 to size - 1."""

    array: str
    pattern: str  # the index of cell {}
    size: int
    view: str = ""  # an expression for a one-dimensional array ...
    base: str = ""  # ... in which cell k has the index base + k
    has_slices: bool = True  # whether `view` may be sliced: not if base may be negative

    @property
    def wraps(self):
        """Whether cell -1 is the last one: where its number is an index of its own."""
        return "+" not in self.pattern

    def at(self, k):
        return f"{self.array}[{self.pattern.format(k)}]"

    def atomic(self, k):
        index = self.pattern.format(k)
        return f"{self.array}, ({index})" if "," in index else f"{self.array}, {index}"

    def slice(self, start, stop, step=""):
        base = f"{self.base} + " if self.base else ""
        return f"{self.view}[{base}{start} : {base}{stop}{' : ' + step if step else ''}]"

    def arguments(self, k=0):
        """Array and index, for functions that work on one cell."""
        return f"{self.view}, {self.base + ' + ' if self.base else ''}{k}"


@dataclass
class Place:
    """The context of a statement."""

    uniform: bool = True  # all live threads of the block are here together
    depth: int = 0
    loops: int = 0
    leaves: str = ""  # "break continue": what may leave the innermost loop here
    returns: bool = True
    strided: str = ""  # the index of the strided loop around it
    in_function: bool = False
    meets: bool = True  # barriers are allowed here

    def inside(self, **changes):
        return replace(self, depth=self.depth + 1, **changes)


@dataclass
class Frame:
    """The names of one function: those with one value for the block, and the others, by category."""

    varying: list = field(default_factory=list)
    uniform: list = field(default_factory=list)
    cells: list = field(default_factory=list)
    tuples: list = field(default_factory=list)  # of three integers each
    uints: list = field(default_factory=list)
    floats: list = field(default_factory=list)
    bools: list = field(default_factory=list)

    def of(self, category):
        return getattr(self, category)

    def copy(self):
        return Frame(*([*self.of(each.name)] for each in fields(self)))


class Choices:
    """Random choices of a seed, and counts of the constructs that they led to."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.used = Counter()
        self.numbers = 0

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self, low, high):
        return self.random.randint(low, high)

    def fresh(self, letter):
        self.numbers += 1
        return f"{letter}{self.numbers}"

    def weighted(self, choices):
        """One of (choice, weight)."""
        return self.random.choices([c for c, _ in choices], [w for _, w in choices])[0]
