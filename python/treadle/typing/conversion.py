"""`float32(x)` and `float32[:]` on the host, and pickling of types."""

import sys

from treadle._core import (
    Signature,
    Type,
    array_type,
    element_type,
    enumeration_of,
    opaque_type,
    parse_type,
    parseable_text,
    type_from,
    types_of,
)

_FLOAT_CODES = {"float32": "f", "float64": "d"}


def _numpy():
    """The module; None where it is not installed."""
    if "numpy" not in sys.modules:
        from importlib.util import find_spec

        if find_spec("numpy") is None:
            return None
    import numpy

    return numpy


def convert(type_, value):
    """`value` as a number of the type: a NumPy scalar if NumPy is installed, else a Python number.

    Raises what NumPy raises: TypeError and ValueError for values that are not numbers, OverflowError for integers out
    of range.
    """
    numpy = _numpy()
    if numpy is not None:
        return numpy.dtype("bool" if type_.name == "bool" else type_.name).type(value)
    name = type_.name
    if name == "bool":
        return bool(value)
    if name in _FLOAT_CODES:
        import struct

        code = _FLOAT_CODES[name]
        return struct.unpack(code, struct.pack(code, float(value)))[0]
    if name.startswith("complex"):
        return complex(value)
    whole = int(value)
    low = -(1 << (type_.bitwidth - 1)) if type_.signed else 0
    if not low <= whole < low + (1 << type_.bitwidth):
        raise OverflowError(f"{whole} is out of bounds for {name}")
    return whole


def called(type_, *arguments):
    """`void(float32[:], int32)` is a signature; `float32(x)` converts a value."""
    is_value = len(arguments) == 1 and not isinstance(arguments[0], (Type, str, tuple)) and type_.name != "none"
    if not is_value:
        return Signature(arguments, type_)
    if not type_._is_number:
        instead = ": use float16, float32 or complex64" if type_._is_opaque else ""
        raise TypeError(f"{type_.name} converts no values{instead}")
    return convert(type_, arguments[0])


_dtypes: dict = {}  # by type: types live as long as the process


def dtype_of(type_):
    """NumPy's dtype of elements of arrays."""
    found = _dtypes.get(type_)
    return found if found is not None else _dtypes.setdefault(type_, _made_dtype(type_))


def _made_dtype(type_):
    import numpy

    if type_._is_opaque:
        return _opaque_dtype(type_)
    if not type_._is_record:
        return numpy.dtype(type_.name)
    return numpy.dtype(_layout_of(type_))


def _layout_of(type_):
    """A record's layout, for numpy.dtype."""
    names, formats, offsets = [], [], []
    for name, field, offset, shape in type_._fields:
        inner = dtype_of(field)
        names.append(name)
        formats.append((inner, shape) if shape else inner)
        offsets.append(offset)
    return {"names": names, "formats": formats, "offsets": offsets, "itemsize": type_._itemsize}


def _opaque_dtype(type_):
    """Plain bytes for numbers that only ml_dtypes knows, if that is not installed."""
    import numpy

    try:
        return numpy.dtype(type_._dtype_name)
    except TypeError:
        pass
    try:
        import ml_dtypes

        return numpy.dtype(getattr(ml_dtypes, type_.name))
    except (ImportError, AttributeError):
        return numpy.dtype((numpy.void, type_._itemsize))


def as_dtype(type_):
    """NumPy's dtype of a number's or a record's type. NumbaNotImplementedError for others."""
    if not (type_._is_number or type_._kind == "record" or type_._is_text):
        from treadle.errors import NumbaNotImplementedError

        raise NumbaNotImplementedError(f"{type_} cannot be represented as a NumPy dtype")
    return dtype_of(type_.dtype)


def record_from(dtype):
    """The type of records that was pickled as this dtype."""
    return element_type(dtype)


def array_type_from(element, *components):
    """The array type that was pickled as these components."""
    return array_type(element, *components)


def opaque_from(name, itemsize, alignment):
    """The type of elements that kernels do not have that was pickled as these."""
    return opaque_type(name, itemsize, alignment)


def member_type_of(kind):
    """The type of members of that enumeration."""
    return types_of(next(iter(kind.__members__.values())))[0]


def value_of(element):
    """The type of a date, a duration or a text that was pickled as that of such elements."""
    return type_from(element)


def type_from_text(text):
    """The type that was pickled as this text."""
    return parse_type(text)


def reduced(type_):
    """Pickles a type: a record as its dtype, a type that contains records as its components, others as a text."""
    if type_._is_record:
        return record_from, (dtype_of(type_),)
    if type_._is_opaque:
        return opaque_from, (type_._dtype_name, type_._itemsize, type_._alignment)
    if type_._is_array and (type_.dtype._is_record or type_.dtype._is_text):
        return array_type_from, (type_.dtype, type_.ndim, type_.layout, not type_.mutable, type_.aligned)
    if type_._kind == "member" and (kind := enumeration_of(type_)) is not None:
        return member_type_of, (kind,)
    if type_._element is not None:
        return value_of, (type_._element,)
    return type_from_text, (parseable_text(type_),)


def array_of(element, key):
    """`element[:]`, `element[::1]`, `element[:, ::1]`: a type of arrays. Of a tuple: an item's type, by its index."""
    if element._kind == "tuple" and isinstance(key, int):
        return element.types[key]
    axes = key if isinstance(key, tuple) else (key,)
    array_type(element, 1, "C")  # reports that arrays cannot have the element, if that is the error
    contiguous = [axis for axis, item in enumerate(axes) if _is_contiguous(item, element)]
    if not axes:
        raise TypeError("arrays have at least 1 dimension, found 0")
    if len(contiguous) > 1:
        raise TypeError("two dimensions cannot both be contiguous")
    if not contiguous:
        return array_type(element, len(axes), "A")
    if contiguous[0] == len(axes) - 1:
        return array_type(element, len(axes), "C")
    if contiguous[0] != 0:
        raise TypeError("'::1' stands in the first (Fortran order) or the last dimension (C order)")
    return array_type(element, len(axes), "F")


def _is_contiguous(item, element):
    if not isinstance(item, slice):
        raise TypeError(f"arrays are written {element}[:], [::1] or [:, ::1]; found an index {item!r}")
    if item.start is not None or item.stop is not None:
        raise TypeError(f"array types take ':' and '::1' only, without bounds: found {item!r}")
    if item.step is not None and not (isinstance(item.step, int) and item.step == 1):
        raise TypeError(f"only the step 1 says that a dimension is contiguous: found {item!r}")
    return item.step is not None
