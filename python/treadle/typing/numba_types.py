"""The real Numba's types, signatures, errors and settings, as far as imported, as those of Treadle."""

import sys
import types

from treadle import _core, config, errors


def _treadle_type(numba_type):
    """Treadle's type for a type object of the real Numba. AttributeError if there is none."""
    kind = type(numba_type).__name__
    if kind == "Array":
        return _core.array_type(
            numba_type.dtype, numba_type.ndim, numba_type.layout, not numba_type.mutable,
            getattr(numba_type, "aligned", True),
        )  # fmt: skip
    if kind == "Omitted":
        return _core.types_of(numba_type.value)[0]
    if kind in ("Tuple", "UniTuple"):
        return _core.tuple_type(tuple(map(_treadle_type, numba_type.types)))
    if kind == "Optional":
        return _core.optional_type(_treadle_type(numba_type.type))
    if kind == "Record":
        return _core.element_type(numba_type.dtype)
    found = _core.type_named(numba_type.name)
    if found is None:
        raise AttributeError(f"kernels have no type {numba_type}")
    return found


def _treadle_signature(numba_signature):
    """Treadle's signature for `void(float32[:])` in the real Numba's types."""
    return _core.Signature(tuple(numba_signature.args), numba_signature.return_type)


def _taught():
    """Teaches the classes of the real Numba, as far as imported, their equivalents in Treadle."""
    kind = getattr(sys.modules.get("numba.core.types"), "Type", None)
    if kind is not None:
        yield kind, "__treadle_type__", property(_treadle_type)
    kind = getattr(sys.modules.get("numba.core.typing.templates"), "Signature", None)
    if kind is not None:
        yield kind, "__treadle_signature__", property(_treadle_signature)


def teach_types():
    """Makes the types and signatures of Numba, as far as imported, denote Treadle's."""
    for kind, name, value in _taught():
        setattr(kind, name, value)
    _join_errors()
    _follow_config()


def unteach_types():
    for kind, name, _ in _taught():
        if name in vars(kind):
            delattr(kind, name)
    for kind, bases in reversed(_bases_before.items()):
        kind.__bases__ = bases
    _bases_before.clear()
    followed = sys.modules.get("numba.core.config")
    if type(followed) is _FollowedConfig:
        followed.__class__ = types.ModuleType  # type: ignore[assignment]


# The bases of classes of treadle.errors before `_join_errors`, in its order.
_bases_before: dict = {}


def _join_errors():
    """Makes Treadle's errors and warnings subclasses of Numba's of the same names, so that programs catch and filter
    them."""
    theirs = sys.modules.get("numba.core.errors")
    if theirs is None or _bases_before:
        return
    for name, kind in list(vars(errors).items()):
        other = getattr(theirs, name, None)
        if not (isinstance(kind, type) and isinstance(other, type)) or issubclass(kind, other) or kind in _bases_before:
            continue
        bases = kind.__bases__
        # A shared base must not precede the other class.
        kept = tuple(base for base in bases if not issubclass(other, base))
        try:
            kind.__bases__ = (*kept, other)
        except TypeError:  # Python accepts no order of these bases
            continue
        _bases_before[kind] = bases


class _FollowedConfig(types.ModuleType):
    """Numba's own module of settings: settings written there apply to Treadle, too."""

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if config.has_effect(name):
            setattr(config, name, value)


def _follow_config():
    followed = sys.modules.get("numba.core.config")
    if type(followed) is not types.ModuleType:
        return
    for name in ("CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_WARN_ON_IMPLICIT_COPY", "DISABLE_PERFORMANCE_WARNINGS"):
        if getattr(followed, name, None) not in (None, getattr(config, name)):
            setattr(config, name, getattr(followed, name))
    followed.__class__ = _FollowedConfig
