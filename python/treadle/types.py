"""Types of values in kernels, under Numba's names.

`int32`, `float32`, ... are type objects. Called with a value they convert it (`float32(x)`, also on the host); indexed
with slices they make array types (`float32[:]` any layout, `float32[::1]` C order, `float32[::1, :]` Fortran order);
called with types they make a signature (`void(float32[:], int32)`). In short names the digits count bytes: `f4` is
float32.
"""

from treadle import _core
from treadle._core import Signature
from treadle._core import element_type as _element_type
from treadle._core import type_named as _named


class _Kind(type):
    """Of classes whose instances are types of some kind: `isinstance(float32, types.Float)`; calls make types."""

    _includes = staticmethod(lambda found: True)
    _make = staticmethod(lambda *given, **named: None)

    @property
    def __treadle_key__(cls):
        # Kernels ask isinstance() about them by this name.
        return f"types.{cls.__name__}"

    def __instancecheck__(cls, thing):
        return isinstance(thing, _core.Type) and cls._includes(thing)

    def __call__(cls, *given, **named):
        return cls._make(*given, **named)


def _no_type(*given, **named):
    raise TypeError("types are made by from_dtype, typeof, Array, Tuple, UniTuple, Optional, and float32[:]")


def _is_uni(found):
    return found._kind == "tuple" and len(set(found.types)) == 1


class Type(metaclass=_Kind):
    """Every type is an instance. Equal types are the same object."""

    _make = staticmethod(_no_type)


class Array(Type):
    """`Array(dtype, ndim, layout, readonly=False, aligned=True)`: arrays in the order "C", "F" or, for any, "A".

    `aligned=False`: their elements may lie at any address. Raises TypeError, and ValueError for other layouts.
    """

    _includes = staticmethod(lambda found: found._kind == "array")
    _make = staticmethod(_core.array_type)


class Optional(Type):
    """`Optional(type)`: a value of the type, or None."""

    _includes = staticmethod(lambda found: found._kind == "optional")
    _make = staticmethod(_core.optional_type)


class Tuple(Type):
    """`Tuple(types)`: tuples of items of these types, in order."""

    _includes = staticmethod(lambda found: found._kind == "tuple" and not _is_uni(found))
    _make = staticmethod(_core.tuple_type)


class UniTuple(Type):
    """`UniTuple(type, count)`: tuples of `count` items of one type."""

    _includes = staticmethod(_is_uni)
    _make = staticmethod(_core.uni_tuple_type)


def typeof(value):
    """The type that a value has as an argument of a kernel: of an array, a number, a tuple, a record, None.

    Raises TypeError for values that kernels do not take.

    >>> import numpy
    >>> typeof(numpy.zeros((2, 3), "f4")), typeof((1, 2.0))
    (array(float32, 2d, C), Tuple(int64, float64))
    """
    return _core.types_of(value)[0]


def as_dtype(type_):
    """NumPy's dtype of a number's or a record's type. NumbaNotImplementedError for others."""
    if not (type_._is_number or type_._kind == "record" or type_._is_text):
        from treadle.errors import NumbaNotImplementedError

        raise NumbaNotImplementedError(f"{type_} cannot be represented as a NumPy dtype")
    from treadle.conversion import dtype_of

    return dtype_of(type_.dtype)


def __getattr__(name):
    # Classes that programs seldom name, and a name that hides Python's.
    if name == "bool":
        return boolean
    if not name.startswith("_"):
        from treadle import type_classes

        if name in type_classes.__all__:
            return getattr(type_classes, name)
        from treadle.absent import report

        report(__name__, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def from_dtype(dtype):
    """The type of the elements of NumPy arrays with this dtype: a number, or a record for a structured dtype.

    Raises TypeError for dtypes that kernels do not support.

    >>> import numpy
    >>> from_dtype(numpy.dtype([("mass", "f4"), ("position", "f4", (3,))]))
    Record(mass: float32, position: float32(3))
    """
    found = _element_type(dtype)
    if found._is_opaque and not found._is_time and not found._is_text:
        raise TypeError(f"kernels have no {found.name}: they have numbers and records")
    return found


none = void = _named("none")
boolean = bool_ = b1 = _named("boolean")
int8 = i1 = char = _named("int8")
int16 = i2 = short = _named("int16")
int32 = i4 = intc = _named("int32")
int64 = i8 = long_ = longlong = _named("int64")
intp = int_ = ssize_t = _named("intp")
uint8 = u1 = byte = uchar = _named("uint8")
uint16 = u2 = ushort = _named("uint16")
uint32 = u4 = uintc = _named("uint32")
uint64 = u8 = ulong = ulonglong = _named("uint64")
uintp = uint = size_t = _named("uintp")
float16 = f2 = half = _named("float16")
float32 = f4 = float_ = _named("float32")
float64 = f8 = double = _named("float64")
complex32 = _core.opaque_named("complex32")  # of two float16: arrays hold it, and kernels see it as these
complex64 = c8 = _named("complex64")
complex128 = c16 = _named("complex128")
optional = Optional

__all__ = [
    "Array", "Optional", "Signature", "Tuple", "Type", "UniTuple", "as_dtype", "b1", "bool_", "boolean", "byte", "c16",
    "c8", "char", "complex128", "complex32", "complex64", "double", "f2", "f4", "f8", "float16", "float32", "float64",
    "float_", "from_dtype", "half", "i1", "i2", "i4", "i8", "int16", "int32", "int64", "int8", "int_", "intc", "intp",
    "long_", "longlong", "none", "optional", "short", "size_t", "ssize_t", "typeof", "u1", "u2", "u4", "u8", "uchar",
    "uint", "uint16", "uint32", "uint64", "uint8", "uintc", "uintp", "ulong", "ulonglong", "ushort", "void",
]  # fmt: skip
