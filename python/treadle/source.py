"""Finds the source of a Python function and its node in Python's syntax tree.

Called by the compiler, once for each function, never by users. Imports nothing that Python has not loaded already: the
usual way, `inspect` and `ast`, costs as much as compiling the kernel. What is found here stands in a file, in the cache
of `linecache` (notebooks, doctests, the interactive prompt of Python 3.13), in the text that an archive's loader has,
in `python -c`, or among the texts that were compiled without a file (`exec`), which the extension remembers.
"""

import os
import sys
from _weakref import ref

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_FUTURE_MASK = 0x1FE0000  # the compiler flags of all `from __future__` imports
# The extension's memory of compiled texts leaves this file name out.
_OWN_FILE = "<treadle>"
_MAX_CUTS = 16
_FAR = 1 << 24  # more lines than a file has


class NotFoundError(Exception):
    """The source cannot be had. Arguments: why, and what to do."""


_EXEC_HELP = (
    "put the function into a file, or import treadle before the text is compiled; "
    "text that is compiled from a syntax tree or a saved code object cannot be found"
)


def locate(function):
    """Return (node, text, first line, line offset) of a plain Python function.

    The node is a FunctionDef or a Lambda; the text is the function's lines; a line number in the node plus the offset
    is the line in the file. Raises NotFoundError.
    """
    code = function.__code__
    lines = _lines(function)
    first = code.co_firstlineno
    if not 1 <= first <= len(lines):
        raise _changed(code)
    if code.co_name == "<lambda>":
        return _lambda(code, lines)
    for node, offset in _statements(lines, first):
        if _is_def(node):
            return _checked(code, node, lines, offset)
        break
    for node in _walk(_whole(lines), first, False):
        return _checked(code, node, lines, 0)
    raise _changed(code)


# --- text ------------------------------------------------------------------------------------------------------------

# The path and state of the file that was read last, and its lines.
_last_file: tuple = (None, None)


def _lines(function):
    """All lines of the text that the function's line numbers count in."""
    code = function.__code__
    file, module = code.co_filename, function.__globals__
    lines = _file_lines(_path(file, module))
    if lines is None:
        lines = _compiled_lines(code)
    if lines is None:
        lines = _cached_lines(file, module)
    if lines is None:
        lines = _loader_lines(file, module)
    if lines is None:
        raise NotFoundError(f"the source of '{function.__qualname__}' cannot be found", _advice(code.co_filename))
    return lines


def _path(file, module):
    """The file's absolute path where the program has changed its folder since it was started."""
    known = module.get("__file__")
    if isinstance(known, str) and not os.path.isabs(file) and os.path.basename(known) == os.path.basename(file):
        return known
    return file


def _advice(file):
    if file == "<stdin>":
        return "put the function into a file: Python keeps no text of what it reads from its standard input"
    if file.startswith("<"):
        return _EXEC_HELP
    return f"compiling needs the source: see that {file} is there"


def _split(text):
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _file_lines(file):
    """Lines of a file on disk; None where there is none. The file asked for last is kept."""
    global _last_file
    if file.startswith("<") and file.endswith(">"):
        return None
    try:
        with open(file, "rb") as stream:
            facts = os.fstat(stream.fileno())
            status = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
            if _last_file[0] == (file, status):
                return _last_file[1]
            data = stream.read()
    except (OSError, ValueError):
        return None
    lines = _split(_decode(data))
    _last_file = ((file, status), lines)
    return lines


def _decode(data):
    """UTF-8, or what the file's first two lines declare."""
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    if b"coding" in b"".join(data.split(b"\n", 2)[:2]):
        from io import BytesIO
        from tokenize import detect_encoding

        encoding, _ = detect_encoding(BytesIO(data).readline)
        return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")


def _cached_lines(file, module_globals):
    """What linecache has, without importing it: who fills it has imported it (IPython, doctest)."""
    linecache = sys.modules.get("linecache")
    if linecache is None:
        return None
    lines = linecache.getlines(file, module_globals)
    return _split("".join(lines)) if lines else None


