# Random typed expressions as Python text, built so that every result is defined and exact.
"""Categories rather than types: INT (signed), UINT (always cast), FLOAT, BOOL; inference finds the types.

Floats are compared bit by bit although products may be contracted into fused multiply-adds: a product of two variables
is never an operand of a sum. It is compared, divided, or converted to an integer; factors in sums are powers of two,
which are exact, but for halves, which over- and underflow soon. Of the functions in _SIGNS only the sign is used, which
no error within their bounds changes.
"""

from programs.grammar.control import Control
from programs.grammar.number_arrays import COLUMNS, READ, ROWS
from programs.grammar.scope import BOOL, FLOAT, INT, UINT

_EDGES = (0, 1, -1, 2, 7, -3, 31, 32, 63, 64, 127, -128, 255, 65535, 2**31 - 1, -(2**31), 2**63 - 1)
_FLOATS = ("0.5", "-1.25", "3.0", "0.1", "-7.75", "1e10", "0.0")
_SIGNS = (
    "math.sin", "math.cos", "math.tan", "math.log", "math.log2", "math.atan", "math.sinh", "math.tanh", "math.erf",
    "math.expm1", "cuda.cbrt",
)  # fmt: skip
_POWERS = ("0.5", "2.0", "0.25", "4.0", "-2.0", "-0.5")


def fits(text):
    """False for literals alone whose value is beyond int64."""
    if any(letter.isalpha() for letter in text):
        return True
    try:
        return -(2**63) <= eval(text) < 2**63
    except (ValueError, ZeroDivisionError):
        return True


