"""Finds the source of a Python function and its node in Python's syntax tree.

Called by the compiler, once per function, never by users. Imports nothing that Python has not already loaded: the usual
way, `inspect` and `ast`, costs as much as compiling the kernel. `source_texts` finds the candidate texts; the right one
is recognised by compiling the node found in it, which must produce the function's own code.
"""

import sys
from _weakref import ref

from treadle.source.texts import advice, release, texts_of

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_ATTEMPTS = 1000
_FUTURE_MASK = 0x1FE0000  # the compiler flags of all `from __future__` imports
_TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_LEVEL = min(sys.flags.optimize, 2)  # of the interpreter: -O, -OO
# The extension's record of compiled texts excludes this file name.
_OWN_FILE = "<treadle>"
_MAX_CUTS = 16
_BEYOND_A_LINE = ('"""', "'''", "\\")  # every string that continues on the next line contains one of these
_Module = type(sys)


class NotFoundError(Exception):
    """The source is not available. Arguments: why, and what to do."""


def found(function):
    """Return (name, what `locate` returns, None) of a plain Python function, or (name, None, why it is not found): the
    kind of error, "source" or "limit", its message, and what to do.

    The name is that of the code with those of the scopes around it: decorators overwrite the function's.
    """
    name = getattr(function.__code__, "co_qualname", function.__qualname__)
    try:
        return name, locate(function), None
    except NotFoundError as error:
        return name, None, ("source", *error.args)
    except RecursionError:
        message = f"'{name}' is nested too deep for Python's parser"
        remedy = "assign parts of the expression to variables, or move parts into device functions"
        return name, None, ("limit", message, remedy)


def locate(function):
    """Return (node, text, first line, line offset, class, whether asserts count) of a plain Python function.

    The node is a FunctionDef or a Lambda; the text is the function's lines; a line number in the node plus the offset
    is the line in the file; the class is the innermost enclosing one, as used for name mangling. Raises NotFoundError.
    """
    code = function.__code__
    around = _class_around(getattr(code, "co_qualname", function.__qualname__))
    has_changed = False
    for lines, belongs, thoroughly in searches(function):
        found = _find(function, lines, around, thoroughly)
        if found is not None:
            node, text, first, offset, level = found
            return node, text, first, offset, around, level < 1
        has_changed |= belongs
    if has_changed:
        raise _changed(code)
    raise NotFoundError(f"the source of '{function.__qualname__}' cannot be found", advice(code.co_filename))


def searches(function):
    """Yield (lines, belongs, thoroughly): `texts_of`, first for the usual way of compiling, then for all ways."""
    for thoroughly in (False, True):
        for lines, belongs in texts_of(function):
            yield lines, belongs, thoroughly


def is_in(function, text):
    """Whether the function was compiled from this text."""
    return is_in_lines(function, text.split("\n"), True)


def is_in_lines(function, lines, thoroughly):
    """Whether the function was compiled from the text with these lines."""
    around = _class_around(getattr(function.__code__, "co_qualname", function.__qualname__))
    return _find(function, lines, around, thoroughly) is not None


def may_say(function, name):
    """Whether some callee of the function may be `consteval`: by an attribute's name, or by any name if the program has
    loaded it."""
    return "treadle.source.compile_time" in sys.modules or any(
        name in code.co_names for code in _codes(function.__code__)
    )


def _class_around(qualified):
    """The innermost class in a qualified name such as "f.<locals>.Class.method.<locals>.kernel", without the leading
    underscores that name mangling drops; empty if the function is not in a class.
    """
    if "." not in qualified:
        return ""
    parts = qualified.split(".")
    for outer, inner in zip(parts[-2::-1], parts[:0:-1]):
        # Neither "<locals>" nor a comprehension.
        if outer.isidentifier() and inner != "<locals>":
            return outer.lstrip("_")
    return ""


def _changed(code):
    return NotFoundError(
        f"'{code.co_name}' is not in line {code.co_firstlineno} of {code.co_filename} any more",
        "the file has changed since it was imported: import it again, or restart Python",
    )