def _loader_lines(file, module_globals):
    """The text that the module's loader has: modules inside archives."""
    if file.startswith("<"):
        return None
    loader = module_globals.get("__loader__")
    get_source = getattr(loader, "get_source", None)
    try:
        text = get_source(module_globals.get("__name__")) if get_source else None
    except (ImportError, OSError):
        text = None
    return _split(text) if text else None


def _compiled_lines(code):
    """Lines of the text that this code was compiled from, among the texts without a file."""
    for text in _compiled_texts(code):
        if text.count("\n") + 1 < code.co_firstlineno:
            continue
        try:
            made = compile(text, _OWN_FILE, "exec", code.co_flags & _FUTURE_MASK, True)
        except (SyntaxError, ValueError):
            continue
        if any(_equal(code, candidate) for candidate in _codes(made)):
            return _split(text)
    return None


def _compiled_texts(code):
    from treadle._core import exec_texts

    needle = "lambda" if code.co_name == "<lambda>" else code.co_name
    yield from exec_texts(code.co_filename, needle)
    if code.co_filename == "<string>":
        yield from _command_texts(sys.orig_argv)


def _command_texts(arguments):
    """What may be the text of `python -c text`: the option may stand behind others, as in `-Ic`."""
    for index, argument in enumerate(arguments[1:], 1):
        if argument.startswith("-") and "c" in argument:
            text = argument.partition("c")[2] or "".join(arguments[index + 1 : index + 2])
            yield text
            # Python 3.14 removes the common indentation.
            yield "if 1:\n" + text


def _codes(code):
    yield code
    for constant in code.co_consts:
        if type(constant) is type(code):
            yield from _codes(constant)


def _equal(left, right):
    # The second comparison serves code that a debugger or a coverage tool has instrumented.
    return left == right or (
        left.co_firstlineno == right.co_firstlineno and left.co_name == right.co_name and _same_work(left, right)
    )


def _same_work(left, right):
    """Equal but for positions: the same instructions over the same names and constants."""
    if left.co_code != right.co_code or len(left.co_consts) != len(right.co_consts):
        return False
    names = ("co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_kwonlyargcount")
    if any(getattr(left, name) != getattr(right, name) for name in names):
        return False
    for a, b in zip(left.co_consts, right.co_consts):
        if type(a) is type(left) and type(b) is type(left):
            if not _same_work(a, b):
                return False
        elif type(a) is not type(b) or (repr(a) != repr(b) and not (isinstance(a, frozenset) and a == b)):
            return False
    return True


# --- nodes -----------------------------------------------------------------------------------------------------------


def _parse(text):
    return compile(text, _OWN_FILE, "exec", _ONLY_AST, True)


def _whole(lines):
    try:
        return _parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return None


def _statements(lines, first):
    """Yield (statement, line offset) for the statement that starts in line `first`, as short texts that parse.

    The text is cut before a line that is not indented deeper. Such a line may belong to the statement (a closing
    bracket, the inside of a string), so there are several cuts to try.
    """
    start = lines[first - 1]
    indent = start[: len(start) - len(start.lstrip())]
    prefix, offset = ("if 1:\n", first - 2) if indent else ("", first - 1)
    for end in _cuts(lines, first, indent):
        try:
            tree = _parse(prefix + "\n".join(lines[first - 1 : end]) + "\n")
        except (SyntaxError, ValueError):
            continue
        statements = tree.body[0].body if indent else tree.body
        if statements:
            yield statements[0], offset


def _cuts(lines, first, indent):
    header_seen = not lines[first - 1].lstrip().startswith("@")
    depth = len(indent)
    count = 0
    for index in range(first, len(lines)):
        line = lines[index]
        if line.startswith(indent) and line[depth : depth + 1] in (" ", "\t"):
            continue
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        if header_seen:
            yield index
            count += 1
            if count == _MAX_CUTS:
                return
        elif content.startswith(("def", "async", "class")):
            header_seen = True
    yield len(lines)


