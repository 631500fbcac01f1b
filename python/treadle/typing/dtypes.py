"""Types by the names that Python and NumPy have for them: classes of numbers, dtypes and their texts."""

import sys

from treadle import _core

_PYTHONS = {
    bool: _core.type_named("bool"),
    int: _core.type_named("int64"),
    float: _core.type_named("float64"),
    complex: _core.type_named("complex128"),
}
# NumPy's abstract scalar types. They have no dtype: asking for one warns or fails.
_ABSTRACT = {
    "generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "complexfloating", "floating",
    "flexible", "character", "datetime64", "timedelta64",
}  # fmt: skip
ELEMENTS = "arrays hold numbers, dates, durations, records, strings and bytes"
# The maximum nesting of records.
_DEEPEST = 16
# NumPy's type number for plain bytes.
_VOID = 20


def know_numbas(thing):
    """If `thing` is a type or signature of the real Numba, lets those denote Treadle's types, redirected or not."""
    kind = type(thing)
    if kind.__module__.startswith("numba.core.") and not hasattr(kind, "__treadle_type__"):
        from treadle.typing.numba_types import teach_types

        teach_types()


def type_named_by(thing):
    """The type that an object names when it is called or given as a dtype; None if it names none."""
    know_numbas(thing)
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
    # Several fields, and syntax of later versions of NumPy. Nothing else needs NumPy.
    dtype = _dtype_from(text)
    return None if dtype is None else type_of_dtype(dtype)


def type_of_dtype(dtype):
    """None if kernels have no such type, such as numbers in non-native byte order."""
    other = _core.other_type_of(dtype)
    if other is None:
        return _core.number_named(dtype.str)
    return other if other._is_record or other._is_time or other._is_text else None


def element_type_of(given):
    """The elements of arrays of a dtype: whatever names a type, or what `numpy.dtype` takes. Raises TypeError."""
    found = type_of_text(given) if isinstance(given, str) else type_named_by(given)
    if found is None and isinstance(given, str):
        found = _core.opaque_named(given)  # names without a dtype until ml_dtypes is imported
    if found is None:
        import numpy  # noqa: F401

        dtype = _dtype_from(given)
        if dtype is None:
            raise TypeError(f"there is no dtype {given!r}")
        found = type_of_dtype(dtype) or _core.other_type_of(dtype)
        if found is None:
            raise TypeError(_why_no_elements(dtype))
    elif not (found._is_number or found._is_record or found._is_opaque):
        raise TypeError(f"{ELEMENTS}, found dtype {given!r}")
    return found


def other_type_from(dtype):
    """The type of a non-numeric dtype: a structured one, or one that arrays can hold but kernels lack. None for
    others."""
    if dtype.names is not None:
        return record_from(dtype)
    is_held = dtype.kind in "SUmM" or dtype.num == _VOID or _core.opaque_named(dtype.name) is not None
    return _opaque(dtype) if is_held and dtype.isnative and dtype.itemsize else None


def _opaque(dtype):
    """By the name of the number format, of the unit, or as NumPy spells texts and bytes. By the typestr for types that
    only records may contain."""
    named = _core.opaque_named(dtype.name) if dtype.isnative else None
    if named is not None:
        return named
    is_plain = dtype.isnative and dtype.kind in "SUV"
    name = dtype.name if dtype.isnative and dtype.kind in "mM" else dtype.str[1:] if is_plain else dtype.str
    return _core.opaque_type(name, dtype.itemsize, dtype.alignment)


def record_from(dtype, depth=0):
    """The type of a structured dtype. None beyond the maximum nesting."""
    if depth > _DEEPEST:
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
    return name, _opaque(dtype) if found is None else found, offset, shape


def numpy_class(name):
    """A NumPy class; a dummy class until the program has imported NumPy."""
    return getattr(sys.modules.get("numpy"), name, ())


def _dtype_from(description):
    """NumPy's dtype for it; None if that is an error, and until the program has imported NumPy."""
    make = numpy_class("dtype")
    try:
        return make(description) if make else None
    except (TypeError, ValueError, SyntaxError, OverflowError):
        return None


def _why_no_elements(dtype):
    is_foreign = dtype.names is None and not dtype.isnative
    order = ", which is not in this machine's byte order" if is_foreign else ""
    return f"{ELEMENTS}, found {dtype!r}{order}"
