"""Exceptions that kernels raise, and errors of invalid launches."""


def parameter(function, index):
    """The name of the parameter that takes an argument; those after the last one are `*args`."""
    code = function.__code__
    place = min(index, code.co_argcount)
    return code.co_varnames[place] if place < len(code.co_varnames) else "?"


def takes(function):
    """How many arguments the function takes, and their names."""
    code = function.__code__
    count = code.co_argcount
    at_least = "at least " if code.co_flags & 0x04 else ""  # CO_VARARGS
    return f"{at_least}{count} argument{'' if count == 1 else 's'} ({', '.join(code.co_varnames[:count])})"


def exception(found, names, literals, thread):
    """The exception of a `raise` in a kernel, with the thread prepended to its first argument, as in Numba.

    `found`: the object after `raise`, if this process compiled the kernel, else None. `names`: "module:Class.Inner", or
    "" for a class of Python's own, and the class as written in the kernel. `literals`: its arguments, each followed by
    a comma. RuntimeError replaces a class that is not found.
    """
    import math

    path, name = names
    arguments = list(eval(f"[{literals}]", {"__builtins__": {}, "inf": math.inf, "nan": math.nan}))
    if found is None:
        found = _imported(path) if path else _builtin(name)
    if isinstance(found, BaseException):
        arguments = list(found.args)
        found = type(found)
    if not isinstance(found, type) or not issubclass(found, BaseException):
        found, thread = RuntimeError, f"{thread} {name}"
    if not arguments:
        return found(thread)
    return found(f"{thread}: {arguments[0]}", *arguments[1:])


def _builtin(name):
    import builtins

    return getattr(builtins, name, None)


def _imported(path):
    """None if it does not exist (any more)."""
    import importlib

    module, _, names = path.partition(":")
    try:
        found = importlib.import_module(module)
        for name in names.split("."):
            found = getattr(found, name)
    except Exception:
        return None
    return found
