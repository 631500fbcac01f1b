"""Names in kernels: where Python finds them, and what the objects found are to the compiler."""

import sys

from treadle._core import DeviceNDArray, from_cuda_array_interface, other_type_of, types_of
from treadle.typing.dtypes import know_numbas, numpy_class, type_named_by

# The only functions of Numba that have a meaning in kernels.
_NUMBAS = {"literally", "literal_unroll"}

# Ufuncs equivalent to an operator, by the operator's name in the module `operator`.
_OPERATORS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv",
    "floor_divide": "floordiv", "remainder": "mod", "mod": "mod", "power": "pow", "negative": "neg", "positive": "pos",
    "invert": "invert", "bitwise_not": "invert", "bitwise_and": "and_", "bitwise_or": "or_", "bitwise_xor": "xor",
    "left_shift": "lshift", "right_shift": "rshift", "greater": "gt", "greater_equal": "ge", "less": "lt",
    "less_equal": "le", "equal": "eq", "not_equal": "ne",
}  # fmt: skip

# Methods of Enum subclasses that determine operations on members in kernels: of all; of Flags, too; and, if members are
# numbers, everything that numbers have except for these.
_MEMBERS_SAY = {"__eq__", "__ne__", "__bool__", "__len__", "value", "_value_"}
_FLAGS_SAY = {f"__{side}{name}__" for name in ("or", "and", "xor") for side in ("", "r")}
_NUMBERS_LEAVE = {
    "__class__", "__delattr__", "__dir__", "__doc__", "__format__", "__getattribute__", "__getnewargs__", "__hash__",
    "__init__", "__init_subclass__", "__module__", "__new__", "__reduce__", "__reduce_ex__", "__repr__", "__setattr__",
    "__sizeof__", "__str__", "__subclasshook__",
}  # fmt: skip

# Names in the modules `types` and `enum`, which a program need not have loaded.
BuiltinFunctionType, FunctionType, ModuleType = type(len), type(lambda: None), type(sys)


def found(function, name):
    """The object that a name refers to in a function, in a tuple; () if Python would find nothing. A function that is
    being decorated has no name yet, but may call itself by it."""
    code = function.__code__
    if name in code.co_freevars:
        try:
            return (function.__closure__[code.co_freevars.index(name)].cell_contents,)
        except ValueError:
            pass  # it has no value yet
    for scope in (function.__globals__, function.__builtins__):
        if name in scope:
            return (scope[name],)
    return (function,) if name == function.__name__ else ()


def default_of(function, name):
    """The default of a parameter, in a tuple; () if it has none."""
    keywords = function.__kwdefaults__ or {}
    if name in keywords:
        return (keywords[name],)
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]
    pairs = zip(reversed(positional), reversed(function.__defaults__ or ()))
    return tuple(value for parameter, value in pairs if parameter == name)


def function_in(thing):
    """The Python function in a dispatcher (`py_func`), in a staticmethod, or the function itself; None if there is
    none."""
    if type(thing) is FunctionType:
        return thing
    if type(thing) is staticmethod:
        return function_in(thing.__func__)
    if issubclass(type(thing), ModuleType):
        return None  # without calling its `__getattr__`, which may import other modules
    inner = getattr(thing, "py_func", None)
    return inner if type(inner) is FunctionType else None


def options_of(thing):
    """(rules, force_inline, never_inline, signatures as lists of types, library name, is elementwise, into) of what
    kernels call. The library name is what users call a function of the library, "" for all others; `into` as
    `treadle.library.provides` has it.
    """
    options = _declared(thing, "__treadle_options__") or {}
    if type(thing) is FunctionType and _is_of_library(thing):
        options = {"library": f"{thing.__name__}()"}
    signatures = [[type_named_by(item) for item in signature] for signature in options.get("signatures", ())]
    return (
        options.get("rules", "numba"),
        bool(options.get("force_inline")),
        bool(options.get("never_inline")),
        signatures,
        options.get("library", ""),
        bool(options.get("elementwise")),
        options.get("into", ""),
    )


def library_function(key):
    """The library function for a key of the table of builtins; None if there is none."""
    from treadle.library import function_for

    return function_for(key)


def path_of(thing):
    """Where another process finds a class: "module:Class.Inner"; "" for anything else."""
    if not _is_class(thing):
        return ""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    return f"{module}:{name}" if isinstance(module, str) and isinstance(name, str) else ""


