"""`consteval`: code in kernels that Python runs while they are compiled.

`Code` is made by the reader of sources, once for each place; `evaluate` is called by the compiler, once for each list
of values that the names in it have. Loaded by `treadle.cuda.experimental`, or by the first kernel that uses
`consteval`.
"""

import _ast
import sys
from contextlib import suppress
from itertools import islice
from types import FunctionType

from treadle.source.names import found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

MOST_COPIES = 4096
_FILE = "<consteval>"
_HERE = "consteval() sees globals, closure variables, builtins, and variables whose values are known while compiling"
_SCOPES = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.Lambda, _ast.ClassDef)
_COMPREHENSIONS = (_ast.ListComp, _ast.SetComp, _ast.DictComp, _ast.GeneratorExp)
_CANNOT = {
    _ast.Return: "return", _ast.Yield: "yield", _ast.YieldFrom: "yield", _ast.Await: "await", _ast.Global: "global",
    _ast.Nonlocal: "nonlocal", _ast.AsyncFor: "async for", _ast.AsyncWith: "async with",
}  # fmt: skip


class _Consteval:
    """consteval(value): `value`, which Python computes while the kernel is compiled: a constant of the kernel.

    `for x in consteval(items):` compiles its body once for each item, up to 4096, where x is a constant;
    `with consteval():` has its statements run by Python, and what they assign are constants afterwards. The code sees
    globals, closure variables, builtins and those variables of the kernel whose values are known while compiling; of
    others, types alone: `x.dtype`, `x.ndim`. Raises a CompileError while compiling, with the Python exception, where
    the code raises one. On the host it is `value`, and the block as it stands.

    >>> import numpy as np
    >>> from treadle import cuda
    >>> from treadle.cuda.experimental import consteval
    >>> weights = {"left": 0.25, "right": 0.75}
    >>> @cuda.jit
    ... def kernel(out):
    ...     for k, name in consteval(enumerate(weights)):
    ...         out[k] = consteval(100 * weights[name])
    >>> kernel[1, 1](out := np.zeros(2))
    >>> out.tolist()
    [25.0, 75.0]
    """

    __treadle_key__ = "consteval"

    def __call__(self, *value: "Any") -> "Any":
        if len(value) > 1:
            raise TypeError(f"consteval() takes one value, {len(value)} given")
        return value[0] if value else self

    def __enter__(self) -> "AbstractContextManager[None]":
        return self  # type: ignore[return-value]

    def __exit__(self, *error: object) -> None:
        return None

    def __repr__(self) -> str:
        return "<consteval>"

    def __reduce__(self) -> str:
        return "consteval"


consteval = _Consteval()


# --- called by the reader of sources ---------------------------------------------------------------------------------


def is_meant(callee, function):
    """Whether the ast of a callee means `consteval` in the function."""
    return _meaning(callee, function, True) is consteval


def _meaning(node, function, is_callee=False):
    if isinstance(node, _ast.Name):
        is_own = node.id in (*function.__code__.co_varnames, *function.__code__.co_cellvars)
        return None if is_own else (*found(function, node.id), None)[0]
    if not isinstance(node, _ast.Attribute) or (is_callee and node.attr != "consteval"):
        return None
    owner = _meaning(node.value, function)
    return getattr(owner, node.attr, None) if isinstance(owner, type(sys)) else None


