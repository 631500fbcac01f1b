"""Finds the source of a Python function and its node in Python's syntax tree.

Called by the compiler, once per function, never by users. Imports nothing that Python has not already loaded: the usual
way, `inspect` and `ast`, costs as much as compiling the kernel. `source_texts` finds the candidate texts; the right one
is recognised by compiling the node found in it, which must produce the function's own code.
"""

import sys
from _weakref import ref

from treadle.source_texts import advice, release, texts_of

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_FUTURE_MASK = 0x1FE0000  # the compiler flags of all `from __future__` imports
# The extension's record of compiled texts excludes this file name.
_OWN_FILE = "<treadle>"
_MAX_CUTS = 16
_BEYOND_A_LINE = ('"""', "'''", "\\")  # all that a string has which goes on in the next line
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
    """Return (node, text, first line, line offset, class) of a plain Python function.

    The node is a FunctionDef or a Lambda; the text is the function's lines; a line number in the node plus the offset
    is the line in the file; the class is the innermost enclosing one, as used for name mangling. Raises NotFoundError.
    """
    code = function.__code__
    around = _class_around(getattr(code, "co_qualname", function.__qualname__))
    has_changed = False
    for lines, belongs in texts_of(function):
        found = _find(function, lines, around)
        if found is not None:
            return (*found, around)
        has_changed |= belongs
    if has_changed:
        raise _changed(code)
    raise NotFoundError(f"the source of '{function.__qualname__}' cannot be found", advice(code.co_filename))


def is_in(function, text):
    """Whether the function was compiled from this text."""
    return is_in_lines(function, text.split("\n"))


def is_in_lines(function, lines):
    """Whether the function was compiled from the text with these lines."""
    around = _class_around(getattr(function.__code__, "co_qualname", function.__qualname__))
    return _find(function, lines, around) is not None


def may_say(function, name):
    """Whether the function may mean `consteval` by something that it calls: by an attribute's name, or by any name
    where the program has loaded it."""
    return "treadle.compile_time" in sys.modules or any(name in code.co_names for code in _codes(function.__code__))


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


def _find(function, lines, around):
    """(node, text, first line, line offset); None if the function was not compiled from these lines."""
    code = function.__code__
    first = code.co_firstlineno
    if not 1 <= first <= len(lines):
        return None
    fitting = [
        (node, offset)
        for node, offset in _candidates(lines, first, code.co_name == "<lambda>")
        if not _is_def(node) or node.name == code.co_name
    ]
    for node, offset in fitting:
        if _makes(node, lines[node.lineno + offset - 1 : node.end_lineno + offset], function, around):
            return _found(node, lines, first, offset)
    if len(fitting) == 1 and _text_makes(lines, code):
        return _found(fitting[0][0], lines, first, fitting[0][1])
    return None


def _found(node, lines, first, offset):
    return node, "\n".join(lines[first - 1 : node.end_lineno + offset]), first, offset


def _candidates(lines, first, is_lambda):
    """Yield (node, line offset) of the defs or lambdas in line `first`, nested ones before the enclosing ones."""
    statement, offset = _statement(lines, first)
    if statement is not None and not is_lambda and _is_def(statement):
        yield statement, offset
        return
    if statement is not None and is_lambda:
        yield from ((node, offset) for node in reversed(list(_walk(statement, first - offset, True))))
    yield from ((node, 0) for node in reversed(list(_walk(_whole(lines), first, is_lambda))))


def _parse(text):
    return compile(text, _OWN_FILE, "exec", _ONLY_AST, True)


def _whole(lines):
    try:
        return _parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return None


def _statement(lines, first):
    """(statement, line offset) of the statement that starts in line `first`, parsed from a short text, or (None, 0).

    The text is cut before a line that is not indented deeper. Such a line may belong to the statement (a closing
    bracket, the inside of a string), so several cuts are tried. Decorators are left out: nobody looks at them, and
    parsing them takes as long as parsing a short function.
    """
    start = lines[first - 1]
    indent = start[: len(start) - len(start.lstrip())]
    for header, end in _cuts(lines, first, indent):
        # What looks like a def may be inside a string that began above.
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


def _makes(node, lines, function, around):
    """Whether a def or lambda, with its lines, compiles to the function's code, in a scope like the enclosing one."""
    code = function.__code__
    # Calls of attributes of imported modules compile to other instructions.
    modules = [name for name in code.co_names if type(function.__globals__.get(name)) is _Module]
    imports = f"import {', '.join(modules)}\n" if modules else ""
    try:
        # From text, and without its decorators, a def of the module compiles in half the time.
        if _is_def(node) and node.col_offset == 0 and not code.co_freevars:
            made = _made(imports + "\n".join(lines), code)
        else:
            made = _made_inside(node, imports, code, around)
    except (SyntaxError, ValueError):
        return _is_rewritten(code, node)
    except RecursionError:
        return True  # too deep to compile from a tree, unlike from text
    for candidate in _codes(made):
        if _same_work(code, candidate):
            return True
    return _is_rewritten(code, node)


def _is_rewritten(code, node):
    """Whether a tool has rewritten the function (pytest's asserts): it has names that no text has, and the parameters
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


def _made(source, code):
    return compile(source, _OWN_FILE, "exec", code.co_flags & _FUTURE_MASK, True)


def _made_inside(node, imports, code, around):
    """The code of a module that has the node inside a function, and that inside the class."""
    scope = f"class {around}:" if around else "if 1:"
    variables = "".join(f"{name} = " for name in code.co_freevars)
    # Names that are not variables of the enclosing function are globals, even the function's own name.
    own = f"global {code.co_name}" if _is_def(node) and code.co_name not in code.co_freevars else "0"
    tree = _parse(f"{imports}{scope}\n def _():\n  {own}\n  {variables}0\n")
    body = tree.body[-1].body[0].body
    if _is_def(node):
        body.append(node)
    else:
        body[1].value = node
    return _made(tree, code)


def _text_makes(lines, code):
    """Whether compiling the whole text produces this code in the same line: decisive, but slow."""
    try:
        made = _made("\n".join(lines), code)
    except (SyntaxError, ValueError):
        return False
    return any(made.co_firstlineno == code.co_firstlineno and _same_work(code, made) for made in _codes(made))


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
