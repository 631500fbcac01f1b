"""Keys of functions: bytes that are equal only for functions with the same source in the same place, in any process.

Called by the compiler, to look up the results of earlier processes. Much cheaper than finding the function's syntax
tree: nothing is parsed where the text is a file's.
"""

import sys
from _weakref import ref
from marshal import dumps

from treadle._core import cell_folder
from treadle.source import functions as source
from treadle.source.functions import is_in_lines, kept, searches

# Without references between the parts, which depend on the rest of the process.
_MARSHAL_VERSION = 2

# By the address of a code object: a weak reference to it, and its key.
_keys: dict = {}


def key_of(function):
    """The key of a plain Python function; b"" if its text cannot be had. It is that of the text which `locate` parses,
    also when the file changes afterwards."""
    code = function.__code__
    known = _keys.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    # An existing tree is of a text that can no longer be determined.
    key = b"" if kept(code) is not None else _made(function)
    address = id(code)
    _keys[address] = (ref(code, lambda _: _keys.pop(address, None)), key)
    return key


def _made(function):
    code = function.__code__
    for lines, belongs, thoroughly in searches(function):
        if belongs or is_in_lines(function, lines, thoroughly):
            text = "\n".join(_block(lines, code)).encode("utf-8", "surrogatepass")
            # Also the instructions, since the text may have changed; they identify the file and all positions, too.
            return b"%x %d\n" % (sys.hexversion, len(text)) + text + dumps(_placed(code), _MARSHAL_VERSION)
    return b""


def _placed(code):
    """The code; that of a notebook's cell with a file name that is the same in all processes."""
    _, folder, cell = code.co_filename.rpartition(cell_folder())
    return _in_file(code, f"<cell {cell}>") if folder else code


def _in_file(code, name):
    inner = tuple(_in_file(one, name) if type(one) is type(code) else one for one in code.co_consts)
    return code.replace(co_filename=name, co_consts=inner)


def _block(lines, code):
    """The function's lines, and no line of another statement of its scope unless it is in the function's last line."""
    first, last = code.co_firstlineno, _last_line(code)
    if not 1 <= first <= len(lines):
        return []
    start = lines[first - 1]
    depth = len(start) - len(start.lstrip())
    end = max(first, last)
    for number in range(end, len(lines)):
        content = lines[number].lstrip()
        if content:
            if len(lines[number]) - len(content) <= depth:
                break
            end = number + 1
    return lines[first - 1 : end]


def _last_line(code):
    lines = [line for _, _, line in code.co_lines() if line is not None]
    inner = [_last_line(one) for one in code.co_consts if type(one) is type(code)]
    return max(lines + inner, default=code.co_firstlineno)


# The cached result of `finder`.
_finder: bytes = b""


def finder():
    """The instructions that find a function's node in a text: different ones might find another node in the same
    text."""
    global _finder
    if not _finder:
        own = [source, *(value for value in vars(source).values() if type(value) is type)]
        functions = [value for one in own for value in vars(one).values() if type(value) is type(finder)]
        _finder = dumps([_work(one.__code__) for one in functions], _MARSHAL_VERSION)
    return _finder


def _work(code):
    """The work of a code object, without positions."""
    return code.co_code, code.co_names, [_work(one) if type(one) is type(code) else one for one in code.co_consts]


def closure_names(function):
    """The names that the function takes from the functions around it."""
    return function.__code__.co_freevars
