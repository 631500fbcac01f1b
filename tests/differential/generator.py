# Random kernels as Python text: every statement kind, nested under diverging control flow, each result defined.
"""`make(seed)` gives a `Program`; equal seeds give equal programs."""

import random
from dataclasses import dataclass, field

import numpy as np

from differential.data import KINDS, READ
from differential.expressions import BOOL, FLOAT, INT, UINT, ExpressionMaker

BLOCKS = ((32, 8, 1), (33, 1, 1), (16, 16, 1), (5, 7, 3))
GRIDS = {(33, 1, 1): (3, 1, 1), (5, 7, 3): (2, 1, 1)}

ATOMICS = (
    ("add", 0, 16), ("add", 0, 16), ("max", 16, 4), ("min", 20, 3), ("and_", 23, 3), ("or_", 26, 3), ("xor", 29, 3),
)  # fmt: skip
"""(operation, its first element, how many): each element has one operation, since only equal ones commute."""


@dataclass
class Program:
    """The source of functions and `kernel`, how to launch it, and its arguments."""

    seed: int
    rules: str
    source: str = ""
    block: tuple = (1, 1, 1)
    grid: tuple = (1, 1, 1)
    inputs: list = field(default_factory=list)  # (name, dtype)
    outputs: list = field(default_factory=list)
    extras: list = field(default_factory=list)  # (name, kind), of data.EXTRAS

    @property
    def threads(self):
        return int(np.prod(self.block) * np.prod(self.grid))


