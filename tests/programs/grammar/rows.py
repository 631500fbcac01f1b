"""Random kernels that load and store columns of their own row, and of rows that nobody stores to.

`make(seed)` gives a `Made`; equal seeds give equal kernels. Columns are constants, or counters of loops with constant
bounds; loads and stores of two arrays, which may be one, alternate in straight code, under conditions and in loops.
"""

from dataclasses import dataclass, field

from programs.grammar.scope import Choices, indented

TYPES = ("float32", "float32", "float64", "float64", "int32", "int64", "int16", "uint8")


@dataclass
class Made:
    seed: int
    dtype: str
    width: int
    source: str
    used: set = field(default_factory=set)


class Rows:
    def __init__(self, seed):
        self.choices = Choices(seed)
        self.dtype, self.width = self.choices.pick(*TYPES), self.choices.pick(2, 3, 3, 4, 4, 5, 6, 8, 9, 16)
        self.is_float = self.dtype.startswith("float")
        first = self.choices.pick(*range(self.width))
        self.columns = sorted({k % self.width for k in range(first, first + self.choices.pick(2, 3, 4, self.width))})
        self.variables, self.used, self.is_inside = ["v0"], set(), False

    def column(self):
        """One of few, so that loads and stores meet."""
        k = self.choices.pick(*self.columns)
        return self.choices.pick(k, k, k - self.width)

    def load(self, column=None):
        array, row = self.choices.pick(("a", "i"), ("b", "i"), ("fixed", "i"), ("fixed", "i + 1"))
        self.used.add(f"load of {row}")
        where = self.column() if column is None else column
        return f"{'float' if self.is_float else 'int'}({array}[{row}, {where}])"

    def value(self, column=None):
        left = self.choices.pick(self.load(column), self.choices.pick(*self.variables))
        right = self.choices.pick(self.load(), self.choices.pick(*self.variables), str(self.choices.pick(1, 2, 3)))
        return f"{left} {self.choices.pick('+', '-')} {right}"

    def kept(self, value):
        return f"min(max({value}, -99.0), 99.0)" if self.is_float else f"({value}) & 127"

    def store(self, column=None):
        self.used.add("store")
        where = self.column() if column is None else column
        return [f"{self.choices.pick('a', 'a', 'b')}[i, {where}] = {self.kept(self.value(column))}"]

    def assign(self, column=None):
        """In arms and loops only variables that there are."""
        is_new = not self.is_inside and self.choices.chance(0.4)
        name = f"v{len(self.variables)}" if is_new else self.choices.pick(*self.variables)
        line = f"{name} = {self.kept(self.value(column))}"
        if is_new:
            self.variables.append(name)
        return [line]

    def all_columns(self):
        """One after another, of the same array: what is made together."""
        self.used.add("all columns")
        array, source, step = (
            self.choices.pick("a", "b"),
            self.choices.pick("a", "b", "fixed"),
            self.choices.pick(0, 0, 1),
        )
        return [f"{array}[i, {k}] = {source}[i, {(k + step) % self.width}]" for k in range(self.width)]

    def loop(self, depth):
        self.used.add("loop")
        first = self.choices.pick(0, 0, 1)
        counter = f"k{depth}"
        column = self.choices.pick(counter, counter, f"{self.width - 1} - {counter}")
        bounds = self.choices.pick(str(self.width), "a.shape[1]")
        return [
            f"for {counter} in range({first}, {bounds}):",
            *indented(self.inside(self.choices.pick(1, 2, 3), column)),
        ]

    def inside(self, count, column=None):
        self.is_inside = True
        lines = [line for _ in range(count) for line in self.choices.pick(self.store, self.assign)(column)]
        self.is_inside = False
        return lines

    def condition(self):
        self.used.add("condition")
        test = f"{self.choices.pick(*self.variables)} {self.choices.pick('>', '<', '!=')} {self.load()}"
        lines = [f"if {test}:", *indented(self.inside(self.choices.pick(1, 2)))]
        return lines + (["else:", *indented(self.inside(1))] if self.choices.chance(0.4) else [])

    def statement(self, depth):
        kind = self.choices.pick("simple", "simple", "simple", "all", "loop", "condition")
        if kind == "all":
            return self.all_columns()
        if kind == "loop":
            return self.loop(depth)
        return self.condition() if kind == "condition" else self.choices.pick(self.store, self.assign)()

    def body(self):
        lines = [f"v0 = {self.load()}"]
        for depth in range(self.choices.pick(3, 5, 8, 12)):
            lines += self.statement(depth)
        for k, name in enumerate(self.variables[:4]):
            lines.append(f"out[i, {k}] = {name}")
        return lines


def make(seed):
    rows = Rows(seed)
    body = indented(indented(rows.body()))
    source = "\n".join(["def kernel(a, b, fixed, out):", "    i = cuda.grid(1)", "    if i < out.shape[0]:", *body, ""])
    return Made(seed, rows.dtype, rows.width, source, rows.used)
