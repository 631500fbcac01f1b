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
from treadle.inspection import TellsSignature as _TellsSignature
from treadle.typing import Array, Optional, Tuple, Type, UniTuple
from treadle.typing.conversion import as_dtype

_core.Type.__signature__ = _TellsSignature(None, lambda *values: None)  # type: ignore[attr-defined]
Signature.__signature__ = _TellsSignature(lambda args, return_type=None: None)  # type: ignore[attr-defined]


def typeof(value):
    """The type that a value has as an argument of a kernel: of an array, a number, a tuple, a record, None.

    Raises TypeError for values that kernels do not take.

    >>> import numpy
    >>> typeof(numpy.zeros((2, 3), "f4")), typeof((1, 2.0))
    (array(float32, 2d, C), Tuple(int64, float64))
    """
    return _core.types_of(value)[0]


def __getattr__(name):
    # Classes that programs rarely name, and a name that shadows Python's.
    if name == "bool":
        return boolean
    if not name.startswith("_"):
        from treadle.typing import type_classes

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
complex32 = _core.opaque_named("complex32")  # of two float16: arrays can hold it, kernels see two float16
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
