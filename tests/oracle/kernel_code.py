# Translates a kernel's statements into typed Python code: control flow stays Python's, types join where paths meet.
"""`Translator` infers and writes in one walk; a loop is walked until the types before and after its body agree.

A name maps to (type, how it varies). A name that not every path has set is not in the map: reading it is rejected.
"""

import ast
import functools
from collections import Counter
from typing import NamedTuple

from oracle import number_rules as nr
from oracle.kernel_exprs import OPERATORS, UNIFORM, VARYING, ArrayType, Calls, Expressions, RecordType, TupleType, Value
from oracle.kernel_values import Rejected


class Loop:
    """The types to which `continue` and `break` must convert, and the environments that reach them."""

    def __init__(self, header, after):
        self.header = header
        self.after = after
        self.continues = []
        self.breaks = []
        self.depth = 0


class _Walk(NamedTuple):
    """The result of one walk over a loop: environments and lines at the end of its body and of its else clause."""

    loop: Loop
    head: str
    lines: list
    end: dict | None
    exit: dict | None
    else_lines: list


class Module:
    """The functions of one source text, translated on demand for each tuple of argument types."""

    def __init__(self, source, rules, helpers):
        tree = ast.parse(source)
        self.functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.constants = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
        self.rules = rules
        self.helpers = helpers
        self.translated = {}
        self.texts = []
        self.notes = []
        self.mask_depth = 0
        self.may_contract = False

    def function(self, name, argument_types):
        """(name of the translated function, result type)."""
        key = name, argument_types
        if key not in self.translated:
            symbol = f"f{len(self.translated)}_{name}"
            self.translated[key] = None
            translator = Translator(self, self.functions[name])
            text, result = translator.translate(symbol, argument_types)
            self.texts.append(text)
            self.translated[key] = symbol, result
        if self.translated[key] is None:
            raise Rejected("recursion")
        return self.translated[key]


