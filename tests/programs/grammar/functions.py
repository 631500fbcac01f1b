# Device functions of random programs: early returns, recursion with memory on each level, factories, captured objects.

from dataclasses import dataclass, field

from programs.grammar.scope import Cells, Frame, Place, indented
from programs.grammar.statements import Statements

# Functions with an effect, and a result that shows how often they have run.
TICKS = {
    "tick": """
@cuda.jit(device=True)
def tick(c, k):
    c[k] = (c[k] + 1) & 1023
    return c[k]
""",
    "note": """
@cuda.jit(device=True)
def note(a, k, value):
    cuda.atomic.add(a, k, 1)
    return value
""",
    "meeting_tick": """
@cuda.jit(device=True)
def meeting_tick(c, k):
    cuda.syncthreads()
    c[k] = (c[k] + 1) & 1023
    return c[k]
""",
}

FACTORIES = """
def made(factor, table):
    @cuda.jit(device=True)
    def scaled(x):
        return x * factor + table[x % 3]

    return scaled


def composed(outer, inner):
    @cuda.jit(device=True)
    def both(x):
        return outer(inner(x) & 255)

    return both


def twice(function):
    @cuda.jit(device=True)
    def applied(x):
        return function(function(x) & 127)

    return applied
"""


@dataclass
class Function:
    name: str
    kind: str
    names: list  # of its integer parameters ...
    limits: list  # ... and the limits of their values
    takes_cells: bool = True
    waits: bool = False  # all threads of the block must call it together
    has_default: bool = False  # for the last of these parameters
    calls: int = 1  # how many a call of it makes at most, about


@dataclass
class Module:
    """The code that precedes the kernels."""

    texts: list = field(default_factory=list)

    def add(self, text):
        self.texts.append(text)


class Functions(Statements):
    def begin(self, names, cells, in_kernel=False):
        """The names of a new function."""
        self.frame = Frame([*names], [], cells)
        self.in_kernel = in_kernel
        self.local_arrays = set()
        self.fixed = {*names}
        self.calls_left = self.most_calls

    def calls_made(self):
        return 1 + self.most_calls - self.calls_left

    def make_functions(self):
        if "calls" in self.themes or self.chance(0.4):
            for _ in range(self.number(1, 2)):
                self.make_plain()
        if "recursion" in self.themes or self.chance(0.1):
            self.make_recursive()
        if "captured" in self.themes or self.chance(0.15):
            self.make_captured()
        if self.has_barriers and self.chance(0.4):
            self.make_meeting()

    def function_place(self):
        return Place(uniform=False, depth=1, in_function=True, meets=False)

    def make_plain(self):
        """Any statements, with early returns."""
        name, names = self.fresh("f"), [self.fresh("p") for _ in range(self.number(1, 3))]
        self.begin(names, [Cells("c", "k + {}", 8, "c", "k")])
        self.budget = 6
        self.has_barriers, saved = False, self.has_barriers
        body = ["r = 1", *self.block(self.number(1, 4), self.function_place())]
        body.append(f"return ({self.value(self.function_place(), 1)} + r) & 4095")
        self.has_barriers = saved
        options = self.pick("", "", ', inline="never"', ", forceinline=True")
        has_default = self.chance(0.3)
        last = f"{names[-1]}={self.number(0, 9)}" if has_default else names[-1]
        self.module.add(self.text(name, ["c", "k", "acc", "data", *names[:-1], last], body, options))
        self.functions.append(Function(name, "plain", names, [16] * len(names), has_default=has_default,
                                       calls=self.calls_made()))  # fmt: skip

    def make_meeting(self):
        """With barriers anywhere; in programs in which any barrier may meet any other, some threads return early."""
        name, names = self.fresh("f"), [self.fresh("p") for _ in range(self.number(1, 2))]
        self.begin(names, [Cells("c", "k + {}", 8, "c", "k")])
        self.budget = 6
        place = Place(depth=1, in_function=True, returns=self.is_loose)
        body = ["r = 1", *self.block(self.number(1, 4), place), "cuda.syncthreads()"]
        body.append(f"return ({self.value(self.function_place(), 1)} + r) & 4095")
        options = self.pick("", "", ', inline="never"', ", forceinline=True")
        self.module.add(self.text(name, ["c", "k", "acc", "data", "t", "size", *names], body, options))
        self.functions.append(Function(name, "meeting", names, [16] * len(names), waits=True,
                                       calls=self.calls_made()))  # fmt: skip

    def make_recursive(self):
        """Each level has its own array, which it reads again after the deeper levels."""
        name, names = self.fresh("f"), ["level", self.fresh("p")]
        size = self.pick(2, 6, 100)
        self.begin(names, [Cells("c", "k + {}", 8, "c", "k")])
        self.budget = 4
        self.has_barriers, saved = False, self.has_barriers
        place = self.function_place()
        place.returns = False
        body = [f"mine = cuda.local.array({size}, int64)", f"for q in range({size}):"]
        body += [f"    mine[q] = level * 10 + q + {names[1]}", "r = int64(0)"]
        body += self.block(self.number(0, 2), place)
        body += ["rest = int64(0)", "if level > 0:", f"    rest = {name}(c, k, acc, data, level - 1, {names[1]})"]
        body += self.block(self.number(0, 1), place)
        body.append(f"return (rest * 3 + mine[{self.number(0, 1)}] + mine[{size - 1}] + r) & 4095")
        self.has_barriers = saved
        self.module.add(self.text(name, ["c", "k", "acc", "data", *names], body))
        self.functions.append(Function(name, "recursive", names, [4, 16], calls=4 * self.calls_made()))

    def make_captured(self):
        """Objects of one class, functions of one factory."""
        self.module.add(FACTORIES.replace("device=True", f"{self.rules_of_function()}device=True"))
        self.module.add("import types\n")
        tables = []
        for name in ("coarse", "fine"):
            size = self.number(3, 6)
            self.module.add(f"{name} = types.SimpleNamespace(table=np.arange({size}) * {self.number(2, 9)})\n")
            tables.append((f"{name}.table", size))
        self.module.add(f"three = ({self.number(0, 9)}, {self.number(0, 9)}, {self.number(0, 9)})\n")
        self.tables += [*tables, ("three", 3)]
        for _ in range(self.number(2, 4)):
            name = self.fresh("g")
            simple = f"made({self.number(2, 9)}, {self.random.choice(tables)[0]})"
            text = simple
            if self.closures and self.chance(0.5):
                first, second = self.random.choice(self.closures), self.random.choice(self.closures)
                text = self.pick(
                    f"composed({first}, {second})",
                    f"twice({first})",
                    f"composed({first}, composed({second}, {simple}))",
                )
            self.module.add(f"{name} = {text}\n")
            self.closures.append(name)

    def text(self, name, parameters, body, options=""):
        head = f"@cuda.jit({self.rules_of_function()}device=True{options})\ndef {name}({', '.join(parameters)}):"
        return "\n".join([head, *indented(body)]) + "\n"