# --- nodes -----------------------------------------------------------------------------------------------------------


def _find(function, lines, around, thoroughly):
    """(node, text, first line, line offset, level of optimisation); None if the function was not compiled from these
    lines. Not `thoroughly`: only for the way in which nearly all are compiled.
    """
    code = function.__code__
    if not 1 <= code.co_firstlineno <= len(lines):
        return None
    usual = _Way(code, around, _modules_named(function))
    fitting = []
    for node, offset in _candidates(lines, code):
        if _is_def(node) and node.name != code.co_name:
            continue
        fitting.append((node, offset))
        if usual.makes(node, _lines_of(node, offset, lines)) or _is_rewritten(code, node):
            return _found(node, offset, lines, usual)
    standing = [one for one in fitting if _stands_at(code, *one)] or fitting
    for way in _other_ways(usual, lines) if thoroughly and fitting else ():
        for node, offset in fitting:
            if way.makes(node, _lines_of(node, offset, lines)):
                return _found(node, offset, lines, way)
        if len(standing) == 1 and way.makes_in(lines):
            return _found(*standing[0], lines, way)
    return None


def _lines_of(node, offset, lines):
    return lines[node.lineno + offset - 1 : node.end_lineno + offset]


def _found(node, offset, lines, way):
    first = way.code.co_firstlineno
    return node, "\n".join(lines[first - 1 : node.end_lineno + offset]), first, offset, way.level


def _candidates(lines, code):
    """Yield (node, line offset), each once, of the defs or lambdas in the code's first line: those at the position of
    its instructions before others, nested ones before the enclosing ones.
    """
    first, is_lambda = code.co_firstlineno, code.co_name == "<lambda>"
    statement, offset = _statement(lines, first)
    if statement is not None and not is_lambda and _is_def(statement):
        yield statement, offset
        return
    seen = set()
    for is_alone in (True, False) if statement is not None and is_lambda else (False,):
        tree, by = (statement, offset) if is_alone else (_whole(lines), 0)
        nodes = list(_walk(tree, first - by, is_lambda))[::-1]
        standing = [node for node in nodes if _stands_at(code, node, by)]
        for node in (*standing, *nodes):
            # A truncated statement may contain only part of the lambda.
            place = node.lineno + by, node.col_offset, node.end_lineno + by, node.end_col_offset
            if place not in seen:
                seen.add(place)
                yield node, by


def _stands_at(code, node, offset):
    """Whether the code's columns are the lambda's; False for defs, and where Python has none (3.10, -X
    no_debug_ranges)."""
    if _is_def(node) or not hasattr(code, "co_positions"):
        return False
    body = node.body
    place = (body.lineno + offset, body.end_lineno + offset, body.col_offset, body.end_col_offset)
    return place in code.co_positions()


def _parse(text):
    # Python before 3.11.8 and 3.12.2 counts the depth of all threads' trees together, and says so where threads take
    # turns while they build them (CPython's issue 106905). The next attempt counts anew.
    for _ in range(_ATTEMPTS):
        try:
            return compile(text, _OWN_FILE, "exec", _ONLY_AST, True)
        except SystemError as error:
            if "recursion depth mismatch" not in str(error):
                raise
            told = error
    raise told


def _whole(lines):
    try:
        return _parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return None


def _statement(lines, first):
    """(statement, line offset) of the statement that starts in line `first`, parsed from a short text, or (None, 0).

    The text is cut before a line that is not indented deeper. Such a line may belong to the statement (a closing
    bracket, the inside of a string), so several cuts are tried. Decorators are left out: they are not used, and parsing
    them takes as long as parsing a short function.
    """
    start = lines[first - 1]
    indent = start[: len(start) - len(start.lstrip())]
    for header, end in _cuts(lines, first, indent):
        # An apparent def may be inside a string that began above.
        if header > first and _has_open_end("\n".join(lines[first - 1 : header - 1])):
            header = first
        text = "\n".join(lines[header - 1 : end])
        try:
            statements = _parse(f"if 1:\n{text}").body[0].body if indent else _parse(text).body
        except (SyntaxError, ValueError):
            continue
        offset = header - 2 if indent else header - 1
        if statements and _first_line(statements[0]) + offset == header:
            return statements[0], offset
    return None, 0


