"""Classes for `isinstance`, and rarely used attributes of types.

`treadle.types` has all of them; it imports this module when one is named.
"""

from treadle import _core
from treadle.typing import Type
from treadle.typing.conversion import as_dtype

__all__ = [
    "AbstractTuple", "ArrayCompatible", "BaseAnonymousTuple", "BaseNamedTuple", "BaseTuple", "Boolean", "Buffer",
    "CharSeq", "Complex", "Float", "Hashable", "Integer", "IterableType", "NPDatetime", "NPTimedelta", "NamedTuple",
    "NamedUniTuple", "NoneType", "Number", "Omitted", "Opaque", "Record", "Sized", "UnicodeCharSeq", "complex_domain",
    "integer_domain", "number_domain", "real_domain", "signed_domain", "unsigned_domain",
]  # fmt: skip

signed_domain = frozenset(_core.type_named(f"int{bits}") for bits in (8, 16, 32, 64))
unsigned_domain = frozenset(_core.type_named(f"uint{bits}") for bits in (8, 16, 32, 64))
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset([_core.type_named("float32"), _core.type_named("float64")])
complex_domain = frozenset([_core.type_named("complex64"), _core.type_named("complex128")])
number_domain = real_domain | integer_domain | complex_domain


def _of(*kinds):
    return staticmethod(lambda found: found._kind in kinds)


def _is_named(found):
    # Numba's tuples are printed with their class: Point(int64 x 2).
    return found._kind == "tuple" and not found.name.startswith(("Tuple(", "UniTuple("))


def _named_as(*kinds):
    """The constructor of a number class: by name."""

    def make(name, *parts, **named):
        found = _core.type_named(name)
        if found is None or found._kind not in kinds:
            raise ValueError(f"there is no such type {name!r} of numbers")
        return found

    return staticmethod(make)


class Hashable(Type):
    """Types of values that can be keys."""

    _includes = _of("none", "bool", "int", "float", "complex", "tuple")


class Number(Hashable):
    """int8 to int64, uint8 to uint64, floats, complex numbers; not booleans, as in Numba."""

    _includes = _of("int", "float", "complex")
    _make = _named_as("int", "float", "complex")


class Integer(Number):
    """Signed and unsigned integers, by their name: `Integer("int32")`."""

    _includes = _of("int")
    _make = _named_as("int")


class Float(Number):
    """Floats, by their name: `Float("float32")`."""

    _includes = _of("float")
    _make = _named_as("float")


class Complex(Number):
    """Complex numbers, by their name: `Complex("complex64")`."""

    _includes = _of("complex")
    _make = _named_as("complex")


class Boolean(Hashable):
    """`Boolean("bool")`."""

    _includes = _of("bool")
    _make = _named_as("bool")


class Opaque(Type):
    """Types that have no parts: in Treadle, that of None."""

    _includes = _of("none")


class NoneType(Opaque):
    """`NoneType("none")`: the type of None, and of kernels' results."""

    _make = _named_as("none")


class Sized(Type):
    """Types of values that have a length."""

    _includes = _of("array", "tuple")


class IterableType(Type):
    """Types of iterable values."""

    _includes = _of("array", "tuple")


class Buffer(IterableType):
    """Types of arrays."""

    _includes = _of("array")


class ArrayCompatible(Type):
    """Types of arrays."""

    _includes = _of("array")


class BaseTuple(Hashable):
    """Every tuple."""

    _includes = _of("tuple")


AbstractTuple = BaseTuple


class BaseAnonymousTuple(BaseTuple):
    """Tuples other than namedtuples."""

    _includes = staticmethod(lambda found: found._kind == "tuple" and not _is_named(found))


class BaseNamedTuple(BaseTuple):
    """namedtuples."""

    _includes = staticmethod(_is_named)


class NamedTuple(BaseNamedTuple):
    """namedtuples with items of several types."""

    _includes = staticmethod(lambda found: _is_named(found) and len(set(found.types)) != 1)


class NamedUniTuple(BaseNamedTuple):
    """namedtuples with items of one type."""

    _includes = staticmethod(lambda found: _is_named(found) and len(set(found.types)) == 1)


class Record(Type):
    """Records, as elements of arrays and alone. `from_dtype` makes them of a structured dtype."""

    _includes = _of("record")

    @staticmethod
    def make_c_struct(name_types):
        """The record whose fields, [(name, type), ...], are laid out as in C."""
        import numpy

        return _core.element_type(numpy.dtype([(name, as_dtype(type_)) for name, type_ in name_types], align=True))


class Omitted:
    """`Omitted(default)`: in a signature, the type of a parameter's default value, for a launch that does not give it.

    >>> from treadle import types, void, float32
    >>> types.Omitted(2), void(float32[:], types.Omitted(2))
    (omitted(default=2), (array(float32, 1d, A), int64) -> none)
    """

    def __init__(self, default):
        self.value = default

    @property
    def __treadle_type__(self):
        return _core.types_of(self.value)[0]

    @property
    def name(self):
        """As Numba prints it: omitted(default=2)."""
        return f"omitted(default={self.value!r})"

    key = property(lambda self: (type(self.value), self.value))

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return isinstance(other, Omitted) and self.key == other.key

    def __hash__(self):
        return hash(self.key)