class TypedValues(Control):
    """Of the frame's names, of literals, calls, and elements of arrays that are read or the thread's own."""

    def expression(self, category, depth=2):
        return {INT: self.int_, UINT: self.uint, FLOAT: self.float_, BOOL: self.bool_}[category](depth)

    def names(self, category):
        return [*self.frame.of(category), *(self.frame.uniform if category == INT else [])]

    def name(self, category):
        names = self.names(category)
        return self.random.choice(names) if names else None

    # Integers.

    def int_atom(self):
        kind = self.random.random()
        name = self.name(INT)
        if not self.is_kernel:
            return name if name and kind < 0.7 else str(self.number(-9, 9))
        if name and kind < 0.55:
            return name
        if kind < 0.7:
            return self.literal(self.pick(*_EDGES) if self.chance(0.3) else self.number(-9, 9))
        if kind < 0.85:
            return self.load(INT)
        if kind < 0.93:
            return self.pick("cuda.threadIdx.x", "cuda.blockIdx.x", "cuda.blockDim.x", "cuda.gridDim.x", self.thread)
        return self.pick("n", "m", f"{self.read_array(INT)[0]}.shape[0]", f"{self.read_array(FLOAT)[0]}.size")

    def int_(self, depth):
        if depth <= 0 or self.chance(0.2):
            return self.int_atom()
        makers = (
            (self._int_sum, 8), (self._int_division, 4), (self._int_shift, 2), (self._int_unary, 2),
            (self._int_cast, 3), (self._int_choice, 3), (self._int_min_max, 2), (self._int_call, 2),
            (self._int_narrow, 2), (self._int_bits, 1),
        )  # fmt: skip
        return self.weighted(makers)(depth - 1)

    def operation(self, left, op, right):
        """Literals alone are computed exactly, and an error beyond 64 bits: such an operand is made an int64."""
        text = f"({left} {op} {right})"
        return text if fits(text) else f"(int64({left}) {op} {right})"

    def _int_sum(self, depth):
        op = self.pick("+", "-", "*", "+", "-", "&", "|", "^")
        return self.operation(self.int_(depth), op, self.int_(depth))

    def divisor(self, depth):
        """Never 0."""
        return self.pick(
            lambda: str(self.pick(1, 2, 3, 7, 8, 10, -1, -2, -5, 1000)),
            lambda: f"(abs({self.int_(depth)}) % {self.number(2, 9)} + 1)",
            lambda: f"({self.int_(depth)} | 1)",
        )()

    def _int_division(self, depth):
        op = self.pick("//", "%")
        if self.chance(0.3) and self.name(INT):
            by = self.name(INT)
            return f"({self.int_(depth)} {op} {by} if {by} != 0 else {self.typed_int(depth)})"
        return f"({self.int_(depth)} {op} {self.divisor(depth)})"

    def _int_shift(self, depth):
        edge = self.pick("31", "32", "33", "63")
        count = self.pick(str(self.number(0, 9)), f"({self.int_(depth)} & 15)", self.int_atom(), edge)
        return self.operation(self.int_(depth), self.pick("<<", ">>"), count)

    def _int_unary(self, depth):
        inner = self.int_(depth)
        power = self.operation(inner, "**", self.number(2, 3))
        negative = f"(-{inner})" if fits(f"-{inner}") else f"(-int64({inner}))"
        return self.pick(negative, f"(~{inner})", f"abs({inner})", power)

    def _int_cast(self, depth):
        target = self.pick("int8", "int16", "int32", "int64")
        source = self.pick(
            lambda: self.int_(depth), lambda: self.float_(depth), lambda: self.uint(depth), lambda: self.bool_(depth),
            lambda: f"({self.float_atom()} * {self.float_atom()})",
        )  # fmt: skip
        return f"{target}({source()})"

    def _int_narrow(self, depth):
        """Of two operands of one narrow type."""
        target, op = self.pick("int8", "int16", "int32"), self.pick("+", "-", "*", "&", "|", "^", "<<", ">>", "//", "%")
        right = self.divisor(0) if op in ("//", "%") else self.int_(depth)
        return f"({target}({self.int_(depth)}) {op} {target}({right} | 1))"

    def _int_bits(self, depth):
        operand = f"{self.pick('int32', 'int64', 'uint32', 'uint64')}({self.int_(depth)})"
        if self.chance(0.5):
            return self._library_function(operand)
        return f"int64(cuda.{self.pick('popc', 'clz', 'ffs', 'brev')}({operand}))"

    def _library_function(self, operand):
        """Of integers, and written in CUDA Python."""
        forms = (
            "math.gcd(int64({}), {})", "math.isqrt(int64({}))", "int64({}).bit_length()", "int64({}).bit_count()",
        )  # fmt: skip
        by = f"int64({self.random.choice([0, 12, -18, 2**40, -(2**63)])})"
        return self.random.choice(forms).format(operand, by)

    def typed_int(self, depth):
        """Of a type that does not depend on literals: conditional expressions join types."""
        return f"int64({self.int_(depth)})" if self.rules == "cuda-python" else self.int_(depth)

    def _int_choice(self, depth):
        return f"({self.typed_int(depth)} if {self.bool_(depth)} else {self.typed_int(depth)})"

    def _int_min_max(self, depth):
        return f"{self.pick('min', 'max')}({self.int_(depth)}, {self.int_(depth)})"

    def _int_call(self, depth):
        return self.call(INT, depth) or (f"int64(math.floor({self.float_(depth)}))")

    def below(self, limit, depth=1):
        """An integer in [0, limit)."""
        return f"({self.int_(depth)} % {limit})"

    # Unsigned integers: every one is a cast, so that signed and unsigned 64-bit values never join.

    def uint(self, depth):
        name = self.name(UINT)
        if name and self.chance(0.4):
            return name
        target = self.pick("uint8", "uint16", "uint32", "uint64", "uint32", "uint64")
        if depth <= 0 or self.chance(0.4):
            return f"{target}({self.int_atom()})"
        op = self.pick("+", "-", "*", "&", "|", "^", "<<", ">>")
        left, right = self.uint(depth - 1), self.uint(depth - 1)
        if self.chance(0.25):
            return f"{target}({left} {self.pick('//', '%')} ({right} | {target}(1)))"
        return f"{target}({left} {op} {right})"

    # Floats.

    def float_atom(self):
        name = self.name(FLOAT)
        if name and self.chance(0.6):
            return name
        return self.literal(self.pick(*_FLOATS)) if self.chance(0.3) else self.load(FLOAT)

    def typed_float(self, depth):
        return f"float64({self.float_(depth)})" if self.rules == "cuda-python" else self.float_(depth)

    def float_(self, depth):
        if depth <= 0 or self.chance(0.2):
            return self.float_atom()
        makers = (
            (self._float_sum, 6), (self._float_scaled, 3), (self._float_divided, 2), (self._float_remainder, 1),
            (self._float_cast, 3), (self._float_choice, 2), (self._float_unary, 3), (self._float_min_max, 2),
            (self._float_call, 2), (self._float_two, 1), (self._float_part, 1),
        )  # fmt: skip
        return self.weighted(makers)(depth - 1)

    def _float_sum(self, depth):
        return f"({self.float_(depth)} {self.pick('+', '-')} {self.float_(depth)})"

    def _float_scaled(self, depth):
        factor = self.float_(depth)
        if self.rules == "cuda-python" and self.halves:
            factor = f"float32({factor})"
        return f"({factor} * {self.pick(*_POWERS)})"

    def _float_divided(self, depth):
        top = self.pick(self.float_(depth), f"({self.float_atom()} * {self.float_atom()})")
        return f"({top} / {self.pick(self.float_(depth), '3.0', '-0.7')})"

    def _float_remainder(self, depth):
        return f"(min(max({self.float_(depth)}, -1e6), 1e6) % {self.pick('2.5', '-0.75', '3.0')})"

    def _float_cast(self, depth):
        if self.chance(0.2):
            return self._rounded_by_name()
        target = self.pick("float32", "float64")
        if self.halves and self.chance(0.5):
            target = "float16"
        source = self.pick(lambda: self.int_(depth), lambda: self.float_(depth), lambda: self.uint(depth))
        return f"{target}({source()})"

    def _rounded_by_name(self):
        """The rounding of a product that float32 could fuse with what follows."""
        left, right, last = (f"float32({self.float_atom()})" for _ in range(3))
        wide = self.pick(
            f"float64({left}) * float64({right})", f"({left} if {self.bool_(0)} else 0.5) * float64({right})"
        )
        return f"(float32({wide}) {self.pick('+', '-')} {last})"

    def _float_choice(self, depth):
        return f"({self.typed_float(depth)} if {self.bool_(depth)} else {self.typed_float(depth)})"

    def _float_unary(self, depth):
        inner = self.float_(depth)
        return self.pick(
            f"(-{inner})", f"abs({inner})", f"math.sqrt(abs({inner}))", f"math.fabs({inner})",
            f"float64(math.trunc({inner}))", f"float64(math.ceil({inner}))",
        )  # fmt: skip

    def _float_two(self, depth):
        ty = self.pick("float32", "float64")
        left, right = f"{ty}({self.float_(depth)})", f"{ty}({self.float_(depth)})"
        return f"math.{self.pick('copysign', 'fmod')}({left}, {right})"

    def _float_part(self, depth):
        return f"{self.complex_(depth)}.{self.pick('real', 'imag')}"

    # Complex numbers: sums, whose parts are exact.

    def complex_(self, depth):
        if depth <= 0 or self.chance(0.3):
            return self._complex_atom()
        return f"({self.complex_(depth - 1)} {self.pick('+', '-')} {self.complex_(depth - 1)})"

    def _complex_atom(self):
        if self.is_kernel and self.chance(0.6):
            loads = {"ca": f"ca[{self.below(READ, 0)}]", "co": f"co[{self.own_place()}]"}
            loads = [text for name, text in loads.items() if name in self.extras]
            if loads:
                return self.pick(*loads)
        return f"{self.pick('complex64', 'complex128')}({self.pick(self.float_atom(), self.int_atom())})"

    def _float_min_max(self, depth):
        return f"{self.pick('min', 'max')}({self.float_(depth)}, {self.float_(depth)})"

    def _float_call(self, depth):
        return self.call(FLOAT, depth) or self.float_(depth)

    # Booleans.

    def condition(self, place, depth=1, uniform=False):
        return self.bool_(depth)

    def bool_(self, depth):
        name = self.name(BOOL)
        if name and self.chance(0.15):
            return name
        if depth <= 0:
            return self._comparison(0)
        makers = (
            (self._comparison, 6), (self._chain, 2), (self._both, 4), (self._negation, 1), (self._effect, 1),
            (self._sign, 1), (self._complex_equal, 0.5),
        )  # fmt: skip
        return self.weighted(makers)(depth - 1)

    def _comparison(self, depth):
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        kind = self.random.random()
        if kind < 0.15 and self.thread:
            return f"({self.thread} {op} {self.number(0, self.threads)})"
        if kind < 0.55:
            return f"({self.int_(depth)} {op} {self.int_(depth)})"
        if kind < 0.7:
            return f"({self.uint(depth)} {op} {self.int_(depth)})"
        if kind < 0.75:
            return f"(({self.float_atom()} * {self.float_atom()}) {op} {self.float_atom()})"
        if kind < 0.8:
            return f"(not math.isnan({self.float_(depth)}))"
        return f"({self.float_(depth)} {op} {self.float_(depth)})"

    def _chain(self, depth):
        ops = self.pick(("<", "<="), ("<=", "<"), (">", ">="), ("!=", "<"))
        parts = [self.int_(depth), self.int_(depth), self.int_(depth)]
        return f"({parts[0]} {ops[0]} {parts[1]} {ops[1]} {parts[2]})"

    def _both(self, depth):
        word = self.pick("and", "or")
        more = f" {word} {self.bool_(depth)}" if self.chance(0.2) else ""
        return f"({self.bool_(depth)} {word} {self.bool_(depth)}{more})"

    def _negation(self, depth):
        return f"(not {self.bool_(depth)})"

    def _sign(self, depth):
        operand = self.float_(depth)
        name = self.pick(*_SIGNS)
        operand = f"abs({operand})" if "log" in name else operand
        return f"({name}({operand}) < 0.0)"

    def _complex_equal(self, depth):
        return f"({self.complex_(depth)} {self.pick('==', '!=')} {self.complex_(depth)})"

    def _effect(self, depth):
        """A short circuit whose right side has an effect."""
        touch = self.touch(depth)
        return f"({self.bool_(depth)} {self.pick('and', 'or')} {touch})" if touch else self.bool_(depth)

    # Memory.

    def read_array(self, category):
        return self.random.choice([a for a in self.inputs if a[1] == category])

    def load(self, category):
        if not self.is_kernel:
            return self.name(category) or ("1.5" if category == FLOAT else "3")
        if self.outputs and self.chance(0.25):
            mine = [a for a in self.outputs if a[1] == category]
            if mine:
                return f"{self.random.choice(mine)[0]}[{self.own_place()}]"
        if self.chance(0.25) and (text := self._load_part(category)):
            return text
        array, _, extent = self.read_array(category)
        kind = self.random.random()
        if kind < 0.25 and self.thread:
            return f"{array}[{self.thread} + {self.number(0, 3)}]"
        if kind < 0.4:
            return f"{array}[{self.number(-extent, extent - 1)}]"
        if kind < 0.55:
            return f"{array}[-1 - {self.below(extent)}]"
        return f"{array}[{self.below(extent)}]"

    def _load_part(self, category):
        """Of the array with two axes, or a field of a record; None if the program has none."""
        choices = []
        if "ma" in self.extras and category == INT:
            row = self.pick(self.below(ROWS), f"-1 - {self.below(ROWS)}", str(self.number(-ROWS, ROWS - 1)))
            choices.append(f"ma[{row}, {self.below(COLUMNS)}]")
        field = self.pick("a", "x", "k") if category == INT else self.pick("f", "d")
        if "ra" in self.extras:
            choices.append(f"ra[{self.below(READ)}].{field}")
        if "ro" in self.extras:
            choices.append(f"ro[{self.own_place()}].{field}")
        return self.pick(*choices) if choices and category != BOOL else None

    def own_place(self):
        """An index among the elements of an output that this thread owns, even if outputs overlap."""
        kind = self.random.random()
        slot = str(self.number(0, 5)) if kind < 0.6 else self.below(6)
        if kind > 0.85:
            return f"{self.base} + {slot} - {8 * self.threads}"
        return f"{self.base} + {slot}"