class Generator(ExpressionMaker):
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.more = random.Random(f"more {seed}")  # for what came later, which leaves the rest as it was
        self.halves = self.more.random() < 0.4
        self.constants = {}
        self.program = Program(seed, "cuda-python" if self.chance(0.25) else "numba")
        self.rules = self.program.rules
        self.program.block = BLOCKS[seed % 4]
        self.program.grid = GRIDS.get(self.program.block, (1, 1, 1))
        self.threads = self.program.threads
        self.inputs = [
            ("ia", INT, READ), ("na", INT, READ), ("fa", FLOAT, READ), ("da", FLOAT, READ),
        ]  # fmt: skip
        self.program.inputs = [
            ("ia", self.pick("int64", "int32")), ("na", self.pick("int8", "int16", "int32", "uint8", "uint16", "bool")),
            ("fa", "float32"), ("da", self.pick("float64", "float32")),
        ]  # fmt: skip
        narrow = self.pick("int8", "uint8", "int16", "uint16", "uint32", "int32")
        self.program.outputs = [
            ("io", "int64"), ("jo", "int64"), ("no", narrow), ("fo", self.pick("float32", "float64")),
        ]  # fmt: skip
        for arrays, place in ((self.program.inputs, 2), (self.program.inputs, 3), (self.program.outputs, 3)):
            if self.halves and self.more.random() < 0.5:
                arrays[place] = (arrays[place][0], "float16")
        if self.program.inputs[1][1] == "bool":
            self.inputs[1] = ("na", BOOL, READ)
        self.program.extras = [(name, self.pick(*kinds)) for name, kinds in KINDS.items() if self.chance(0.4)]
        self.extras = [name for name, _ in self.program.extras]
        self.functions = []
        self.counter = 0

    def begin(self, scope, thread=None):
        """Resets the names of a function; `thread`: the variable with the number of a kernel's thread."""
        self.scope, self.frozen = dict(scope), set()
        self.thread = thread
        self.base = f"{thread} * 8"
        self.loops, self.depth, self.budget = 0, 0, 0
        self.outputs = []
        self.is_kernel = thread is not None

    def names(self, category):
        return [n for n, c in self.scope.items() if c == category]

    def fresh(self, letter):
        self.counter += 1
        return f"{letter}{self.counter}"

    def number(self, value):
        """A literal, or the name of a global variable with that number, of Python or of NumPy."""
        if self.more.random() < 0.8:
            return str(value)
        text = str(value)
        if self.more.random() < 0.3:
            whole = not isinstance(value, str)
            fits = (
                [t for t in ("int8", "int16", "int32") if -(2 ** (int(t[3:]) - 1)) <= value < 2 ** (int(t[3:]) - 1)]
                if whole
                else []
            )
            text = f"np.{self.more.choice([*fits, 'int64'] if whole else ['float32', 'float64'])}({value})"
        return self.constants.setdefault(text, f"K{len(self.constants)}")

    # Device functions.

    def call(self, category, depth):
        callable_ = [f for f in self.functions if f[1] == category]
        if not callable_ or not self.chance(0.5):
            return None
        name, _, parameters = self.random.choice(callable_)
        return f"{name}({', '.join(self.expression(c, min(depth, 1)) for c in parameters)})"

    def touch(self, depth):
        if not self.outputs:
            return None
        return f"touch(io, {self.own_place()}, {self.int_(min(depth, 1))})"

    def make_function(self, category):
        """Returns in branches and loops, and at its end."""
        name = self.fresh("g")
        parameters = [self.pick(INT, FLOAT, INT) for _ in range(self.random.randint(1, 3))]
        arguments = {self.fresh("p"): c for c in parameters}
        saved = self.inputs
        self.inputs = [(n, c, e) for n, c, e in saved if n == "none"] or saved
        self.begin(arguments)
        self.result = category
        self.inputs = []
        self.load = self._no_load
        lines = self.block(2, 1)
        lines.append(f"    return {self.result_value()}")
        del self.load
        self.inputs = saved
        self.functions.append((name, category, parameters))
        return f"def {name}({', '.join(arguments)}):\n" + "\n".join(lines) + "\n"

    def _no_load(self, category):
        return self.name(category) or ("1.5" if category == FLOAT else "3")

    def read_array(self, category):
        return super().read_array(category) if self.inputs else ("", category, 1)

    def int_atom(self):
        if self.is_kernel:
            return super().int_atom()
        names = self.names(INT)
        return self.random.choice(names) if names and self.chance(0.7) else str(self.random.randint(-9, 9))

    def result_value(self):
        if self.result == "pair":
            return f"{self.typed_int(1)}, {self.typed_float(1)}"
        return self.typed_int(2) if self.result == INT else self.typed_float(2)

    # Statements. Each maker returns a list of lines; `indent` counts levels.

    def block(self, budget, indent):
        """Statements of about `budget` lines; the names they bind are in scope until the block ends."""
        lines = []
        for _ in range(budget):
            lines += self.statement(indent)
        return lines or ["    " * indent + "pass"]

    def inner_block(self, budget, indent, ends=True):
        """A block with its own scope; may end in break, continue or return."""
        saved = dict(self.scope)
        self.depth += 1
        lines = self.block(budget, indent)
        if ends and self.chance(0.25):
            lines += self.jump(indent)
        self.depth -= 1
        self.scope = saved
        return lines

    def jump(self, indent):
        kinds = ["break", "continue"] * 2 if self.loops else []
        if not self.no_return:
            kinds.append("return" if self.is_kernel else f"return {self.result_value()}")
        return ["    " * indent + self.random.choice(kinds)] if kinds else []

    no_return = False

    def statement(self, indent):
        nest = self.depth < 3 and self.chance(0.75)
        makers = [
            (self._assign_new, 4), (self._assign_old, 5), (self._augment, 5), (self._unpack, 2),
            (self._if, 6 if nest else 0), (self._while, 3 if nest and self.loops < 2 else 0),
            (self._for, 4 if nest and self.loops < 2 else 0),
            (self._store, 5 if self.outputs else 0), (self._atomic, 1 if self.outputs else 0),
            (self._walrus, 1), (self._call_pair, 1), (self._store_part, 2 if self.outputs else 0),
        ]  # fmt: skip
        return self.random.choices([m for m, _ in makers], [w for _, w in makers])[0](indent)

    def _line(self, indent, text):
        return ["    " * indent + text]

    def _assign_new(self, indent):
        category = self.pick(INT, INT, FLOAT, FLOAT, BOOL, UINT)
        value = self.value_of(category)
        name = self.fresh("v")
        self.scope[name] = category
        return self._line(indent, f"{name} = {value}")

    def value_of(self, category):
        """A value whose type stays the same wherever paths join, under the cuda-python rules."""
        if self.rules == "cuda-python" and category in (INT, FLOAT):
            target = self.pick("int32", "int64") if category == INT else "float64"
            return f"{target}({self.expression(category, self.pick(1, 2))})"
        if category == FLOAT and self.chance(0.2):
            return f"float64({self.float_(1)})"
        return self.expression(category, self.pick(1, 2))

    def _old(self, *categories):
        names = [n for c in categories for n in self.names(c) if n not in self.frozen]
        return self.random.choice(names) if names else None

    def _assign_old(self, indent):
        name = self._old(INT, FLOAT, BOOL, UINT)
        if name is None:
            return self._assign_new(indent)
        return self._line(indent, f"{name} = {self.value_of(self.scope[name])}")

    def _augment(self, indent):
        name = self._old(INT, FLOAT)
        if name is None:
            return self._assign_new(indent)
        if self.scope[name] == INT:
            op = self.pick("+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>")
            value = self.divisor(1) if op in ("//", "%") else self.int_(1)
            return self._line(indent, f"{name} {op}= {value}")
        op, value = self.pick(("+", self.float_(1)), ("-", self.float_(1)), ("*", "0.5"), ("/", "3.0"))
        return self._line(indent, f"{name} {op}= {value}")

    def _unpack(self, indent):
        names = [self._old(INT), self._old(INT), self._old(FLOAT)]
        if None in names or len(set(names)) < 3:
            return self._assign_new(indent)
        a, b, c = names
        form = self.pick(f"{a}, {b} = {b}, {a} + {b}", f"{a}, {c} = {b} - 1, abs({c})", f"{b}, {a} = {a}, {b}")
        if self.rules == "cuda-python":
            form = f"{a}, {b} = int64({b}), int64({a})"
        return self._line(indent, form)

    def _if(self, indent):
        lines = self._line(indent, f"if {self.bool_(self.pick(1, 2))}:") + self.inner_block(
            self.random.randint(1, 3), indent + 1
        )
        while self.chance(0.25):
            lines += self._line(indent, f"elif {self.bool_(1)}:")
            lines += self.inner_block(self.random.randint(1, 2), indent + 1)
        if self.chance(0.45):
            # The last arm falls through, so that what follows is reached.
            lines += self._line(indent, "else:") + self.inner_block(self.random.randint(1, 2), indent + 1, ends=False)
        return lines

    def trips(self):
        """A small count: uniform, per thread, or any expression."""
        return self.pick(str(self.random.randint(1, 4)), self.below(5), self.below(4), f"({self.int_atom()} & 3)")

    def _loop_body(self, indent, counter, index=None):
        self.loops += 1
        lines = self.inner_block(self.random.randint(1, 3), indent + 1, ends=False)
        if self.chance(0.5):
            late = f"{counter} {self.pick('>', '>=', '==')} {self.random.randint(1, 2)}"
            test = self.pick(self.bool_(1), late, f"{late} and {self.bool_(0)}")
            lines += self._line(indent + 1, f"if {test}:") + self.jump(indent + 2)
        self.loops -= 1
        self.scope.pop(index, None)
        if self.chance(0.25):
            lines += self._line(indent, "else:") + self.inner_block(self.random.randint(1, 2), indent + 1, ends=False)
        return lines

    def _while(self, indent):
        count = self.fresh("c")
        start, stop = self.pick(("0", self.trips()), ("-2", self.trips()), ("int64(0)", self.trips()), self._affine(3))
        lines = self._line(indent, f"{count} = {start}")
        self.scope[count] = INT
        self.frozen.add(count)
        more = f" and {self.bool_(1)}" if self.chance(0.3) else ""
        lines += self._line(indent, f"while {count} < {stop}{more}:")
        lines += self._line(indent + 1, f"{count} += 1")
        return lines + self._loop_body(indent, count)

    def _affine(self, length):
        """Start and stop of a loop around the thread's own number."""
        if not self.thread:
            return "0", str(length)
        return self.thread, f"{self.thread} + {self.random.randint(1, length)}"

    def _for(self, indent):
        index = self.fresh("k")
        lines = self._line(indent, f"for {index} in range({self._bounds()}):")
        self.scope[index] = INT
        self.frozen.add(index)
        return lines + self._loop_body(indent, index, index)

    def _bounds(self):
        start, stop = self.trips(), self.trips()
        if self.rules == "cuda-python":
            return f"int64({stop})" if self.chance(0.6) else f"int32({start}), int32({stop}), int32(1)"
        return self.pick(
            stop, f"int32({stop})", f"{start}, 5", f"{start}, {stop}", f"{stop}, -1 - {start}, -2",
            f"{stop}, -2, -(1 + {self.below(3)})", f"{start}, 7, 1 + {self.below(3)}", f"int32({start}), int32({stop})",
            f"{stop}, 0, -1", f"0, {stop}, 2", ", ".join(self._affine(4)), ", ".join(self._affine(4)),
        )  # fmt: skip

    def _store(self, indent):
        name, category = self.random.choice([(n, c) for n, c, _ in self.outputs])
        value = self.expression(self.pick(category, INT, category))
        if self.chance(0.3):
            op = self.pick("+", "-", "^", "&") if category == INT else self.pick("+", "-")
            value = self.int_(1) if category == INT else self.float_(1)
            slot = f"{self.base} + {self.random.randint(0, 5)}"
            return self._line(indent, f"{name}[{slot}] {op}= {value}")
        return self._line(indent, f"{name}[{self.own_place()}] = {value}")

    def _store_part(self, indent):
        """To a field of a record, or a complex number."""
        kind = self.pick(*(name for name in ("ro", "co") if name in self.extras), "io")
        if kind == "ro":
            field_, category = self.pick(("a", INT), ("x", INT), ("f", FLOAT), ("d", FLOAT), ("k", INT))
            op = self.pick("", "", "+" if category == FLOAT else self.pick("-", "^"))
            return self._line(indent, f"ro[{self.own_place()}].{field_} {op}= {self.expression(category, 1)}")
        if kind == "co":
            return self._line(indent, f"co[{self.own_place()}] {self.pick('', '+', '-')}= {self.complex_(2)}")
        return self._store(indent)

    def _atomic(self, indent):
        op, first, size = self.pick(*ATOMICS)
        where = self.pick(str(first), f"{first} + {self.below(size)}", f"{first + size - 1} - 32")
        return self._line(indent, f"cuda.atomic.{op}(ao, {where}, {self.int_(1)})")

    def _walrus(self, indent):
        name = self.fresh("w")
        lines = self._line(indent, f"if ({name} := int64({self.int_(1)})) > {self.int_atom()}:")
        self.scope[name] = INT
        return lines + self.inner_block(self.random.randint(1, 2), indent + 1)

    def _call_pair(self, indent):
        pairs = [f for f in self.functions if f[1] == "pair"]
        if not pairs:
            return self._assign_new(indent)
        name, _, parameters = self.random.choice(pairs)
        a, b = self.fresh("v"), self.fresh("v")
        text = f"{a}, {b} = {name}({', '.join(self.expression(c, 1) for c in parameters)})"
        self.scope |= {a: INT, b: FLOAT}
        return self._line(indent, text)

    # The kernel.

    def make(self):
        functions = [self.make_function(c) for c in self.random.sample((INT, FLOAT, "pair"), self.random.randint(1, 2))]
        functions.append("def touch(o, where, value):\n    o[where] = value\n    return value % 2 == 0\n")
        names = [n for n, _ in (*self.program.inputs, *self.program.outputs, *self.program.extras)]
        self.begin({"i": INT, "n": INT, "m": INT, "s": FLOAT, "lane": INT}, thread="i")
        self.frozen = {"i", "n", "m", "s", "lane"}
        self.outputs = [(n, FLOAT if d.startswith("float") else INT, None) for n, d in self.program.outputs]
        lines = self._prologue()
        lines += self.block(self.random.randint(2, 4), 1)
        lines += self._deep_nest()
        for name, category, _ in self.outputs[::2]:
            lines += self._line(1, f"{name}[{self.base} + 5] = {self.expression(category, 1)}")
        head = f"def kernel({', '.join([*names, 'ao', 'n', 'm', 's'])}):"
        constants = "".join(f"{name} = {text}\n" for text, name in self.constants.items())
        self.program.source = constants + "\n\n".join([*functions, "\n".join([head, *lines]) + "\n"])
        return self.program

    def _prologue(self):
        size = int(np.prod(self.program.block))
        flat = "(cuda.threadIdx.z * cuda.blockDim.y + cuda.threadIdx.y) * cuda.blockDim.x + cuda.threadIdx.x"
        lines = self._line(1, f"lane = {'cuda.threadIdx.x' if size == 33 else flat}")
        lines += self._line(1, "i = cuda.grid(1)" if size == 33 else f"i = lane + cuda.blockIdx.x * {size}")
        if self.chance(0.25):
            return lines + self._shared(size)
        if self.chance(0.7):
            last = self.pick("n", str(self.threads - 5), "n - 3")
            lines += self._line(1, f"if i >= {last}:") + self._line(2, "return")
        return lines

    def _shared(self, size):
        """Exchange through shared memory between two barriers, in a loop that all threads run equally often."""
        element = self.pick("int32", "int64", "float32")
        category = FLOAT if element == "float32" else INT
        if category == FLOAT and self.halves:
            element = "float16"
        got = self.fresh("v")
        lines = self._line(1, f"{got} = {'float64(0.0)' if category == FLOAT else 'int64(0)'}")
        lines += self._line(1, f"sm = cuda.shared.array({size}, {element})")
        lines += self._line(1, f"for turn in range({self.random.randint(1, 3)}):")
        self.no_return = True
        self.scope[got] = category
        lines += self._line(2, f"sm[lane] = {self.expression(category, 1)}")
        lines += self._line(2, "cuda.syncthreads()")
        where = self.pick(f"{size - 1} - lane", f"(lane + turn + 1) % {size}", f"{self.below(size)}")
        lines += self._line(2, f"{got} += sm[{where}]")
        lines += self.inner_block(2, 2, ends=False)
        lines += self._line(2, "cuda.syncthreads()")
        self.no_return = False
        return lines

    def _deep_nest(self):
        """A chain of at least three diverging constructs."""
        lines, indent = [], 1
        saved = dict(self.scope)
        for _ in range(3):
            kind = self.pick("if", "for", "while")
            diverging = self.pick(self.load(INT), "i", "lane") + f" % {self.random.randint(2, 5)}"
            if kind == "if":
                lines += self._line(indent, f"if {diverging} != {self.random.randint(0, 1)}:")
            elif kind == "for":
                index = self.fresh("k")
                lines += self._line(indent, f"for {index} in range({diverging}):")
                self.scope[index] = INT
                self.frozen.add(index)
            else:
                count = self.fresh("c")
                lines += self._line(indent, f"{count} = 0")
                lines += self._line(indent, f"while {count} < {diverging}:")
                lines += self._line(indent + 1, f"{count} += 1")
                self.scope[count] = INT
                self.frozen.add(count)
            self.loops += kind != "if"
            indent += 1
            self.depth += 1
            lines += self.statement(indent) + self._store(indent)
            if self.chance(0.5):
                lines += self._line(indent, f"if {self.bool_(1)}:") + (self.jump(indent + 1))
        self.depth, self.loops = 0, 0
        self.scope = saved
        return lines


def make(seed):
    return Generator(seed).make()