def _has_open_end(text):
    return any(mark in text for mark in _BEYOND_A_LINE)


def _cuts(lines, first, indent):
    """Yield (line of the def or class, number of lines up to the cut)."""
    header = None if lines[first - 1].lstrip().startswith("@") else first
    depth = len(indent)
    count = 0
    for index in range(first, len(lines)):
        line = lines[index]
        if line.startswith(indent) and line[depth : depth + 1] in (" ", "\t"):
            continue
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        if header is not None:
            yield header, index
            count += 1
            if count == _MAX_CUTS:
                return
        elif content.startswith(("def", "async", "class")):
            header = index + 1
    yield header or first, len(lines)


def _walk(tree, line, lambdas):
    """Yield the lambdas, or the defs, that start in that line, each followed by those inside it."""
    if tree is None:
        return
    stack = [tree]
    while stack:
        node = stack.pop()
        if lambdas and type(node).__name__ == "Lambda" and node.lineno == line:
            yield node
        if not lambdas and _is_def(node) and line in (node.lineno, _first_line(node)):
            yield node
        stack.extend(reversed([child for child in _children(node) if _reaches(child, line)]))


def _reaches(node, line):
    if not hasattr(node, "lineno"):
        return True
    return _first_line(node) <= line <= node.end_lineno


def _is_def(node):
    return hasattr(node, "decorator_list") and hasattr(node, "args")


def _first_line(node):
    """The line of a statement or expression; for a decorated one, that of its first decorator."""
    decorators = getattr(node, "decorator_list", None)
    return min(node.lineno, decorators[0].lineno) if decorators else node.lineno


def _children(node):
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            if hasattr(child, "_fields"):
                yield child


# --- nodes and code objects ------------------------------------------------------------------------------------------


class _Way:
    """How Python may have compiled a function: what its text alone does not tell."""

    def __init__(self, code, around, imports, level=_LEVEL):
        self.code = code
        self.around = around  # the innermost class
        # Names that its module imports: calls of their attributes compile to different instructions.
        self.imports = imports
        self.level = level  # of optimisation: from 1 on there are no asserts, from 2 on no docstrings

    def makes(self, node, lines):
        """Whether a def or lambda, with its lines, compiles to the code, in a scope like the enclosing one."""
        imports = f"import {', '.join(self.imports)}\n" if self.imports else ""
        try:
            # From text, and without its decorators, a def of the module compiles in half the time.
            if _is_def(node) and node.col_offset == 0 and not self.code.co_freevars:
                made = self._compiled(imports + "\n".join(lines))
            else:
                made = self._compiled(self._inside(node, imports))
        except (SyntaxError, ValueError):
            return False
        except RecursionError:
            return True  # too deep to compile from a tree, unlike from text
        return any(_same_work(self.code, candidate) for candidate in _codes(made))

    def makes_in(self, lines):
        """Whether compiling the whole text produces the code in the same line: decisive, but slow."""
        try:
            made = self._compiled("\n".join(lines))
        except (SyntaxError, ValueError):
            return False
        first = self.code.co_firstlineno
        return any(one.co_firstlineno == first and _same_work(self.code, one) for one in _codes(made))

    def _compiled(self, source):
        # In notebook cells, `await` may occur outside of functions.
        flags = self.code.co_flags & _FUTURE_MASK | _TOP_LEVEL_AWAIT
        return compile(source, _OWN_FILE, "exec", flags, True, self.level)

    def _inside(self, node, imports):
        """The tree of a module that has the node inside a function, and that inside the class."""
        code = self.code
        scope = f"class {self.around}:" if self.around else "if 1:"
        variables = "".join(f"{name} = " for name in code.co_freevars)
        # Names that are not variables of the enclosing function are globals, even the function's own name.
        own = f"global {code.co_name}" if _is_def(node) and code.co_name not in code.co_freevars else "0"
        tree = _parse(f"{imports}{scope}\n def _():\n  {own}\n  {variables}0\n")
        body = tree.body[-1].body[0].body
        if _is_def(node):
            body.append(node)
        else:
            body[1].value = node
        return tree


