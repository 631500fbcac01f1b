# Random kernels over numbers of all types: each statement under diverging control flow, each result defined.
"""`make(seed)` gives a `Program`; equal seeds give equal programs."""

from dataclasses import dataclass, field

import numpy as np

from programs.grammar.number_arrays import KINDS, READ
from programs.grammar.scope import BOOL, FLOAT, INT, UINT, Frame, Place, indented
from programs.grammar.typed_values import TypedValues

BLOCKS = ((32, 8, 1), (33, 1, 1), (16, 16, 1), (5, 7, 3))
GRIDS = {(33, 1, 1): (3, 1, 1), (5, 7, 3): (2, 1, 1)}

ATOMICS = (
    ("add", 0, 16), ("add", 0, 16), ("max", 16, 4), ("min", 20, 3), ("and_", 23, 3), ("or_", 26, 3), ("xor", 29, 3),
)  # fmt: skip
"""(operation, its first element, how many): each element has one operation, since only equal ones commute."""
PAIR = "pair"  # of an integer and a float: the result of a function
TOUCH = "def touch(o, where, value):\n    o[where] = value\n    return value % 2 == 0\n"


@dataclass
class Program:
    """The source of functions and `kernel`, how to launch it, and its arguments."""

    seed: int
    rules: str
    block: tuple
    grid: tuple
    inputs: list  # (name, dtype)
    outputs: list
    extras: list  # (name, kind), of number_arrays.EXTRAS
    source: str = field(default="", repr=False)
    used: dict = field(default_factory=dict)

    @property
    def threads(self):
        return int(np.prod(self.block) * np.prod(self.grid))


