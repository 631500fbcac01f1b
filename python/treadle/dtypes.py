"""Types by the names that Python and NumPy have for them: classes of numbers, dtypes and their texts."""

import sys

from treadle import _core

_PYTHONS = {
    bool: _core.type_named("bool"),
    int: _core.type_named("int64"),
    float: _core.type_named("float64"),
    complex: _core.type_named("complex128"),
}
# NumPy's classes of types. They have no dtype: asking for one warns or fails.
_ABSTRACT = {
    "generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "complexfloating", "floating",
    "flexible", "character",
}  # fmt: skip
# Records in records deeper than this are not read.
_DEEPEST = 16


def type_named_by(thing):
    """The type that an object names when it is called or given as a dtype; None if it names none."""
    if hasattr(type(thing), "__treadle_type__"):
        declared = getattr(thing, "__treadle_type__", None)
        if isinstance(declared, _core.Type):
            return declared
        if declared is not None:
            raise TypeError(f"__treadle_type__ must be one of Treadle's types, found {declared!r}")
    if type(thing) is type and thing in _PYTHONS:
        return _PYTHONS[thing]
    if issubclass(type(thing), numpy_class("dtype")):
        return type_of_dtype(thing)
    if not issubclass(type(thing), type) or not issubclass(thing, numpy_class("generic")):
        return None
    if thing.__module__ == "numpy" and thing.__name__ in _ABSTRACT:
        return None
    dtype = _dtype_from(thing)
    return type_of_dtype(dtype) if dtype is not None and dtype.type is thing else None


def type_of_text(text):
    """The type that a text names as a dtype ("float32", "<f4", "int", "i4,f4"); None if it names none."""
    if (number := _core.number_named(text)) is not None:
        return number
    # Of several fields, and what later versions of NumPy may have. Nothing else needs NumPy.
    dtype = _dtype_from(text)
    return None if dtype is None else type_of_dtype(dtype)


def type_of_dtype(dtype):
    """None if kernels have no such type, as numbers in another machine's byte order."""
    record = _core.record_of(dtype)
    return record if record is not None else _core.number_named(dtype.str)


def element_type_of(given):
    """The elements of arrays of a dtype: whatever names a type, or what `numpy.dtype` takes. Raises TypeError."""
    found = type_of_text(given) if isinstance(given, str) else type_named_by(given)
    if found is None:
        import numpy  # noqa: F401

        dtype = _dtype_from(given)
        if dtype is None:
            raise TypeError(f"there is no dtype {given!r}")
        found = type_of_dtype(dtype)
        if found is None:
            raise TypeError(_why_no_elements(dtype))
    elif not found._is_number and not found._is_record:
        raise TypeError(f"arrays hold numbers or records, found dtype {given!r}")
    return found


def record_from(dtype, depth=0):
    """The type of a structured dtype; None for any other. Fields of dtypes that kernels do not have stay as names that
    cannot be used."""
    if dtype.names is None or depth > _DEEPEST:
        return None
    return _core.record_type([_field(dtype, name, depth) for name in dtype.names], dtype.itemsize)


def _field(record, name, depth):
    """As in `Type._fields`."""
    dtype, offset = record.fields[name][:2]  # a title may follow
    shape = ()
    while dtype.subdtype is not None:
        dtype, inner = dtype.subdtype
        shape += inner
    found = type_of_dtype(dtype) if dtype.names is None else record_from(dtype, depth + 1)
    return name, dtype.str if found is None else found, offset, shape


def numpy_class(name):
    """A class of NumPy's; no class until the program has imported NumPy."""
    return getattr(sys.modules.get("numpy"), name, ())


def _dtype_from(description):
    """What NumPy makes of it; None if that is an error, and until the program has imported NumPy."""
    make = numpy_class("dtype")
    try:
        return make(description) if make else None
    except (TypeError, ValueError, SyntaxError, OverflowError):
        return None


def _why_no_elements(dtype):
    if dtype.str[1:] == "f2":
        return _core.why_no_type("float16")
    is_foreign = dtype.names is None and not dtype.isnative
    order = ", which is not in this machine's byte order" if is_foreign else ""
    return f"arrays hold numbers or records, found {dtype!r}{order}"
