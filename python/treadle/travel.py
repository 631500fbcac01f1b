"""Kernels and device functions as bytes: what pickle keeps of a dispatcher, and how it is made again elsewhere.

A dispatcher travels by value: its code, the text that this was compiled from (the file need not exist elsewhere), its
options, and what it refers to: closure variables, defaults, and the globals that its code names, each by the rules of
the pickler at work (pickle, cloudpickle). Modules travel by name. Compiled code stays behind: the other process
compiles for its own device, at the first launch or, for functions with explicit signatures, when the function arrives.
"""

import builtins
import marshal
import sys
import weakref
from collections import deque
from importlib import import_module
from pickle import PicklingError
from threading import RLock
from types import CellType, CodeType, FunctionType, ModuleType
from uuid import uuid4

from treadle import _core, source, source_texts

# How many restored dispatchers live on when nothing else refers to them: the next task finds its kernel compiled.
_KEPT = 128

_lock = RLock()
# By key: the dispatchers that were sent or restored here, so that one kernel is made, and compiled, once.
_known: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_latest: deque = deque(maxlen=_KEPT)


class _Absent:
    """The content of a closure variable that has none."""


def reduced(dispatcher):
    """`Dispatcher.__reduce__`. Raises PicklingError if the source text cannot be found."""
    function = dispatcher.py_func
    values = _values(function)
    code = marshal.dumps(function.__code__)
    state = {
        "values": {name: _Named(value.__name__) if _is_importable(value) else value for name, value in values.items()},
        "cells": _cells(function),
        "function": {name: getattr(function, name) for name in _OF_FUNCTIONS},
        "given": _signatures(dispatcher),
        "closed": dispatcher._closed,
        "specialized": dispatcher.specialized,
    }
    made_by = (type(dispatcher), dispatcher.options, code, _python())
    return _restored, (_key(dispatcher, values), made_by, _text(function), function.__module__), state


# Annotations stay behind: kernels need them only when they are decorated, and they may name what is not there.
_OF_FUNCTIONS = ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__")


def _python():
    return f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"


class _Named:
    """A module, which travels by its name."""

    def __init__(self, name):
        self.name = name

    def __reduce__(self):
        return import_module, (self.name,)


def _is_importable(value):
    return isinstance(value, ModuleType) and sys.modules.get(value.__name__) is value


# --- what is sent ----------------------------------------------------------------------------------------------------


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _steps(code):
    from dis import get_instructions

    return [step for one in _codes(code) for step in get_instructions(one)]


def _imported(code):
    """The globals whose attributes are called, in this code, as those of imported modules are."""
    steps = _steps(code)
    pairs = [(name.argval, then) for name, then in zip(steps, steps[1:]) if name.opname == "LOAD_GLOBAL"]
    is_method = {
        name for name, then in pairs
        if then.opname == "LOAD_METHOD" or (sys.version_info >= (3, 12) and then.opname == "LOAD_ATTR" and then.arg & 1)
    }  # fmt: skip
    return sorted({name for name, then in pairs if then.opname == "LOAD_ATTR"} - is_method)


def _values(function):
    """The globals that the function's code names."""
    names = {step.argval for step in _steps(function.__code__) if step.opname == "LOAD_GLOBAL"}
    return {name: function.__globals__[name] for name in sorted(names) if name in function.__globals__}


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return _Absent


def _cells(function):
    contents = map(_content, function.__closure__ or ())
    return [_Named(value.__name__) if _is_importable(value) else value for value in contents]


def _signatures(dispatcher):
    """Those to compile on arrival: the explicit ones, or all where no others may be added."""
    return list(dispatcher.nopython_signatures) if dispatcher._closed else list(dispatcher._given)


def _key(dispatcher, values):
    """Names the dispatcher with what it refers to now: another key where a global or closure variable was rebound."""
    now = [*values.values(), *map(_content, dispatcher.py_func.__closure__ or ()), dispatcher._closed]
    with _lock:
        known, before = dispatcher._sent or ("", ())
        if len(before) != len(now) or any(a is not b for a, b in zip(before, now)):
            known = uuid4().hex
            dispatcher._sent = (known, now)
        _known[known] = dispatcher
    return known


def _text(function):
    """The lines of the function, or, where Python cannot parse them alone, of its whole file."""
    name = function.__qualname__
    if source.kept(function.__code__) is not None:
        lines, first = _core.syntax_text(function)
    else:
        name, found, problem = source.found(function)
        if found is None:
            raise PicklingError(f"cannot pickle {name}: {problem[1]}; {problem[2]}")
        _, lines, first, *_ = found
    # In place of the lines above, what Python compiles calls of `module.name` by: that the name was imported.
    names = ", ".join(_imported(function.__code__))
    for above in ("", f"import {names}") if names and first > 1 else ("",):
        alone = above + "\n" * (first - 1) + lines
        if source.is_in(function, alone):
            return alone
    for whole, _ in source_texts.texts_of(function):
        if source.is_in(function, "\n".join(whole)):
            return "\n".join(whole)
    raise PicklingError(f"cannot pickle {name}: its lines are no statement; write it on lines of its own")


# --- what is made of it ----------------------------------------------------------------------------------------------


def _restored(key, made_by, text, module):
    """The dispatcher of this key, or a new one, which waits for `fill`."""
    with _lock:
        known = _known.get(key)
        if known is None:
            known = _known[key] = _made(made_by, text, module)
            known._sent = (key, ())
            _latest.append(known)
        return known


def _made(made_by, text, module):
    kind, options, code, python = made_by
    if python != _python():
        raise RuntimeError(f"a kernel that {python} has pickled cannot be restored by {_python()}: use one version")
    code = marshal.loads(code)
    names = {"__builtins__": builtins, "__name__": module}
    function = FunctionType(code, names, code.co_name, None, tuple(CellType() for _ in code.co_freevars))
    source_texts.hold_text(code, text)
    core = options.core(options.symbol_of(function))
    made = _core.Dispatcher.__new__(kind, function, options.rules, options.device, core, options.dumps, options.cache)
    made.options = options
    made._given = []
    made._waits = True
    return made


def fill(dispatcher, state):
    """`Dispatcher.__setstate__`. Does nothing for a dispatcher that was here before."""
    with _lock:
        if not dispatcher._waits:
            return
        dispatcher._waits = False
        function = dispatcher.py_func
        function.__globals__.update(state["values"])
        for cell, content in zip(function.__closure__ or (), state["cells"]):
            if content is not _Absent:
                cell.cell_contents = content
        for name, value in state["function"].items():
            setattr(function, name, value)
        # What a later `reduced` compares with; values that pickle has made anew count as the same.
        key, _ = dispatcher._sent
        values = [*_values(function).values(), *map(_content, function.__closure__ or ()), state["closed"]]
        dispatcher._sent = (key, values)
        dispatcher._finish(state)