def _copy(type_):
    def copy(*, dtype=None, ndim=None, layout=None, readonly=None):
        """The array's type with some properties replaced."""
        return _core.array_type(
            type_.dtype if dtype is None else dtype,
            type_.ndim if ndim is None else ndim,
            type_.layout if layout is None else layout,
            not type_.mutable if readonly is None else readonly,
            type_.aligned,
        )

    return copy


def _cast(type_):
    def cast_python_value(value):
        """The value as a number of this type, as calling the type does."""
        return type_(value)

    return cast_python_value


def _least(type_):
    return -(1 << (type_.bitwidth - 1)) if type_.signed else 0


def _field(type_, name):
    for found in type_.dtype._fields:
        if found[0] == name:
            return found
    raise KeyError(f"the record has no field {name!r}")


_NUMBERS = ("bool", "int", "float", "complex")


def _count(type_):
    """The number of a tuple's items, or of a text's characters."""
    if type_._kind == "tuple":
        return len(type_.types)
    if not type_._is_text:
        raise AttributeError(f"the type {type_} has no attribute 'count'")
    return int(type_._dtype_name[1:])


# name: the kinds of types that have it (None: all), and a function of the type.
ATTRIBUTES = {
    "key": (None, lambda type_: type_.name),
    "is_precise": (None, lambda type_: lambda: True),
    "is_internal": (None, lambda type_: False),
    "cast_python_value": (_NUMBERS, _cast),
    "minval": (("int",), _least),
    "maxval": (("int",), lambda type_: _least(type_) + (1 << type_.bitwidth) - 1),
    "underlying_float": (("complex",), lambda type_: _core.type_named(f"float{type_.bitwidth // 2}")),
    "type": (("optional",), lambda type_: type_._value),
    "count": (("tuple", "other"), _count),
    "is_c_contig": (("array",), lambda type_: type_.layout == "C" or type_.ndim == 0),
    "is_f_contig": (("array",), lambda type_: type_.layout == "F" or (type_.layout == "C" and type_.ndim <= 1)),
    "is_contig": (("array",), lambda type_: type_.layout in "CF"),
    "copy": (("array",), _copy),
    "size": (("record",), lambda type_: type_.dtype._itemsize),
    "fields": (("record",), lambda type_: {name: found for name, found, _, _ in type_.dtype._fields}),
    "members": (("record",), lambda type_: [(name, found) for name, found, _, _ in type_.dtype._fields]),
    "typeof": (("record",), lambda type_: lambda name: _field(type_, name)[1]),
    "offset": (("record",), lambda type_: lambda name: _field(type_, name)[2]),
}


_UNITS = ("", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")


def _times(kind):
    """Elements that are NumPy's dates or durations, and values of them in signatures."""
    return staticmethod(lambda found: found.name.startswith(kind) and (found._is_time or found._kind == "tuple"))


def _time_of(kind):
    def make(unit=""):
        if unit not in _UNITS:
            raise ValueError(f"{unit!r} is no unit of time: Y M W D h m s ms us ns ps fs as, or none")
        return _core.element_type(f"{kind}[{unit}]" if unit else kind)

    return staticmethod(make)


class NPDatetime(Type):
    """`NPDatetime(unit)`: NumPy's dates, counted in a unit such as "D" or "ns"."""

    _includes = _times("datetime64")
    _make = _time_of("datetime64")


class NPTimedelta(Type):
    """`NPTimedelta(unit)`: NumPy's durations, counted in a unit such as "D" or "ns"."""

    _includes = _times("timedelta64")
    _make = _time_of("timedelta64")


def _are_texts(name):
    """Elements that are NumPy's texts or bytes, and values of them in signatures."""
    start = f"[{name} x "
    return staticmethod(lambda found: found.name.startswith(start) and (found._is_text or found._kind == "tuple"))


def _text_of(letter):
    def make(count):
        found = _core.element_type(f"{letter}{int(count)}") if count > 0 else None
        if found is None or not found._is_text:
            raise ValueError(f"kernels have texts of from 1 to {_core.MOST_CHARACTERS} characters, found {count}")
        return found

    return staticmethod(make)


class CharSeq(Type):
    """`CharSeq(count)`: NumPy's bytes of a fixed width, the dtype `S5` say.

    Raises ValueError for less than 1 and more than 256 characters.
    """

    _includes = _are_texts("char")
    _make = _text_of("S")


class UnicodeCharSeq(Type):
    """`UnicodeCharSeq(count)`: NumPy's texts of a fixed width, the dtype `U7` say.

    Raises ValueError for less than 1 and more than 256 characters.
    """

    _includes = _are_texts("unichr")
    _make = _text_of("U")


def attribute(type_, name):
    """A rarely used attribute of a type. AttributeError if it has none of this name."""
    kinds, find = ATTRIBUTES.get(name, ((), None))
    if find is not None and (kinds is None or type_._kind in kinds):
        return find(type_)
    raise AttributeError(f"the type {type_} has no attribute {name!r}")
