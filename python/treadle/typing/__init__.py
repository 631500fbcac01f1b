"""Types as Python has them: their classes, conversion between them and types of other libraries.

Here are the classes for `isinstance` that most programs name; `treadle.types` has all of them.
"""

from treadle import _core


class _Kind(type):
    """Metaclass of classes whose instances are types of some kind: `isinstance(float32, types.Float)`; calls make
    types."""

    _includes = staticmethod(lambda found: True)
    _make = staticmethod(lambda *given, **named: None)

    @property
    def __treadle_key__(cls):
        # The key by which kernels refer to them in isinstance().
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
