"""Kernels and device functions as bytes: pickling of dispatchers, and restoring them elsewhere.

A dispatcher travels by value: its code, the text that this was compiled from (the file need not exist elsewhere), its
options, and what it refers to: closure variables, defaults, and the globals that its code names, each by the rules of
the pickler at work (pickle, cloudpickle). Modules travel by name. Compiled code is not sent: the other process compiles
for its own device, at the first launch or, for functions with explicit signatures, when the function arrives."""

import builtins
import marshal
import sys
import weakref
from collections import deque
from hashlib import sha256
from importlib import import_module
from pickle import Pickler, PicklingError
from types import CellType, CodeType, FunctionType, ModuleType
from uuid import uuid4

from treadle import _core
from treadle.forks import ForkLock
from treadle.source import functions as source
from treadle.source import texts as source_texts

# How many restored dispatchers are kept alive without other references: the next task finds its kernel compiled.
_KEPT = 128

_filling: list = []  # the dispatchers being restored by `fill`


def _wait_again():
    for dispatcher in _filling:
        dispatcher._waits = True
    _filling.clear()


_lock = ForkLock(_wait_again)
# By key: the dispatchers that were sent or restored here, so that a kernel is created, and compiled, once.
_known: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_latest: deque = deque(maxlen=_KEPT)


class _Absent:
    """The content of an empty closure cell."""


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
    return _restored, (_key(dispatcher), made_by, _text(function), function.__module__), state


# Annotations are not sent: kernels need them only when they are decorated, and they may name what is missing there.
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


# --- sending ---------------------------------------------------------------------------------------------------------


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _steps(code):
    from dis import get_instructions

    return [step for one in _codes(code) for step in get_instructions(one)]


def _imported(code):
    """The globals whose attributes this code calls like those of imported modules."""
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
    """Those to compile on arrival: the explicit ones, or all if no others may be added."""
    return list(dispatcher.nopython_signatures) if dispatcher._closed else list(dispatcher._given)


def _restrictions(dispatcher):
    return dispatcher._closed, dispatcher.specialized


def _key(dispatcher):
    """Identifies the dispatcher together with what it refers to now: rebinding or mutation changes the key."""
    now = _Contents.of(dispatcher)  # outside of the lock, as it runs user code
    with _lock:
        known, before = dispatcher._sent or ("", None)
        if before is None or before.digest() != now.digest():
            if _known.get(known) is dispatcher:
                del _known[known]  # its contents, as sent, are outdated
            known = uuid4().hex
            dispatcher._sent = (known, now)
        _known[known] = dispatcher
    return known


class _Contents(Pickler):
    """All that a dispatcher, and the functions that it calls, refer to, as a hash of its pickle. Modules, classes and
    plain functions count by identity, and so do objects that cannot be pickled."""

    @classmethod
    def of(cls, dispatcher):
        try:
            return cls(dispatcher, False)
        except Exception:  # a class may raise anything to refuse pickling
            return cls(dispatcher, True)

    def __init__(self, dispatcher, is_careful):
        self._hashed = sha256()
        super().__init__(self, protocol=5, buffer_callback=lambda buffer: self.write(buffer.raw()))
        self._is_careful = is_careful
        self._same: list = []  # objects that count by identity, kept alive as long as that is compared
        self.dump(dispatcher)

    def digest(self):
        return self._hashed.digest()

    def write(self, data):
        """The pickle, and the buffers of arrays."""
        self._hashed.update(data)
        return len(data)

    def reducer_override(self, value):
        if isinstance(value, _core.Dispatcher):
            function = value.py_func
            referred = [*_values(function).values(), *map(_content, function.__closure__ or ())]
            referred += [function.__defaults__, function.__kwdefaults__, *_restrictions(value)]
            return object, (), [self._by_identity(function.__code__), *map(self._counted, referred)]
        if isinstance(value, (ModuleType, FunctionType, type)) and value is not object and value is not str:
            return str, (self._by_identity(value),)
        return NotImplemented

    def _counted(self, value):
        if self._is_careful and not isinstance(value, _core.Dispatcher):
            try:
                _Contents(value, False)
            except Exception:
                return self._by_identity(value)
        return value

    def _by_identity(self, value):
        self._same.append(value)
        return f"{type(value).__name__} {id(value)}"


def _text(function):
    """The lines of the function, or, if Python cannot parse them alone, of its whole file."""
    name = function.__qualname__
    if source.kept(function.__code__) is not None:
        lines, first = _core.syntax_text(function)
    else:
        name, found, problem = source.found(function)
        if found is None:
            raise PicklingError(f"cannot pickle {name}: {problem[1]}; {problem[2]}")
        _, lines, first, *_ = found
    # Replaces the lines above: Python compiles calls of `module.name` differently if the name was imported.
    names = ", ".join(_imported(function.__code__))
    for above in ("", f"import {names}") if names and first > 1 else ("",):
        alone = above + "\n" * (first - 1) + lines
        if source.is_in(function, alone):
            return alone
    for whole, _ in source_texts.texts_of(function):
        if source.is_in(function, "\n".join(whole)):
            return "\n".join(whole)
    raise PicklingError(f"cannot pickle {name}: its lines are no statement; write it on lines of its own")


# --- restoring -------------------------------------------------------------------------------------------------------


def _restored(key, made_by, text, module):
    """The dispatcher of this key, or a new one, which waits for `fill`."""
    with _lock:
        known = _known.get(key)
        if known is None:
            known = _known[key] = _made(made_by, text, module)
            known._sent = (key, None)
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
        _filling.append(dispatcher)
        try:
            _fill(dispatcher, state)
        finally:
            _filling.remove(dispatcher)


def _fill(dispatcher, state):
    function = dispatcher.py_func
    function.__globals__.update(state["values"])
    for cell, content in zip(function.__closure__ or (), state["cells"]):
        if content is not _Absent:
            cell.cell_contents = content
    for name, value in state["function"].items():
        setattr(function, name, value)
    dispatcher._finish(state)
    # What a later `reduced` compares with; values recreated by pickle count as the same.
    dispatcher._sent = (dispatcher._sent[0], _Contents.of(dispatcher))