class Translator(Expressions, Calls):
    def __init__(self, module, node):
        self.module = module
        self.node = node
        self.rules = module.rules
        self.helpers = module.helpers
        self.functions = module.functions
        self.result = "unknown"

    def translate(self, symbol, argument_types):
        """The text of the function; walked twice if it returns a value, as the types of returns are unified."""
        names = [a.arg for a in self.node.args.args]
        self.translate_function = self.module.function
        for _ in range(4):
            before = self.result
            self._begin(names, argument_types)
            self.body(self.node.body)
            if not self.reached and before == self.result or self.result in ("unknown", None):
                break
            if self.reached:
                raise Rejected("falls off its end")
        head = f"def {symbol}({', '.join(['t', *('v_' + n for n in names)])}):\n    n0 = n1 = n2 = n3 = n4 = n5 = 0\n"
        return head + "\n".join(self.lines) + "\n", None if self.result == "unknown" else self.result

    def _begin(self, names, argument_types):
        self.lines, self.indent, self.reached = [], 1, True
        self.loops, self.masks, self.pinned = [], [], {}
        self.names = 0
        self.dry = 0
        self.statement_notes = []
        self.env = {
            n: (t, VARYING if self.node.name != "kernel" else UNIFORM)
            for n, t in zip(names, argument_types, strict=True)
        }

    # Writing.

    def fresh(self):
        self.names += 1
        return f"x{self.names}"

    def line(self, text):
        if not self.dry:
            self.lines.append("    " * self.indent + text)

    def note(self, kind, shape):
        """Notes that a construct is used; `shape` None: as the enclosing mask varies."""
        mask = max(self.masks, default=UNIFORM)
        self.statement_notes.append((kind, mask if shape is None else shape))

    def flush_notes(self):
        """Counts at run time that the noted construct ran, in the first or a later iteration of the enclosing loop."""
        notes, self.statement_notes = self.statement_notes, []
        if self.dry:
            return
        later = f" + n{min(len(self.loops), 6) - 1}" if self.loops else ""
        for note in dict.fromkeys(notes):
            if note not in self.module.notes:
                self.module.notes.append(note)
            self.line(f"hit[{2 * self.module.notes.index(note)}{later}] = 1")

    # Environments.

    def bind(self, name, ty, shape):
        if not isinstance(ty, (str, ArrayType, TupleType)):
            raise Rejected(f"{name} is assigned no value")
        self.env[name] = ty, shape

    def target_type(self, name, ty):
        """cuda-python: inside a loop a variable keeps the type it had before, or its first one."""
        if self.rules == nr.NUMBA or not self.loops:
            return ty
        return self.pinned.setdefault(name, ty)

    def assign(self, name, value):
        ty = self.target_type(name, value.type)
        self.line(f"v_{name} = {self.converted(value, ty)}")
        self.bind(name, ty, value.shape)

    def merge(self, *environments):
        """Names that all paths have, with their joined types; None if no path arrives."""
        alive = [e for e in environments if e is not None]
        if not alive:
            return None
        merged = dict(alive[0])
        for other in alive[1:]:
            merged = {
                n: (_unify(merged[n][0], other[n][0]), max(merged[n][1], other[n][1])) for n in merged if n in other
            }
        return merged

    def adjust(self, source, target):
        """Lines that turn the variables of one environment into those of another."""
        if source is None or target is None:
            return
        for name in target:
            if name in source and source[name][0] != target[name][0]:
                self.line(f"v_{name} = {self.converted(Value('v_' + name, source[name][0]), target[name][0])}")

    def block(self, statements, environment):
        """Walks the statements under an environment, one level deeper; returns (their lines, the final environment)."""
        outer_lines, outer_reached, self.lines = self.lines, self.reached, []
        self.env, self.reached, self.indent = dict(environment), True, self.indent + 1
        self.body(statements)
        end = self.env if self.reached else None
        lines, self.lines = self.lines, outer_lines
        self.reached, self.indent = outer_reached, self.indent - 1
        return lines, end

    def emit_block(self, head, lines, end, target, last="pass"):
        """Appends `head`, the lines of its block and the conversions at its end."""
        self.line(head)
        self.lines += lines
        self.indent += 1
        self.adjust(end, target)
        self.line(last)
        self.indent -= 1

    def after_mask(self, shape, node, environment):
        """Variables assigned under a mask that not all lanes share vary afterwards."""
        if environment is None or shape == UNIFORM:
            return environment
        assigned = _names_assigned_in(node)
        return {n: (t, VARYING if n in assigned else s) for n, (t, s) in environment.items()}

    # Statements.

    def body(self, statements):
        for statement in statements:
            if not self.reached:
                raise Rejected("unreachable code")
            getattr(self, "statement_" + type(statement).__name__, self._unknown)(statement)

    def statement_Pass(self, node):
        self.line("pass")

    def statement_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return
        if ast.unparse(node.value) == "cuda.syncthreads()":
            self.note("barrier", None)
            self.flush_notes()
            self.line("yield")
            return
        value = self.value(node.value)
        self.flush_notes()
        self.line(value.code)

    def statement_Assign(self, node):
        if len(node.targets) > 1:
            raise Rejected("chained assignment")
        target, value = node.targets[0], self.keep(self.value(node.value))
        self.note("assignment", value.shape)
        if isinstance(target, ast.Name):
            self.flush_notes()
            self.assign(target.id, value)
        elif isinstance(target, (ast.Subscript, ast.Attribute)):
            self.store(target, value)
        else:
            self.unpack(target, value)

    def unpack(self, target, value):
        if not isinstance(value.type, TupleType) or len(target.elts) != len(value.type.items):
            raise Rejected("unpacking")
        self.note("tuple unpacking", value.shape)
        name = self.fresh()
        self.flush_notes()
        self.line(f"{name} = {value.code}")
        for position, (item, ty) in enumerate(zip(target.elts, value.type.items, strict=True)):
            part = Value(f"{name}[{position}]", ty, value.shape)
            if isinstance(item, ast.Name):
                self.assign(item.id, part)
            else:
                self.store(item, part)

    def store(self, target, value):
        if isinstance(target, ast.Attribute):
            self.store_field(target, value)
            return
        base = self.value(target.value)
        codes, shape = self.indices(base, target.slice)
        self.note("store", shape)
        self.flush_notes()
        # Python evaluates the value before the target's indices, which may read memory that the value's calls write.
        code = self.fresh()
        self.line(f"{code} = {self.converted(value, base.type.dtype)}")
        if len(codes) == 1:
            self.line(f"store1({base.code}, {codes[0]}, {code})")
        else:
            self.line(f"store({base.code}, ({', '.join(codes)}), {code})")

    def store_field(self, target, value):
        record = self.value(target.value)
        if not isinstance(record.type, RecordType) or target.attr not in dict(record.type.fields):
            raise Rejected(ast.unparse(target))
        self.note("store to a field", record.shape)
        self.flush_notes()
        code = self.fresh()
        self.line(f"{code} = {self.converted(value, dict(record.type.fields)[target.attr])}")
        self.line(f"{record.code}[{target.attr!r}] = {code}")

    def statement_AugAssign(self, node):
        op = OPERATORS[type(node.op)]
        current = self.value(_as_load(node.target))
        result = self.keep(self.binary(op, current, self.value(node.value)))
        self.note("augmented assignment", result.shape)
        if isinstance(node.target, ast.Name):
            self.flush_notes()
            self.assign(node.target.id, result)
        else:
            self.store(node.target, result)

    def statement_If(self, node):
        test = self.condition(node.test)
        elif_ = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        self.note("elif" if elif_ else "if else" if node.orelse else "if", test.shape)
        self.flush_notes()
        before = self.env
        with self.mask(test.shape):
            then_lines, then_end = self.block(node.body, before)
            else_lines, else_end = self.block(node.orelse, before)
        after = self.after_mask(test.shape, node, self.merge(then_end, else_end))
        self.emit_block(f"if {test.code}:", then_lines, then_end, after)
        self.emit_block("else:", else_lines, else_end, after)
        self.env, self.reached = after or before, after is not None

    def mask(self, shape):
        return _Mask(self, shape)

    def statement_While(self, node):
        def head():
            test = self.condition(node.test)
            self.note("while else" if node.orelse else "while", test.shape)
            return f"while {test.code}:", test.shape, None

        self.loop(node, head)

    def statement_For(self, node):
        bounds = self.range_bounds(node.iter)
        counter = nr.range_counter(self.rules, *(b.operand for b in bounds))
        if counter == nr.UNSPECIFIED or not isinstance(node.target, ast.Name):
            raise Rejected("range over mixed types")
        codes = [self.converted(b, counter) for b in bounds]
        shape = max(b.shape for b in bounds)
        places = [self.fresh() for _ in codes]
        self.flush_notes()
        self.line(f"{', '.join(places)}, = {', '.join(codes)},")
        start, stop, step = {1: ["0", *places, "1"], 2: [*places, "1"], 3: places}[len(places)]
        value = Value(f"i_{places[0]}", counter, shape)

        def head():
            self.note("for else" if node.orelse else "for", shape)
            return f"for i_{places[0]} in count({counter!r}, {start}, {stop}, {step}):", shape, (node.target.id, value)

        self.loop(node, head)

    def range_bounds(self, node):
        if not isinstance(node, ast.Call) or ast.unparse(node.func) not in ("range", "xrange"):
            raise Rejected("for over no range")
        bounds = [self.value(a) for a in node.args]
        if not all(b.is_literal for b in bounds):
            self.note("range with run-time bounds", max(b.shape for b in bounds))
        if len(bounds) == 3 and bounds[2].is_literal and bounds[2].literal < 0:
            self.note("range with a negative step", max(b.shape for b in bounds))
        if len(bounds) == 3 and not bounds[2].is_literal:
            self.note("range with a run-time step", max(b.shape for b in bounds))
        return bounds

    def loop(self, node, head):
        """Walks the body until the environment at its head is stable, then writes it."""
        before, pinned = self.env, self.pinned
        header, after = before, None
        for _ in range(12):
            self.dry += 1
            walk = self.loop_once(node, head, Loop(header, after), pinned)
            self.dry -= 1
            grown = self.merge(header, walk.end, *walk.loop.continues)
            new_after = self.merge(walk.exit, *walk.loop.breaks)
            if grown == header and new_after == after:
                break
            header, after = grown, new_after
        else:
            raise Rejected("no stable types")
        self.adjust(before, header)
        counter = f"n{min(len(self.loops), 5)}"
        self.line(f"{counter} = 0")
        walk = self.loop_once(node, head, Loop(header, after), pinned)
        self.emit_block(walk.head, walk.lines, walk.end, header, f"{counter} = 1")
        self.emit_block("else:", walk.else_lines, walk.exit, after)
        self.pinned = self.pinned if self.loops else pinned
        self.env, self.reached = after or before, after is not None

    def loop_once(self, node, head, loop, pinned):
        """One walk over test, body and else clause."""
        header = loop.header
        self.env = dict(header)
        self.pinned = {n: t for n, (t, _) in header.items()} | pinned
        self.statement_notes, outer_notes = [], self.statement_notes
        text, shape, target = head()
        at_test = dict(self.env)
        notes, self.statement_notes = self.statement_notes, outer_notes
        self.loops.append(loop)
        with self.mask(shape):
            lines, end = self.loop_body(node, at_test, notes, target)
        self.loops.pop()
        end = self.after_mask(shape, node, end)
        loop.breaks = [self.after_mask(shape, node, e) for e in loop.breaks]
        loop.continues = [self.after_mask(shape, node, e) for e in loop.continues]
        else_lines, exit_env = self.block(node.orelse, at_test)
        return _Walk(loop, text, lines, end, exit_env, else_lines)

    def loop_body(self, node, environment, notes, target):
        outer_lines, self.lines = self.lines, []
        self.env, self.reached, self.indent = dict(environment), True, self.indent + 1
        self.statement_notes = [(k, s) for k, s in notes]
        self.flush_notes()
        if target:
            self.assign(*target)
        self.body(node.body)
        end = self.env if self.reached else None
        lines, self.lines = self.lines, outer_lines
        self.reached, self.indent = True, self.indent - 1
        return lines, end

    def leave_loop(self, kind, environments, target, word):
        self.note(kind, None)
        self.flush_notes()
        environments.append(dict(self.env))
        self.adjust(self.env, target)
        if word == "continue":
            self.line(f"n{min(len(self.loops), 6) - 1} = 1")
        self.line(word)
        self.reached = False

    def statement_Break(self, node):
        self.leave_loop("break", self.loops[-1].breaks, self.loops[-1].after, "break")

    def statement_Continue(self, node):
        self.leave_loop("continue", self.loops[-1].continues, self.loops[-1].header, "continue")

    def statement_Return(self, node):
        self.note("early return" if self.masks or self.loops else "return", None)
        value = self.keep(self.value(node.value)) if node.value else None
        self.flush_notes()
        if value is None:
            self.line("return")
        else:
            self.result = value.type if self.result == "unknown" else _unify(self.result, value.type)
            self.line(f"return {self.converted(value, self.result)}")
        self.reached = False


class _Mask:
    """Depth of the divergent control flow that encloses a statement."""

    def __init__(self, translator, shape):
        self.translator, self.shape = translator, shape

    def __enter__(self):
        masks = self.translator.masks
        masks.append(self.shape)
        depth = sum(s != UNIFORM for s in masks)
        self.translator.module.mask_depth = max(self.translator.module.mask_depth, depth)

    def __exit__(self, *_):
        self.translator.masks.pop()


def _unify(left, right):
    if left == right:
        return left
    if isinstance(left, str) and isinstance(right, str):
        return nr.unify(left, right)
    if isinstance(left, TupleType) and isinstance(right, TupleType) and len(left.items) == len(right.items):
        return TupleType(tuple(_unify(a, b) for a, b in zip(left.items, right.items, strict=True)))
    raise Rejected(f"{left} meets {right}")


@functools.cache
def _names_assigned_in(node):
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _as_load(node):
    copy = ast.parse(ast.unparse(node), mode="eval").body
    return ast.copy_location(copy, node)


def statements_in(source):
    """The number of statements of each kind in a program."""
    tree = ast.parse(source)
    return Counter(type(n).__name__ for n in ast.walk(tree) if isinstance(n, ast.stmt))