def meaning(thing, name):
    """(kind, what) of an object that is not exactly a number, a str or a tuple of Python's. `name`: how the program
    calls it. Tested in a fixed order, which decides for objects of several kinds:

    "builtin" and a key of the table of builtins; "type" and the type that it names; "module", "function",
    "enumeration" and its name; "member" and its name: the caller caches `member_type` of the class, which looks at all
    members; "numpy number" and its type; "time" and the type of such elements; "instead" and the object that it stands
    for; "constant" and None: derived from a number, str or tuple; "object" and its name, if it has no value in kernels;
    "other" and None: an array, if anything.
    """
    if (key := _declared(thing, "__treadle_key__")) is not None:
        return "builtin", key
    if _declared(thing, "__treadle_type__") is not None:
        return "type", type_named_by(thing)
    if issubclass(type(thing), ModuleType):
        return "module", _text(thing, "__name__", name)
    return (
        _pythons_own(thing)
        or _numpys(thing, name)
        or _derived(thing, name)
        or _callee(thing, name)
        or _no_number(thing)
        or _other(thing)
    )


def member_type(kind):
    """(type of the values, is an enum.Flag) of a class derived from Enum, if all values are of one type: numbers, or
    tuples of them. None for others: if the class defines equality, combination, truth or `value` of its members itself,
    if it derives from texts or tuples, or if a value is NaN, as then a member is equal only to itself."""
    is_flag = issubclass(kind, sys.modules["enum"].Flag)
    if _own(kind, _MEMBERS_SAY | _FLAGS_SAY if is_flag else _MEMBERS_SAY) or issubclass(kind, (str, bytes, tuple)):
        return None
    values = [member._value_ for member in kind.__members__.values()]
    try:
        types = {types_of(value)[0] for value in values}
    except (TypeError, OverflowError):
        return None
    if len(types) != 1 or not _has_numbers(type_ := types.pop()) or any(map(_has_nan, values)):
        return None
    return type_, is_flag


def members_of(kind):
    """NameResolver::members of a class: None if it is not an enumeration."""
    if not _is_class(kind) or not _is_enumeration(kind):
        return None
    own = ["truth"] if any({"__bool__", "__len__"} & vars(base).keys() for base in kind.__mro__) else []
    if _own(kind, {"__eq__", "__ne__"}):
        own.append("equality")
    elif kind.__eq__ is not object.__eq__:
        own.append("data")
    pairs = ((name, member) for name, member in kind.__members__.items() if member.name == name)
    return (_called(kind), kind.__mro__, _seen_as(kind), " ".join(own), _flags_in(kind), tuple(kind), *pairs)


def described(thing, class_name):
    """The description, in messages, of an object that kernels cannot use."""
    if _is_class(thing) or callable(thing):
        return _text(thing, "__qualname__", class_name)
    return f"{class_name} of dtype {thing.dtype}" if isinstance(thing, numpy_class("ndarray")) else class_name


def _pythons_own(thing):
    """Functions of math, cmath and operator, and Python's functions and classes, by the module that they claim to be
    from."""
    if not issubclass(type(thing), (type, BuiltinFunctionType)):
        return None
    module, name = _text(thing, "__module__", ""), _text(thing, "__name__", "")
    if _is_class(thing):
        if issubclass(thing, BaseException):
            return None
        if name == "prange" and module.startswith("numba"):
            module = "builtins"
    prefixes = {"builtins": "", "math": "math.", "cmath": "cmath.", "_operator": "operator."}
    return ("builtin", prefixes[module] + name) if module in prefixes else None


def _numpys(thing, name):
    if _is_class(thing) and thing in (numpy_class("dtype"), numpy_class("nditer")):
        return "builtin", f"numpy.{thing.__name__}"
    if (named := type_named_by(thing)) is not None:
        return "type", named
    if isinstance(thing, numpy_class("generic")):
        if isinstance(thing, (numpy_class("datetime64"), numpy_class("timedelta64"))):
            element = other_type_of(thing.dtype)
            return ("time", element) if element is not None and element._is_time else None
        if (number := type_named_by(thing.dtype)) is None:
            return None
        if number._is_text:
            return "constant", None
        return ("other", None) if number._is_record else ("numpy number", number)
    if (
        _is_class(thing)
        and thing.__module__ == "numpy"
        and issubclass(thing, (numpy_class("generic"), numpy_class("ndarray")))
    ):
        return "builtin", f"numpy.{thing.__name__}"
    is_function = isinstance(thing, numpy_class("ufunc")) or (
        callable(thing)
        and not _is_class(thing)
        and _text(thing, "__module__", "") == "numpy"
        and (type(thing) is not FunctionType or numpy_class(thing.__name__) is thing)
    )
    if not is_function:
        return None
    called = _text(thing, "__name__", name)
    is_operator = isinstance(thing, numpy_class("ufunc")) and called in _OPERATORS
    return "builtin", f"operator.{_OPERATORS[called]}" if is_operator else f"numpy.{called}"