def _modules_named(function):
    """The function's globals that are modules: nearly all were imported under these names."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    return sorted(name for name in names if type(function.__globals__.get(name)) is _Module)


def _other_ways(usual, lines):
    """Yield the other ways. A name may be a module's without an import of it in the text (`from tools import *`, an
    assignment, another cell), and a text may be compiled for another level than the interpreter's.
    """
    whole = _whole(lines)
    imported = [] if whole is None else sorted(set(_imports_in(whole.body)))
    for level in (usual.level, *({0, 1, 2} - {usual.level})):
        for imports in ([], imported, usual.imports):
            if (imports, level) != (usual.imports, usual.level):
                yield _Way(usual.code, usual.around, imports, level)


def _imports_in(statements):
    """Yield the names that statements import, outside of functions and classes."""
    for statement in statements:
        kind = type(statement).__name__
        if kind in ("Import", "ImportFrom"):
            names = (one.asname or one.name.partition(".")[0] for one in statement.names)
            yield from (name for name in names if name != "*")
        elif not hasattr(statement, "decorator_list"):
            for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                inside = getattr(statement, field, None)
                yield from _imports_in(inside if type(inside) is list else ())


def _is_rewritten(code, node):
    """Whether a tool has rewritten the function (pytest's asserts): it has names that no source has, and the parameters
    of this def.
    """
    if not any("@" in name for made in _codes(code) for name in made.co_names + made.co_varnames):
        return False
    if not _is_def(node):
        return True
    arguments = node.args
    plain = [argument.arg for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    # Python mangles parameters such as `__x` inside classes.
    return len(plain) == len(known) and all(name.endswith(given) for name, given in zip(known, plain))


def _codes(code):
    yield code
    for constant in code.co_consts:
        if type(constant) is type(code):
            yield from _codes(constant)


def _same_work(left, right):
    """Equal except for positions: the same instructions over the same names and constants."""
    if left.co_name != right.co_name or left.co_code != right.co_code or len(left.co_consts) != len(right.co_consts):
        return False
    if left.co_names != right.co_names or left.co_varnames != right.co_varnames:
        return False
    if left.co_freevars != right.co_freevars or left.co_cellvars != right.co_cellvars:
        return False
    if left.co_argcount != right.co_argcount or left.co_kwonlyargcount != right.co_kwonlyargcount:
        return False
    for a, b in zip(left.co_consts, right.co_consts):
        if a is b:
            continue
        if type(a) is type(left) and type(b) is type(left):
            if not _same_work(a, b):
                return False
        elif not _same_constant(a, b):
            return False
    return True


def _same_constant(a, b):
    if type(a) is not type(b):
        return False
    if a is b or (isinstance(a, (int, float)) and a == b != 0):
        return True
    if isinstance(a, frozenset):
        return a == b
    # On Python 3.10 the qualified names of nested functions are constants.
    return repr(a) == repr(b) or (
        isinstance(a, str) and "<locals>." in a and a.rpartition("<locals>.")[2] == b.rpartition("<locals>.")[2]
    )


# --- generated trees -------------------------------------------------------------------------------------------------

# By the address of a code object: a weak reference to it, and its tree.
_trees: dict = {}


def kept(code):
    """The tree that was generated for this code object, or None."""
    entry = _trees.get(id(code))
    return entry[1] if entry is not None and entry[0]() is code else None


def keep(code, tree):
    """Remember a tree for as long as the code object lives."""
    key = id(code)
    _trees[key] = (ref(code, lambda _: _trees.pop(key, None)), tree)
    release(code)
