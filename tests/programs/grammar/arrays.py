# Random kernels that assign arrays to parts of themselves, and unroll loops within loops.
"""Each thread has a matrix of its own in `x` and in `y`, which may be one array, and names rows and columns of it."""

from dataclasses import dataclass, field

import numpy as np

from programs.grammar.scope import Choices, indented

SIDE = 6


@dataclass
class Program:
    seed: int
    rules: str
    source: str = field(repr=False)
    used: set
    mixes: bool  # an assignment reads the other parameter, of whose memory nothing is known
    is_plain: bool  # no bounds that are variables, or count from the end: which order is right does not depend on them


class Arrays(Choices):
    def __init__(self, seed):
        super().__init__(seed)
        self.rules = self.pick("numba", "cuda-python")
        self.names = {"a": (SIDE, SIDE), "b": (SIDE, SIDE)}
        self.roots = {"a": "x", "b": "y"}
        self.mixes = False
        self.is_plain = self.chance(0.5)
        self.used = set()

    def bound(self):
        plain = ["", "", str(self.number(0, SIDE - 1))]
        return self.pick(*plain) if self.is_plain else self.pick(*plain, str(-self.number(1, 4)), "i", "i + 1", "k")

    def index(self):
        plain = str(self.number(0, SIDE - 1))
        return plain if self.is_plain else self.pick(plain, str(-self.number(1, 3)), "i", "i - 1", "k")

    def axis(self):
        kind = self.number(0, 9)
        if kind < 3:
            return ":"
        if kind < 6:
            return self.index()
        if kind < 7:
            first = self.pick("0", str(SIDE - 1), "2" if self.is_plain else "i")
            return f"{first}:{first} + 1"
        step = self.pick("", "", "", ":2", *([] if self.is_plain else [":-1"]))
        return f"{self.bound()}:{self.bound()}{step}"

    def view(self, name):
        axes = [self.axis() for _ in range(self.number(1, len(self.names[name])))]
        return f"{name}[{', '.join(axes)}]"

    def shape(self, view):
        """With i = 2 and k = 3, as in the first launch; None where that has none."""
        arrays = {name: np.zeros(shape) for name, shape in self.names.items()}
        try:
            found = np.shape(eval(view, {**arrays, "i": 2, "k": 3}))
        except IndexError:
            return None
        return None if 0 in found else found

    def fitting(self, target, base):
        """A view that can be broadcast to that shape."""
        while True:
            # Nearly always of the array that changes: others are no problem.
            name = base if self.chance(0.85) else self.pick(*self.names)
            view = self.pick(self.view(name), self.view(name), name)
            shape = self.shape(view)
            try:
                if shape is not None and np.broadcast_shapes(shape, target) == target:
                    self.mixes |= self.roots[name] != self.roots[base]
                    return view
            except ValueError:
                pass

    def assignment(self):
        while True:
            base = self.pick(*self.names)
            target = self.view(base) if self.chance(0.75) else base
            shape = self.shape(target)
            if shape:
                break
        reads = [self.fitting(shape, base) for _ in range(self.pick(1, 1, 2))]
        if self.chance(0.15):
            reads.append(f"{base}[{', '.join(str(self.number(0, n - 1)) for n in self.names[base])}]")
        value = f" {self.pick(*'+-*')} ".join(reads)
        operator = self.pick("=", "=", "+=", "-=")
        if target == base and operator == "=":
            target += "[:]"
        self.used.add("self-assignment" if any(read.startswith(base) for read in reads) else "assignment")
        return [f"{target} {operator} {value}"]

    def row(self):
        """An own row or column under one more name."""
        name = f"r{len(self.names)}"
        plain, others = ("a[0]", "a[:, 3]", "a[1]", "b[2]"), ("a[i]", "a[k]", "a[:, k]", "b[i]")
        text = self.pick(*(plain if self.is_plain else others))
        self.names[name] = (SIDE,)
        self.roots[name] = self.roots[text[0]]
        self.used.add("row")
        return [f"{name} = {text}"]

    def list_index(self):
        self.used.add("list as an index")
        if self.chance(0.5):
            return ["a[[0, 2]] += 1"]
        return ["rows = [1, 3]", "a[rows] = 7"]

    def loops(self):
        """Items of several types, in up to two loops, one of which may be unrolled, too."""
        items = self.pick("(1, 2.5, 3)", "(True, 4, 0.5)", "(2.5, 4j)", "(0.25, 2)")
        series = self.pick(items, f"literal_unroll({items})", f"consteval([{items[1:-1]}])")
        lines = [f"for q in {series}:"]
        if self.chance(0.5):
            name = self.fresh("p")  # what was before the loops keeps its type in them
            lines += [f"    {name} = q * 2", f"    total += ({name} + 0j).real"]
        else:
            lines += ["    total += (q + 0j).real * (1 + abs(q))"]
        for _ in range(self.number(0, 2)):
            head = self.pick("for step in range(2):", "for step in (1, 2):", "for other in (3, 1.5):")
            lines = [head, *indented(lines)]
        self.used.add("unrolled loop in a loop" if len(lines) > 3 else "unrolled loop")
        return lines

    def make(self, seed):
        kinds = [self.assignment] * 6 + [self.row] * 2 + [self.loops] * 4 + [self.list_index] * self.chance(0.2)
        lines = ["t = cuda.grid(1)", "total = 0.0", "if t < x.shape[0]:", "    a = x[t]", "    b = y[t]"]
        for _ in range(self.number(2, 4)):
            lines += indented(self.pick(*kinds)())
        source = "\n".join(["def kernel(x, y, totals, i, k):", *indented([*lines, "    totals[t] = total"])]) + "\n"
        return Program(seed, self.rules, source, self.used, self.mixes, self.is_plain)


def make(seed):
    return Arrays(seed).make(seed)