def _checked(code, node, lines, offset):
    """The node of a def, if it can be the one that the code was made from."""
    if node.name != code.co_name:
        raise _changed(code)
    first = _first_line(node) + offset
    if first != code.co_firstlineno and node.lineno + offset != code.co_firstlineno:
        raise _changed(code)
    arguments = node.args
    plain = [argument.arg for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    # Inside classes Python renames parameters such as `__x`.
    if len(plain) != len(known) or not all(name.endswith(given) for name, given in zip(known, plain)):
        raise _changed(code)
    return _found(node, lines, first, offset)


def _found(node, lines, first, offset):
    return node, "\n".join(lines[first - 1 : node.end_lineno + offset]), first, offset


def _changed(code):
    return NotFoundError(
        f"'{code.co_name}' is not in line {code.co_firstlineno} of {code.co_filename} any more",
        "the file has changed since it was imported: import it again, or restart Python",
    )


def _walk(tree, line, lambdas):
    """Yield the lambdas, or the defs, that start in that line, the inner ones of each after it."""
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
    """The line of a statement or expression, of a decorated one that of its first decorator."""
    decorators = getattr(node, "decorator_list", None)
    return min(node.lineno, decorators[0].lineno) if decorators else node.lineno


def _lambda(code, lines):
    first = code.co_firstlineno
    extent = _extent(code)
    if extent is not None:
        for statement, offset in _statements(lines, first):
            node = _innermost(_walk(statement, first - offset, True), extent, offset)
            if node is not None:
                return _found(node, lines, first, offset)
            break
    tree = _whole(lines)
    if tree is None:
        raise _changed(code)
    nodes = list(_walk(tree, first, True))
    node = _innermost(nodes, extent, 0) if extent is not None else None
    if node is None:
        node = _recompiled(code, tree, nodes)
    if node is None:
        raise _changed(code)
    return _found(node, lines, first, 0)


def _extent(code):
    """((first line, column), (last line, column)) of what the code does; None where it has no columns."""
    if not hasattr(code, "co_positions"):
        return None
    known = [position for position in code.co_positions() if None not in position and position[2:] != (0, 0)]
    if not known:
        return None
    return min((line, column) for line, _, column, _ in known), max((line, column) for _, line, _, column in known)


def _innermost(nodes, extent, offset):
    """The smallest lambda whose body holds all that the code does. The inner ones of nested lambdas come last."""
    found = None
    for node in nodes:
        body = node.body
        start = (body.lineno + offset, body.col_offset)
        end = (body.end_lineno + offset, body.end_col_offset)
        if start <= extent[0] and extent[1] <= end:
            found = node
    return found


def _recompiled(code, tree, nodes):
    """The lambda that compiles to this code, where the code has no columns (Python 3.10, constants on 3.12).

    One candidate after the other is moved to lines of its own, by which its new code object is known: the inner ones of
    nested lambdas first, as they move with the outer ones. Lambdas of one line that compile to the same are the same.
    """
    for node in reversed(nodes):
        _move(node, _FAR)
        made = compile(tree, _OWN_FILE, "exec", code.co_flags & _FUTURE_MASK, True)
        _move(node, -_FAR)
        for candidate in _codes(made):
            if candidate.co_firstlineno == code.co_firstlineno + _FAR and _same_work(code, candidate):
                return node
    return None


def _move(node, lines):
    stack = [node]
    while stack:
        node = stack.pop()
        if hasattr(node, "lineno"):
            node.lineno += lines
            node.end_lineno += lines
        stack.extend(_children(node))


def _children(node):
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            if hasattr(child, "_fields"):
                yield child


# --- trees that were made --------------------------------------------------------------------------------------------

# By the address of a code object: a weak reference to it, and its tree.
_trees: dict = {}


def kept(code):
    """The tree that was made of this code object, or None."""
    entry = _trees.get(id(code))
    return entry[1] if entry is not None and entry[0]() is code else None


def keep(code, tree):
    """Remember a tree for as long as the code object lives."""
    key = id(code)
    _trees[key] = (ref(code, lambda _: _trees.pop(key, None)), tree)