class Code:
    """An ast.expr, or the statements of an ast.With. `reads`, `binds`: names. `problem`, `line`: why the code cannot be
    run on its own, and where; "" if it can."""

    def __init__(self, node, class_name):
        self.is_block = isinstance(node, _ast.With)
        self.body = node.body if self.is_block else [_placed(_ast.Return, node, value=node)]
        self.class_name = class_name
        self.problem, self.line = "", 0
        self.made = {}
        binds = dict.fromkeys(name for part in self.body for name in _bound(part)) if self.is_block else {}
        self.binds = tuple(map(self.mangled, binds))
        self.reads = tuple(map(self.mangled, dict.fromkeys(_read(self.body))))
        self.check()

    def mangled(self, name):
        """Mangles `__x` as Python does inside classes."""
        hidden = self.class_name and name.startswith("__") and not name.endswith("__")
        return f"_{self.class_name}{name}" if hidden else name

    def check(self):
        where = "under `with consteval():`" if self.is_block else "in consteval()"
        cannot = _CANNOT if self.is_block else {**_CANNOT, _ast.NamedExpr: "`:=`"}
        for node in _inside(self.body if self.is_block else [self.body[0].value]):
            if what := cannot.get(type(node)):
                self.problem, self.line = f"{what} cannot be used {where}", node.lineno
                return
        try:
            self.function(())
        except SyntaxError as error:
            self.problem = f"Python cannot compile what is {where}: {error.msg}"
            self.line = error.lineno or 0

    def function(self, names):
        """The code of a function of these names, and of one that returns its variables."""
        if names not in self.made:
            self.made[names] = self.compiled([*names, ".variables"])
        return self.made[names]

    def compiled(self, names):
        where = self.body[0]
        body = self.body
        if self.is_block:
            call = _placed(_ast.Call, where, func=_placed(_ast.Name, where, id=".variables", ctx=_ast.Load()))
            call.args = call.keywords = []
            body = [*body, _placed(_ast.Return, where, value=call)]
        parameters = [_placed(_ast.arg, where, arg=name) for name in names]
        arguments = _ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[])
        made = _placed(_ast.FunctionDef, where, name="consteval", args=arguments, body=body, decorator_list=[])
        made.type_params = []
        if self.class_name:
            made = _placed(_ast.ClassDef, where, name=self.class_name, bases=[], keywords=[], body=[made])
            made.decorator_list, made.type_params = [], []
        code = compile(_ast.Module(body=[made], type_ignores=[]), _FILE, "exec", 0, True)
        while code.co_name != "consteval":
            code = next(inner for inner in code.co_consts if isinstance(inner, type(code)))
        return code


def _placed(kind, where, **fields):
    place = {name: getattr(where, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
    return kind(**fields, **place)


def _parts(node):
    for name in node._fields:
        value = getattr(node, name, None)
        for part in value if isinstance(value, list) else (value,):
            if isinstance(part, _ast.AST):
                yield part


def _inside(nodes):
    """The nodes that run in the scope of these, not in that of a nested function."""
    for node in nodes:
        yield node
        if not isinstance(node, _SCOPES):
            yield from _inside(_parts(node))


def _bound(node, in_comprehension=False):
    """The names that a statement may bind."""
    in_comprehension |= isinstance(node, _COMPREHENSIONS)
    if isinstance(node, _ast.NamedExpr):
        yield node.target.id
    elif isinstance(node, _ast.Name) and not isinstance(node.ctx, _ast.Load) and not in_comprehension:
        yield node.id
    elif isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)):
        yield node.name
    elif isinstance(node, _ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, (_ast.ExceptHandler, _ast.MatchAs, _ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, _ast.MatchMapping) and node.rest:
        yield node.rest
    if not isinstance(node, _SCOPES):
        for part in _parts(node):
            yield from _bound(part, in_comprehension)


def _read(statements):
    """The names whose values before the statements may matter."""
    given = set()
    for statement in statements:
        always = set()
        if isinstance(statement, (_ast.Assign, _ast.FunctionDef, _ast.ClassDef, _ast.Import, _ast.ImportFrom)):
            always = set(_bound(statement))
        named = (node for node in _all(statement) if isinstance(node, _ast.Name))
        for name in named:
            if name.id not in given and (isinstance(name.ctx, _ast.Load) or name.id not in always):
                yield name.id
        given |= always


def _all(node):
    yield node
    for part in _parts(node):
        yield from _all(part)


# --- called by the compiler ------------------------------------------------------------------------------------------


class NotKnownError(TypeError):
    """Compile-time code has used a value that is known only at run time."""


class _AtRunTime:
    """A placeholder for a value that is known only at run time: it has only its type's attributes, and may be compared
    with types."""

    __slots__ = ("_name", "_type")

    def __init__(self, name, type_):
        self._name, self._type = name, type_

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._type, name, None)
        if value is None:
            raise _not_known(self)
        return value

    def __eq__(self, other):
        if type(other) is not type(self._type):
            raise _not_known(self)
        return self._type == other

    def __ne__(self, other):
        return not self == other

    def __repr__(self):
        return repr(self._type)

    def __str__(self):
        return repr(self)

    def __format__(self, spec):
        return format(repr(self), spec)

    @property  # type: ignore[misc]
    def __class__(self):
        raise _not_known(self)


