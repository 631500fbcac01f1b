# Operators over pairs of types at their edges, both rules, scalars, arrays and literals, against the oracle.
"""Every pair of two of (rules, left type, right type, form) occurs; `--full` runs all combinations.

One kernel has all operators of a pair, since compile time dominates. Result types are those of a device function that
returns all results.
"""

import itertools
import re

import numpy as np
import pytest
import sources
from oracle import edges
from oracle import number_rules as nr
from oracle import number_types as nt
from oracle import operations as ops
from treadle import cuda

FORMS = ("array array", "array scalar", "scalar array", "scalar scalar", "array literal", "literal array")
FUNCTIONS = ("min", "max")


def selected(left, full):
    """(rules, right type, form) to test with a left type."""
    i = nt.ALL.index(left)
    if full:
        return list(itertools.product(nr.RULES, nt.ALL, FORMS))
    return [(nr.RULES[(i + j) % 2], right, FORMS[(i + 2 * j + j // 3) % 6]) for j, right in enumerate(nt.ALL)]


class Case:
    """One statement: an operator on two operands, with its typing."""

    def __init__(self, rules, op, left, right):
        self.op = op
        if op in FUNCTIONS:
            self.typing = nr.min_max(rules, left, right)
        elif op in nr.COMPARISONS:
            self.typing = nr.compare(rules, op, left, right)
        else:
            self.typing = nr.binary(rules, op, left, right)
        self.left, self.right = left, right

    def text(self, a, b):
        return f"{self.op}({a}, {b})" if self.op in FUNCTIONS else f"{a} {self.op} {b}"

    def expected(self, a, b):
        a = nt.convert(a, self.left.type, self.typing.left)
        b = nt.convert(b, self.right.type, self.typing.right)
        if self.op in FUNCTIONS:
            return ops.min_max(self.op, a, b)
        if self.op in nr.COMPARISONS:
            return ops.compare(self.op, a, b)
        return ops.binary(self.op, self.typing, a, b)

    def is_right(self, found, a, b):
        expected = self.expected(a, b)
        if self.op in FUNCTIONS:
            return edges.is_right(found, expected, self.typing.result, zeros_differ=False)
        operands = nt.convert(a, self.left.type, self.typing.left), nt.convert(b, self.right.type, self.typing.right)
        return edges.binary_is_right(self.op, self.typing, operands, found, expected)


def cases_of(rules, left, right):
    """The operators that are defined for two operands; division by a literal 0 would be an error."""
    cases = [Case(rules, op, left, right) for op in (*nr.BINARY, *nr.COMPARISONS, *FUNCTIONS)]
    return [c for c in cases if c.typing]


def operand_pairs(rules, left, right, form):
    """[(left operand, right operand, text of left, text of right)]: one, or one per literal."""
    kinds = form.split()
    texts = ["l[i]" if kinds[0] == "array" else "l", "r[i]" if kinds[1] == "array" else "r"]
    if "literal" not in kinds:
        return [(nr.typed(left), nr.typed(right), *texts)]
    typed = left if kinds[0] == "array" else right
    pairs = []
    for value in edges.literals(typed):
        number = nr.literal(value)
        if kinds[0] == "literal":
            pairs.append((number, nr.typed(right), f"({value!r})", texts[1]))
        else:
            pairs.append((nr.typed(left), number, texts[0], f"({value!r})"))
    return pairs


class Matrix:
    """All statements of one kernel for (rules, left, right, form)."""

    def __init__(self, rules, left, right, form, folder):
        self.rules, self.left, self.right, self.form = rules, left, right, form
        self.statements = []
        pairs = operand_pairs(rules, left, right, form)
        if "literal" in form:
            first = (nt.ALL.index(left) + nt.ALL.index(right)) % len(pairs)
            pairs = [pairs[first], pairs[(first + 5) % len(pairs)]]
        for a, b, a_text, b_text in pairs:
            self.statements += [(case, case.text(a_text, b_text)) for case in cases_of(rules, a, b)]
        self.name = f"{left}, {right} ({form}, {rules})"
        self.text = self.source()
        self.module = sources.load(self.text, folder)

    def source(self):
        outputs = [f"o{k}" for k in range(len(self.statements))]
        lines = [f"@cuda.jit(rules={self.rules!r})", f"def kernel(n, l, r, {', '.join(outputs)}):"]
        lines += ["    i = cuda.grid(1)", "    if i < n:"]
        lines += [f"        o{k}[i] = {text}" for k, (_, text) in enumerate(self.statements)]
        lines += ["", f"@cuda.jit(device=True, rules={self.rules!r})", "def results(i, l, r):"]
        lines += [f"    return {', '.join(text for _, text in self.statements)},"]
        return "\n".join(lines) + "\n"

    def values(self):
        """Edges of both sides, crossed where both are arrays."""
        left, right = edges.values(self.left), edges.values(self.right)
        if self.form == "array array":
            return zip(*itertools.product(left, right), strict=True)
        return left, right

    def launches(self):
        """(left, right) of each launch: arrays and scalars according to the form, and the operands per thread."""
        left, right = self.values()
        kinds = self.form.split()
        lefts = np.array(left, nt.dtype(self.left)), np.array(right, nt.dtype(self.right))
        if "scalar" not in kinds:
            return [lefts]
        if kinds == ["scalar", "scalar"]:
            return list(itertools.product(lefts[0][::2], lefts[1][::2]))
        if kinds[0] == "scalar":
            return [(value, lefts[1]) for value in lefts[0]]
        return [(lefts[0], value) for value in lefts[1]]

    def run(self):
        """Lines that describe wrong results."""
        wrong = []
        for left, right in self.launches():
            if "literal" in self.form:
                count = left.size if self.form.startswith("array") else right.size
            else:
                count = max(np.size(left), np.size(right))
            outputs = [np.zeros(count, nt.dtype(case.typing.result)) for case, _ in self.statements]
            self.module.kernel[(count + 31) // 32, 32](count, left, right, *outputs)
            for (case, text), output in zip(self.statements, outputs, strict=True):
                wrong += self.check(case, text, output, left, right)
        return wrong

    def check(self, case, text, output, left, right):
        wrong = []
        for k, found in enumerate(output.tolist()):
            a = case.left.literal if case.left.is_literal else np.asarray(left).ravel()[k % np.size(left)].item()
            b = case.right.literal if case.right.is_literal else np.asarray(right).ravel()[k % np.size(right)].item()
            if not case.is_right(found, a, b):
                wrong.append(f"{self.name}: {text} of {a!r}, {b!r} gave {found!r}, expected {case.expected(a, b)!r}")
        return wrong[:3]

    def signature(self, kernel):
        kinds = self.form.split()
        sides = [
            f"{ty}{'' if kind == 'scalar' else '[::1]'}"
            for ty, kind in zip((self.left, self.right), kinds, strict=True)
        ]
        outputs = [f"{case.typing.result}[::1]" for case, _ in self.statements] if kernel else []
        return f"({', '.join(['int64', *sides, *outputs])})"

    def types(self):
        """Lines about results whose type differs from the rules."""
        _, result = cuda.compile_ptx(self.module.results, self.signature(False), device=True, cc=(9, 0))
        found = type_names(str(result))
        expected = [case.typing.result for case, _ in self.statements]
        texts = [text for _, text in self.statements]
        return [
            f"{self.name}: {text} has type {f}, expected {e}"
            for text, f, e in zip(texts, found, expected, strict=True)
            if f != e
        ]

    def ptx(self):
        return cuda.compile_ptx(self.module.kernel, self.signature(True), cc=(9, 0))[0]


def type_names(text):
    """The item types of a tuple as Numba prints it: Tuple(a, b) or UniTuple(a x n)."""
    uniform = re.fullmatch(r"UniTuple\((\w+) x (\d+)\)", text)
    names = [uniform[1]] * int(uniform[2]) if uniform else re.fullmatch(r"Tuple\((.*)\)", text)[1].split(", ")
    return ["bool" if n == "boolean" else n for n in names]


@pytest.mark.share(every=4)
@pytest.mark.parametrize("left", nt.ALL)
def test_binary_operators(left, tmp_path, request):
    wrong = []
    for rules, right, form in selected(left, request.config.getoption("full")):
        matrix = Matrix(rules, left, right, form, tmp_path)
        wrong += matrix.types() + matrix.run()
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(wrong[:30])


@pytest.mark.parametrize("left", nt.ALL)
def test_binary_operators_assemble(left, tmp_path, request, assemble):
    """The PTX of every fifth kernel; of all in the full matrix."""
    full = request.config.getoption("full")
    chosen = selected(left, full)
    for rules, right, form in chosen if full else chosen[nt.ALL.index(left) % 5 :: 5]:
        assemble(Matrix(rules, left, right, form, tmp_path).ptx())


@pytest.mark.parametrize("rules", nr.RULES)
@pytest.mark.parametrize("ty", nt.ALL)
def test_unary_operators_and_conversions(rules, ty, tmp_path, assemble):
    operand = nr.typed(ty)
    statements = [(f"{op} x", nr.unary(rules, op, operand), _unary(rules, op)) for op in nr.UNARY]
    statements.append(("abs(x)", nr.absolute(rules, operand), _absolute))
    for target in nt.ALL:
        if nt.is_complex(target) or not nt.is_complex(ty):
            statements.append((f"{'boolean' if target == 'bool' else target}(x)", target, _conversion(ty)))
    statements = [s for s in statements if s[1] not in (None, nr.UNSPECIFIED)]
    lines = [f"@cuda.jit(rules={rules!r})", f"def kernel(a, {', '.join(f'o{k}' for k in range(len(statements)))}):"]
    lines += ["    i = cuda.grid(1)", "    if i < a.size:", "        x = a[i]"]
    lines += [f"        o{k}[i] = {text}" for k, (text, _, _) in enumerate(statements)]
    kernel = sources.load("\n".join(lines) + "\n", tmp_path).kernel
    values = np.array(edges.values(ty), nt.dtype(ty))
    outputs = [np.zeros(values.size, nt.dtype(result)) for _, result, _ in statements]
    kernel[1, 64](values, *outputs)
    wrong = []
    for (text, result, expect), output in zip(statements, outputs, strict=True):
        for x, found in zip(values.tolist(), output.tolist(), strict=True):
            expected = expect(x, ty, result)
            ulps = 3 if nt.is_complex(ty) else 0
            right = edges.is_right(found, expected, result, ulps)
            if not right:
                wrong.append(f"{text} of {x!r} gave {found!r}, expected {expected!r}")
    assert not wrong, "\n".join(wrong)
    arrays = ", ".join(f"{t}[::1]" for t in (ty, *(r for _, r, _ in statements)))
    assemble(cuda.compile_ptx(kernel, f"({arrays})", cc=(9, 0))[0])


def _unary(rules, op):
    def expect(x, ty, result):
        computed = nr.unary_computed(rules, op, nr.typed(ty))
        value = ops.unary(op, computed, nt.convert(x, ty, computed))
        return value if op == "not" else nt.convert(value, computed, result)

    return expect


def _absolute(x, ty, result):
    return ops.absolute(result, x)


def _conversion(source):
    def expect(x, ty, result):
        return nt.convert(x, source, result)

    return expect


UNDEFINED = [
    (rules, op, left, right)
    for rules in nr.RULES
    for op in nr.BINARY
    for left, right in (("float32", "int32"), ("int64", "float64"), ("complex64", "int32"), ("float64", "complex128"))
    if nr.binary(rules, op, nr.typed(left), nr.typed(right)) is None
]


@pytest.mark.parametrize(("rules", "op", "left", "right"), UNDEFINED)
def test_operators_without_meaning_are_errors(rules, op, left, right, tmp_path):
    from treadle.errors import TypingError

    text = f"@cuda.jit(rules={rules!r}, device=True)\ndef f(a, b):\n    return a {op} b\n"
    function = sources.load(text, tmp_path).f
    with pytest.raises(TypingError, match=re.escape(left)):
        cuda.compile_ptx(function, f"({left}, {right})", device=True, cc=(9, 0))
