"""Kernel source for the SIMT model: functions become generators that yield wherever a thread may have to wait."""

import ast

import numpy as np

from cooperation.simt_values import NumberType

NUMBERS = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
)  # fmt: skip
# Functions of `cuda` in which a thread may have to wait.
WAITING = {
    "syncthreads", "syncthreads_count", "syncthreads_and", "syncthreads_or", "syncwarp", "activemask",
    "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync",
    "all_sync", "any_sync", "eq_sync", "ballot_sync", "match_any_sync", "match_all_sync",
}  # fmt: skip
# Those that depend on their place in the source, which is passed as their first argument.
PLACED = {("shared", "array"), ("activemask",)}


# Threads take turns after each statement and each atomic operation: if that changes the result, there is a race.
EVERYWHERE = "everywhere"


def _with_a_turn(value):
    yield
    return value


def _give_turns(function):
    for node in [*ast.walk(function)]:
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                body[:] = [each for statement in body for each in (ast.parse("yield").body[0], statement)]


class Rewriter(ast.NodeTransformer):
    """Turns `cuda` into a parameter: each thread has its own."""

    def __init__(self, functions, spin):
        self.functions, self.spin = functions, spin

    def visit_FunctionDef(self, node):  # noqa: N802
        self.generic_visit(node)
        if _is_factory(node):
            return node
        node.decorator_list = []
        if self.spin == EVERYWHERE:
            _give_turns(node)
        node.args.posonlyargs.insert(0, ast.arg("cuda"))
        # Makes the function a generator even if it has no other yield.
        node.body.insert(0, ast.parse("if False: yield").body[0])
        return node

    def visit_Lambda(self, node):  # noqa: N802
        raise SyntaxError(f"line {node.lineno}: the model has no lambdas")

    def visit_Call(self, node):  # noqa: N802
        self.generic_visit(node)
        name = _dotted(node.func)
        if isinstance(node.func, ast.Name) and node.func.id in self.functions:
            node.args.insert(0, ast.Name("cuda", ast.Load()))
            return ast.YieldFrom(node)
        if name and name[0] == "cuda":
            if name[1:] in PLACED:
                node.args.insert(0, ast.Constant((node.lineno, node.col_offset)))
            if name[1] == "atomic" and self.spin == EVERYWHERE:
                return ast.YieldFrom(ast.Call(ast.Name("_with_a_turn", ast.Load()), [node], []))
            return ast.Yield(node) if name[1] in WAITING else node
        if isinstance(node.func, ast.Attribute) and node.func.attr == "sync":
            return ast.Yield(node)
        return node

    def visit_For(self, node):  # noqa: N802
        return self._loop(node)

    def visit_While(self, node):  # noqa: N802
        return self._loop(node)

    def _loop(self, node):
        self.generic_visit(node)
        if self.spin is True:
            node.body.insert(0, ast.parse("yield").body[0])
        return node


def _is_factory(node):
    """Whether a function makes device functions; it runs while the source is loaded."""
    return isinstance(node, ast.FunctionDef) and any(isinstance(child, ast.FunctionDef) for child in node.body)


def _callable_names(tree):
    """The names by which device functions are called, including parameters and results of factories."""
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    factories = [node for node in tree.body if _is_factory(node)]
    names |= {argument.arg for node in factories for argument in node.args.args}
    names -= (made_by := {node.name for node in factories})
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and _dotted(node.value.func)[:1]
            and (_dotted(node.value.func)[0] in made_by)
        ):
            names.add(node.targets[0].id)
    return names


def _dotted(node):
    """("cuda", "atomic", "add") for that expression, () if it is not a chain of names."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def load(source, spin=False):
    """The functions of a kernel's source by name. With `spin` a thread yields to others in every iteration, or
    EVERYWHERE."""
    tree = ast.parse(source)
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    tree = ast.fix_missing_locations(Rewriter(_callable_names(tree), spin).visit(tree))
    names = {"np": np, "_with_a_turn": _with_a_turn, **{name: NumberType(name) for name in NUMBERS}}
    exec(compile(tree, "<model>", "exec"), names)
    return {name: names[name] for name in functions}