class _Unset(_AtRunTime):
    """A placeholder for an unassigned variable."""

    __slots__ = ()

    def __getattr__(self, name):
        raise _not_known(self)

    def __eq__(self, other):
        raise _not_known(self)

    def __repr__(self):
        raise _not_known(self)


def _not_known(value):
    name = object.__getattribute__(value, "_name")
    if type(value) is _Unset:
        return UnboundLocalError(f"'{name}' is read, but no assignment to it can have run before")
    return NotKnownError(f"'{name}' is known only at run time")


def _refuse(self, *_):
    raise _not_known(self)


for _operation in (
    "abs add and array bool bytes call ceil complex contains delitem divmod enter float floor floordiv ge getitem gt "
    "hash iadd iand ifloordiv ilshift imatmul imod imul index int invert ior ipow irshift isub iter itruediv ixor le "
    "len lshift lt matmul mod mul neg next or pos pow radd rand rdivmod reversed rfloordiv rlshift rmatmul rmod rmul "
    "ror round rpow rrshift rshift rsub rtruediv rxor setitem sub truediv trunc xor"
).split():
    setattr(_AtRunTime, f"__{_operation}__", _refuse)


def number(type_name, value):
    """A number of a type that Python lacks: NumPy's scalar, if NumPy is available."""
    try:
        import numpy
    except ImportError:
        return value
    return numpy.dtype(type_name).type(value)


def evaluate(code, function, names, wants_items):
    """The result of the code, run by Python in the scope of `function`. `names`: (name, kind, value) of its variables,
    where the kind is "known"; "run time", with the type as value; or "unset".

    Returns (True, value): of a block, a tuple for `code.binds`; with `wants_items`, a tuple of what the value iterates
    over. Or (False, kind of error, message, what to do, line in the text that was parsed, or 0).
    """
    stands = {"run time": _AtRunTime, "unset": _Unset}
    values = {name: stands[kind](name, value) if kind in stands else value for name, kind, value in names}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if name in code.reads and name not in values:
            with suppress(ValueError):  # it has no value yet
                values[name] = cell.cell_contents
    compiled = code.function(tuple(values))
    run = FunctionType(compiled, function.__globals__, "consteval")
    try:
        result = run(*values.values(), locals)
        if code.is_block:
            return True, tuple(_after(name, result) for name in code.binds)
        return _items(result) if wants_items else (True, _checked(result))
    except Exception as error:
        return False, *_told(error, compiled)


def _after(name, variables):
    """The value that a block has given to a name. If it has given none, an object whose class says so."""
    value = variables.get(name, variables)
    if value is variables or _unknown_in(value) is not None:
        return type("without a value after `with consteval():`", (), {})()
    return value


def _unknown_in(value):
    """The placeholder for an unknown value in `value`: itself, or an item of a tuple; None if there is none."""
    if type(value) in (_AtRunTime, _Unset):
        return value
    found = map(_unknown_in, value) if isinstance(value, tuple) else ()
    return next((item for item in found if item is not None), None)


def _checked(value):
    if (unknown := _unknown_in(value)) is not None:
        raise _not_known(unknown)
    return value


def _items(value):
    items = tuple(islice(iter(value), MOST_COPIES + 1))
    if len(items) > MOST_COPIES:
        what = f"a loop over consteval(...) has more than {MOST_COPIES} items, and its body is compiled for each"
        return False, "limit", what, "loop over range() or an array at run time", 0
    return True, _checked(items)


def _told(error, compiled):
    codes = {compiled, *_codes_in(compiled)}
    line, where, step = 0, "", error.__traceback__
    while step is not None:
        if step.tb_frame.f_code in codes:
            line, where = step.tb_lineno, ""
        elif step.tb_frame.f_code.co_filename != __file__:
            where = f", in {step.tb_frame.f_code.co_name}(), {step.tb_frame.f_code.co_filename}:{step.tb_lineno}"
        step = step.tb_next
    if isinstance(error, NotKnownError):
        return "constant", str(error), f"{_HERE}; of others, their types: x.dtype, x.ndim", line
    remedy = _HERE if isinstance(error, NameError) else "Python runs this code while the kernel is compiled"
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return "value", f"consteval() has raised {text}{where}", remedy, line


def _codes_in(code):
    for inner in code.co_consts:
        if isinstance(inner, type(code)):
            yield inner
            yield from _codes_in(inner)