def _derived(thing, name):
    """Members of an IntEnum are integers, unless the class has its own operators; other members whose values have no
    common type are only usable as constants."""
    kind = type(thing)
    is_number = issubclass(kind, (int, float, complex))
    if _is_enumeration(kind) and (not is_number or _own(kind, _numbers_say())):
        return "enumeration" if is_number else "member", f"{kind.__name__}.{_text(thing, 'name', name)}"
    return ("constant", None) if issubclass(kind, (int, float, complex, str, bytes, tuple)) else None


def _callee(thing, name):
    """Dispatchers, ours and those of other libraries. Excludes undecorated functions: calling one is an error."""
    if type(thing) is FunctionType and thing.__module__ == "numba.misc.special" and thing.__name__ in _NUMBAS:
        return "builtin", thing.__name__
    if type(thing) is FunctionType and _is_of_library(thing):
        return "function", thing.__name__
    if type(thing) is FunctionType or _is_class(thing):
        return None
    if type(thing) is staticmethod:
        return "instead", thing.__func__
    inner = function_in(thing)
    return None if inner is None else ("function", inner.__name__)


def _is_of_library(function):
    return _text(function, "__module__", "").startswith("treadle.library.")


def _no_number(thing):
    """A NumPy scalar of another kind: its bytes, which it exports as a buffer, are not an array."""
    kind = type(thing)
    return ("object", f"{kind.__module__}.{kind.__qualname__}") if isinstance(thing, numpy_class("generic")) else None


def _other(thing):
    """Foreign device memory is used in place, as Treadle's own arrays are. Raises what `as_cuda_array` does."""
    shown = None if isinstance(thing, DeviceNDArray) else getattr(thing, "__cuda_array_interface__", None)
    return ("instead", from_cuda_array_interface(shown, thing)) if isinstance(shown, dict) else ("other", None)


def _own(kind, names):
    """Whether an Enum subclass defines one of these names itself. Python adds its own methods to subclasses of Flag."""
    enum = sys.modules["enum"]
    pythons = [
        vars(base) for base in (*kind.__mro__, enum.Flag, enum.IntFlag) if base.__module__ in ("enum", "builtins")
    ]
    return any(
        name in vars(base) and all(other.get(name) is not vars(base)[name] for other in pythons)
        for name in names.difference(kind.__members__)
        for base in kind.__mro__
    )


def _numbers_say():
    names = {name for base in (int, float, complex) for name in vars(base) if name.startswith("__")}
    return (names - _NUMBERS_LEAVE) | _MEMBERS_SAY


def _called(kind):
    """The meaning of `kind(x)`: "enum"; "flags", including combinations; "numbers", any nonnegative number; "own", if
    only Python knows."""
    enum = sys.modules["enum"]
    if _own(kind, {"_missing_"}) or type(kind).__call__ is not enum.EnumMeta.__call__:
        return "own"
    is_number = issubclass(kind, enum.IntFlag)
    boundary = getattr(kind, "_boundary_", None) if issubclass(kind, enum.Flag) else None
    if boundary is not None and boundary is not (enum.KEEP if is_number else enum.STRICT):
        return "own"
    return "numbers" if is_number else "flags" if issubclass(kind, enum.Flag) else "enum"


def _seen_as(kind):
    """The plain type as which an enum's members reach a kernel: "" if there is none, "object" for anything."""
    for base in (int, float, complex, str, bytes, tuple):
        if issubclass(kind, base):
            return base.__name__
    return "" if kind.__members__ and member_type(kind) is not None else "object"


def _flags_in(kind):
    """For an IntFlag, the bits that `~` of a member may have; None for others."""
    if not issubclass(kind, sys.modules["enum"].IntFlag) or _own(kind, {"_missing_", "__invert__"}):
        return None
    return int(~kind(0))


def _has_nan(value):
    return any(map(_has_nan, value)) if isinstance(value, tuple) else bool(value != value)


def _is_enumeration(kind):
    return issubclass(kind, getattr(sys.modules.get("enum"), "Enum", ()))


def _has_numbers(type_):
    return type_._is_number or (type_._kind == "tuple" and all(map(_has_numbers, type_.types)))


def _is_class(thing):
    return issubclass(type(thing), type)


def _declared(thing, name):
    """An attribute that the object's class declares (so that no `__getattr__` runs); else None."""
    know_numbas(thing)
    return getattr(thing, name, None) if hasattr(type(thing), name) else None


def _text(thing, attribute, otherwise):
    found = getattr(thing, attribute, None)
    return found if isinstance(found, str) else otherwise
