# Mutations of a kernel's syntax tree, drawn from the grammar of kernels and some constructs outside it.
"""`mutated(source, seed)`: with one to three mutations. Every loop counts and ends."""

import ast
import copy
import random
import re

from programs.grammar.scope import Choices

FUEL = 3000
CHAIN = re.compile(r"h\d+")
OPERATORS = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.BitAnd, ast.BitOr, ast.BitXor,
    ast.LShift, ast.RShift,
)  # fmt: skip
COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
RARE_COMPARISONS = (ast.Is, ast.In, ast.NotIn)
CONSTANTS = (0, 1, -1, 2, 5, 31, 64, 255, 2**31, 2**63 - 1, 2**63, 0.0, -0.0, 1.5, 1e308, True, False)
RARE_CONSTANTS = (None, "x", 1j, 2**64, b"b", ...)
ATTRIBUTES = ("x", "y", "z", "shape", "size", "ndim", "T", "real", "strides", "foo", "dtype")
CALLEES = (
    "abs", "min", "max", "int32", "float32", "int8", "uint64", "math.sqrt", "math.floor", "math.sin", "bool", "float",
    "int", "round", "len", "math.pow", "math.isnan", "cuda.syncthreads", "range", "print", "complex",
)  # fmt: skip
STRANGE = (
    "pass", "return", "raise ValueError('x')", "assert i > 0", "del i", "with i: pass",
    "try:\n    pass\nfinally:\n    pass", "global i", "import os", "def local(a):\n    return a + 1", "i: int = 3",
    "a = b = i", "a, *b = (1, 2, 3)", "1 + i",
    "class C: pass", "x = lambda v: v", "x = [k for k in range(3)]", "x = (1, 2.5)", "x = {1: 2}", "x = f'{i}'",
)  # fmt: skip