class Numbers(TypedValues):
    categories = (INT, INT, FLOAT, FLOAT, BOOL, UINT)
    else_leaves = 0.0  # what follows the loop would not be reached

    def __init__(self, seed):
        super().__init__(seed)
        self.halves = self.chance(0.4)
        self.constants, self.functions = {}, []
        self.rules = "cuda-python" if self.chance(0.25) else "numba"
        block = BLOCKS[seed % 4]
        self.program = Program(seed, self.rules, block, GRIDS.get(block, (1, 1, 1)), *self.arrays())
        self.threads = self.program.threads
        self.extras = [name for name, _ in self.program.extras]

    def arrays(self):
        """Those that are read, those that are written, and others, with their types."""
        inputs = [
            ("ia", self.pick("int64", "int32")), ("na", self.pick("int8", "int16", "int32", "uint8", "uint16", "bool")),
            ("fa", "float32"), ("da", self.pick("float64", "float32")),
        ]  # fmt: skip
        narrow = self.pick("int8", "uint8", "int16", "uint16", "uint32", "int32")
        outputs = [("io", "int64"), ("jo", "int64"), ("no", narrow), ("fo", self.pick("float32", "float64"))]
        for arrays, place in ((inputs, 2), (inputs, 3), (outputs, 3)):
            if self.halves and self.chance(0.5):
                arrays[place] = (arrays[place][0], "float16")
        return inputs, outputs, [(name, self.pick(*kinds)) for name, kinds in KINDS.items() if self.chance(0.4)]

    def begin(self, frame, thread=None):
        """A new function; `thread`: the variable with the number of a kernel's thread."""
        self.frame, self.fixed, self.budget = frame, {*frame.uniform}, 8
        self.thread, self.base = thread, f"{thread} * 8"
        self.is_kernel = thread is not None
        arrays = (self.program.inputs, self.program.outputs) if self.is_kernel else ((), ())
        self.inputs, self.outputs = ([(n, category_of(dtype), READ) for n, dtype in each] for each in arrays)

    def literal(self, value):
        """A number, or the name of a global variable with that number, of Python or of NumPy."""
        text = str(value)
        if self.chance(0.8):
            return text
        if self.chance(0.3):
            dtypes = ["float32", "float64"]
            if not isinstance(value, str):
                dtypes = [f"int{bits}" for bits in (8, 16, 32, 64) if -(2 ** (bits - 1)) <= value < 2 ** (bits - 1)]
            text = f"np.{self.random.choice(dtypes)}({value})"
        return self.constants.setdefault(text, f"K{len(self.constants)}")

    # Device functions.

    def call(self, category, depth):
        callable_ = [f for f in self.functions if f[1] == category]
        if not callable_ or not self.chance(0.5):
            return None
        name, _, parameters = self.random.choice(callable_)
        return f"{name}({', '.join(self.expression(c, min(depth, 1)) for c in parameters)})"

    def touch(self, depth):
        return f"touch(io, {self.own_place()}, {self.int_(min(depth, 1))})" if self.outputs else None

    def make_function(self, result):
        """Returns in branches and loops, and at its end."""
        name, frame = self.fresh("g"), Frame()
        parameters = [self.pick(INT, FLOAT, INT) for _ in range(self.number(1, 3))]
        arguments = [self.fresh("p") for _ in parameters]
        for category, argument in zip(parameters, arguments, strict=True):
            frame.of(category).append(argument)
        self.begin(frame)
        self.result = result
        lines = self.block(2, Place(in_function=True))
        self.functions.append((name, result, parameters))
        lines += self.leaving(Place(in_function=True))
        return "\n".join([f"def {name}({', '.join(arguments)}):", *indented(lines)]) + "\n"

    def leaving(self, place):
        if not place.in_function:
            return ["return"]
        if self.result == PAIR:
            return [f"return {self.typed_int(1)}, {self.typed_float(1)}"]
        return [f"return {self.typed_int(2) if self.result == INT else self.typed_float(2)}"]

    # Statements.

    def makers(self, place):
        nest = place.depth < 3 and self.budget > 0
        loop = nest and place.loops < 2
        return [
            (self._assign, 4), (self._update, 9), (self._unpack, 2), (self._if, 6 * nest), (self._while, 3 * loop),
            (self._for, 4 * loop), (self._store, 5 * bool(self.outputs)), (self._atomic, 3 * bool(self.outputs)),
            (self._walrus, 1), (self._call_pair, 1), (self._store_part, 2 * bool(self.outputs)),
        ]  # fmt: skip

    def stored(self, category, place, depth=None):
        """A value whose type stays the same wherever paths join, under the cuda-python rules."""
        depth = depth or self.pick(1, 2)
        if self.rules == "cuda-python" and category in (INT, FLOAT):
            target = self.pick("int32", "int64") if category == INT else "float64"
            return f"{target}({self.expression(category, depth)})"
        if category == FLOAT and self.chance(0.2):
            return f"float64({self.float_(1)})"
        return self.expression(category, depth)

    def moved(self, category, name):
        return f"int64({name})" if self.rules == "cuda-python" and category == INT else name

    def augmented(self, category, name, place):
        if category == INT:
            op = self.pick("+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>")
            return [f"{name} {op}= {self.divisor(1) if op in ('//', '%') else self.int_(1)}"]
        op, value = self.pick(("+", self.float_(1)), ("-", self.float_(1)), ("*", "0.5"), ("/", "3.0"))
        return [f"{name} {op}= {value}"]

    def trips(self):
        """A small count: uniform, per thread, or any expression."""
        return self.pick(str(self.number(1, 4)), self.below(5), self.below(4), f"({self.int_atom()} & 3)")

    def counted(self, place, uniform):
        """The start and the end of a counter."""
        return self.pick(("0", self.trips()), ("-2", self.trips()), ("int64(0)", self.trips()), self._affine(3))

    def _affine(self, length):
        """Start and stop of a loop around the thread's own number."""
        if not self.thread:
            return "0", str(length)
        return self.thread, f"{self.thread} + {self.number(1, length)}"

    def series(self, place, uniform):
        start, stop = self.trips(), self.trips()
        if self.rules == "cuda-python":
            bounds = f"int64({stop})" if self.chance(0.6) else f"int32({start}), int32({stop}), int32(1)"
            return f"range({bounds})"
        bounds = self.pick(
            stop, f"int32({stop})", f"{start}, 5", f"{start}, {stop}", f"{stop}, -1 - {start}, -2",
            f"{stop}, -2, -(1 + {self.below(3)})", f"{start}, 7, 1 + {self.below(3)}", f"int32({start}), int32({stop})",
            f"{stop}, 0, -1", f"0, {stop}, 2", ", ".join(self._affine(4)), ", ".join(self._affine(4)),
        )  # fmt: skip
        return f"range({bounds})"

    def _store(self, place):
        name, category, _ = self.random.choice(self.outputs)
        if self.chance(0.3):
            op = self.pick("+", "-", "^", "&") if category == INT else self.pick("+", "-")
            slot = f"{self.base} + {self.number(0, 5)}"
            return [f"{name}[{slot}] {op}= {self.expression(category, 1)}"]
        return [f"{name}[{self.own_place()}] = {self.expression(self.pick(category, INT, category))}"]

    def _store_part(self, place):
        """To a field of a record, or a complex number."""
        kind = self.pick(*(name for name in ("ro", "co") if name in self.extras), "io")
        if kind == "ro":
            field_, category = self.pick(("a", INT), ("x", INT), ("f", FLOAT), ("d", FLOAT), ("k", INT))
            op = self.pick("", "", "+" if category == FLOAT else self.pick("-", "^"))
            return [f"ro[{self.own_place()}].{field_} {op}= {self.expression(category, 1)}"]
        if kind == "co":
            return [f"co[{self.own_place()}] {self.pick('', '+', '-')}= {self.complex_(2)}"]
        return self._store(place)

    def _atomic(self, place):
        op, first, size = self.pick(*ATOMICS)
        where = self.pick(str(first), f"{first} + {self.below(size)}", f"{first + size - 1} - 32")
        return [f"cuda.atomic.{op}(ao, {where}, {self.int_(1)})"]

    def _walrus(self, place):
        name = self.fresh("w")
        head = f"if ({name} := int64({self.int_(1)})) > {self.int_atom()}:"
        self.frame.varying.append(name)
        return [head, *indented(self.arm(self.number(1, 2), self.inside(place, False)))]

    def _call_pair(self, place):
        pairs = [f for f in self.functions if f[1] == PAIR]
        if not pairs:
            return self._assign(place)
        name, _, parameters = self.random.choice(pairs)
        a, b = self.fresh("v"), self.fresh("v")
        text = f"{a}, {b} = {name}({', '.join(self.expression(c, 1) for c in parameters)})"
        self.frame.varying.append(a)
        self.frame.floats.append(b)
        return [text]

    # The kernel.

    def make(self):
        functions = [self.make_function(c) for c in self.random.sample((INT, FLOAT, PAIR), self.number(1, 2))]
        names = [n for n, _ in (*self.program.inputs, *self.program.outputs, *self.program.extras)]
        self.begin(Frame(uniform=["i", "n", "m", "lane"], floats=["s"]), thread="i")
        self.fixed.add("s")
        lines = self._prologue()
        lines += self.block(self.number(2, 4), Place())
        self.budget = 8
        lines += self._deep_nest(Place())
        for name, category, _ in self.outputs[::2]:
            lines.append(f"{name}[{self.base} + 5] = {self.expression(category, 1)}")
        kernel = "\n".join([f"def kernel({', '.join([*names, 'ao', 'n', 'm', 's'])}):", *indented(lines)]) + "\n"
        constants = "".join(f"{name} = {text}\n" for text, name in self.constants.items())
        self.program.source = constants + "\n\n".join([*functions, TOUCH, kernel])
        return self.program

    def _prologue(self):
        size = int(np.prod(self.program.block))
        flat = "(cuda.threadIdx.z * cuda.blockDim.y + cuda.threadIdx.y) * cuda.blockDim.x + cuda.threadIdx.x"
        lines = [f"lane = {'cuda.threadIdx.x' if size == 33 else flat}"]
        lines.append("i = cuda.grid(1)" if size == 33 else f"i = lane + cuda.blockIdx.x * {size}")
        if self.chance(0.25):
            return lines + self._shared(size)
        if self.chance(0.7):
            last = self.pick("n", str(self.threads - 5), "n - 3")
            lines += [f"if i >= {last}:", "    return"]
        return lines

    def _shared(self, size):
        """Exchange through shared memory between two barriers, in a loop that all threads run equally often."""
        element = self.pick("int32", "int64", "float32")
        category = FLOAT if element == "float32" else INT
        if category == FLOAT and self.halves:
            element = "float16"
        got = self.fresh("v")
        self.frame.of(category).append(got)
        where = self.pick(f"{size - 1} - lane", f"(lane + turn + 1) % {size}", f"{self.below(size)}")
        body = [f"sm[lane] = {self.expression(category, 1)}", "cuda.syncthreads()", f"{got} += sm[{where}]"]
        body += self.scoped(2, Place(depth=1, returns=False))
        return [
            f"{got} = {'float64(0.0)' if category == FLOAT else 'int64(0)'}",
            f"sm = cuda.shared.array({size}, {element})",
            f"for turn in range({self.number(1, 3)}):",
            *indented([*body, "cuda.syncthreads()"]),
        ]  # fmt: skip

    def _deep_nest(self, place):
        """A chain of three diverging constructs."""
        if place.depth == 3:
            return []
        kind = self.pick("if", "for", "while")
        diverging = f"{self.pick(self.load(INT), 'i', 'lane')} % {self.number(2, 5)}"
        inside, name = place.inside(), self.fresh("k")
        head = [f"if {diverging} != {self.number(0, 1)}:"]
        if kind != "if":
            inside.loops, inside.leaves = place.loops + 1, "break continue"
            self.frame.varying.append(name)
            self.fixed.add(name)
            head = [f"for {name} in range({diverging}):"]
        if kind == "while":
            head = [f"{name} = 0", f"while {name} < {diverging}:", f"    {name} += 1"]
        saved, self.frame = self.frame, self.frame.copy()
        body = [*self.statement(inside), *self._store(inside)]
        if self.chance(0.5):
            body += [f"if {self.bool_(1)}:", *indented(self.jump(inside))]
        body += self._deep_nest(inside)
        self.frame = saved
        if kind != "if":
            self.frame.varying.remove(name)
        return [*head, *indented(body)]


def category_of(dtype):
    return BOOL if dtype == "bool" else FLOAT if dtype.startswith("float") else INT


def make(seed):
    return Numbers(seed).make()