class Mutator(Choices):
    def __init__(self, seed, tree):
        super().__init__(seed)
        self.tree = tree
        self.on_host = {  # nodes outside of functions
            node for part in tree.body if not isinstance(part, ast.FunctionDef) for node in ast.walk(part)
        }
        # Without functions that call others twice: two chains of them, one after the other, take for ever.
        self.names = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not CHAIN.fullmatch(n.id)})

    def nodes(self, *kinds):
        """Nodes that may be mutated: not the counters that end while loops."""
        return [n for n in ast.walk(self.tree) if isinstance(n, kinds)]

    def mutate(self):
        makers = (
            (self.operator, 5), (self.comparison, 4), (self.constant, 6), (self.name, 4), (self.swap_operands, 2),
            (self.delete, 3), (self.repeat, 2), (self.exchange, 3), (self.wrap_statement, 3), (self.strange, 1),
            (self.callee, 2), (self.arguments, 1), (self.attribute, 1), (self.index, 2), (self.wrap_value, 3),
            (self.negate, 3), (self.branch, 2),
        )  # fmt: skip
        self.random.choices([m for m, _ in makers], [w for _, w in makers])[0]()

    def one(self, *kinds):
        found = self.nodes(*kinds)
        return self.random.choice(found) if found else None

    # Expressions.

    def operator(self):
        if node := self.one(ast.BinOp, ast.AugAssign):
            node.op = self.random.choice(OPERATORS)()

    def swap_operands(self):
        if node := self.one(ast.BinOp):
            node.left, node.right = node.right, node.left

    def comparison(self):
        if node := self.one(ast.Compare):
            kinds = RARE_COMPARISONS if self.chance(0.1) else COMPARISONS
            node.ops[self.random.randrange(len(node.ops))] = self.random.choice(kinds)()

    def constant(self):
        node = self.one(ast.Constant)
        if node is not None and not isinstance(node.value, str):
            value = self.random.choice(RARE_CONSTANTS if self.chance(0.08) else CONSTANTS)
            if node in self.on_host and value == 2**31:
                return  # NumPy would make an array of 16 GB
            node.value = value

    def name(self):
        loads = [n for n in self.nodes(ast.Name) if isinstance(n.ctx, ast.Load)]
        if loads:
            self.random.choice(loads).id = "nobody" if self.chance(0.03) else self.random.choice(self.names)

    def callee(self):
        if node := self.one(ast.Call):
            node.func = ast.parse(self.random.choice(CALLEES), mode="eval").body

    def arguments(self):
        if node := self.one(ast.Call):
            choice = self.random.randrange(4)
            if choice == 0 and node.args:
                node.args.pop(self.random.randrange(len(node.args)))
            elif choice == 1:
                node.args.append(ast.Constant(1))
            elif choice == 2 and node.args:
                node.keywords.append(ast.keyword("x", node.args.pop()))
            elif node.args:
                node.args[0] = ast.Starred(node.args[0], ast.Load())

    def attribute(self):
        if node := self.one(ast.Attribute):
            node.attr = self.random.choice(ATTRIBUTES)

    def index(self):
        if node := self.one(ast.Subscript):
            old = node.slice
            node.slice = self.random.choice(
                (
                    ast.Tuple([old, ast.Constant(0)], ast.Load()), ast.Slice(None, old, None), ast.Constant(-1),
                    ast.UnaryOp(ast.USub(), old), ast.BinOp(old, ast.Add(), ast.Constant(1)), ast.Constant(1.5),
                )
            )  # fmt: skip

    def wrap_value(self):
        """Makes an expression part of another."""
        parents = [
            (parent, field)
            for parent in ast.walk(self.tree)
            for field in ("value", "left", "right", "test", "operand")
            if isinstance(getattr(parent, field, None), ast.expr) and not isinstance(parent, ast.Subscript)
        ]
        parent, field = self.random.choice(parents)
        inner = getattr(parent, field)
        texts = (
            "(-_)", "(not _)", "(~_)", "int32(_)", "float32(_)", "(_ if i > 3 else _)", "abs(_)", "(_, _)[0]",
            "(_ and _)", "(_ + 0)", "(_ or 1)", "(lambda v: v)(_)", "(q := _)", "(_, 1)", "[_]", "_[0]", "_.shape",
        )  # fmt: skip
        text = self.random.choices(texts, [6] * 9 + [2] * 2 + [1] * 6)[0]
        outer = ast.parse(text, mode="eval").body
        for node in ast.walk(outer):
            for name, child in ast.iter_fields(node):
                if isinstance(child, ast.Name) and child.id == "_":
                    setattr(node, name, copy.deepcopy(inner))
                elif isinstance(child, list):
                    child[:] = [copy.deepcopy(inner) if isinstance(c, ast.Name) and c.id == "_" else c for c in child]
        setattr(parent, field, outer)

    # Statements.

    def bodies(self):
        return [
            body
            for node in ast.walk(self.tree)
            for field in ("body", "orelse")
            if isinstance(body := getattr(node, field, None), list) and body and not isinstance(node, ast.Module)
        ]

    def delete(self):
        body = self.random.choice(self.bodies())
        body[self.random.randrange(len(body))] = ast.Pass()

    def repeat(self):
        body = self.random.choice(self.bodies())
        body.insert(self.random.randrange(len(body) + 1), copy.deepcopy(self.random.choice(body)))

    def exchange(self):
        body = self.random.choice(self.bodies())
        k = self.random.randrange(len(body))
        j = self.random.randrange(len(body))
        body[k], body[j] = body[j], body[k]

    def wrap_statement(self):
        body = self.random.choice(self.bodies())
        k = self.random.randrange(len(body))
        head = self.random.choice(
            ("if i % 3 == 1:", "for again in range(i % 4):", "while i < 40:", "if True:", "if n:")
        )
        outer = ast.parse(f"{head}\n    pass").body[0]
        outer.body = [body[k]]
        body[k] = outer

    def strange(self):
        body = self.random.choice(self.bodies())
        body.insert(self.random.randrange(len(body) + 1), ast.parse(self.random.choice(STRANGE)).body[0])

    def negate(self):
        if node := self.one(ast.If, ast.IfExp):
            node.test = ast.UnaryOp(ast.Not(), node.test)

    def branch(self):
        if node := self.one(ast.If):
            node.body, node.orelse = node.orelse or [ast.Pass()], node.body


class AddFuel(ast.NodeTransformer):
    """Makes loops share a count of iterations and leave when it is too large."""

    def visit_FunctionDef(self, node):  # noqa: N802
        self.generic_visit(node)
        if any(isinstance(child, ast.FunctionDef) for child in node.body):
            return node  # it makes functions, and does not run in kernels
        node.body.insert(0, ast.parse("fuel = int64(0)").body[0])
        return node

    def visit_loop(self, node):
        self.generic_visit(node)
        node.body[:0] = ast.parse(f"fuel += int64(1)\nif fuel > int64({FUEL}):\n    break").body
        return node

    visit_For = visit_While = visit_loop  # noqa: N815


def mutated(source, seed):
    """The text of a program after one to three mutations."""
    chooser = random.Random(seed)
    for attempt in range(50):
        tree = ast.parse(source)
        mutator = Mutator(seed * 64 + attempt, tree)
        for _ in range(chooser.randint(1, 3)):
            mutator.mutate()
        text = ast.unparse(ast.fix_missing_locations(AddFuel().visit(tree)))
        try:
            compile(text, "<mutant>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        return text + "\n"
    raise AssertionError(f"seed {seed} gives no program")
