"""The forms in which a signature can be written."""

from treadle._core import Signature, parse_signature, type_from, type_named


def signature_from(given):
    """One signature from a string, `void(int32)`, or a sequence of types. Raises ValueError and TypeError."""
    if isinstance(given, Signature):
        return given
    if _declares(given, "__treadle_signature__"):
        return given.__treadle_signature__
    if isinstance(given, str):
        return parse_signature(given)
    if _is_type(given):
        return Signature((given,))
    if isinstance(given, (tuple, list)):
        return Signature(tuple(type_from(item) for item in given))
    raise TypeError(
        f"a signature is a string such as 'void(float32[:], int32)', a call such as void(float32[:]), or a tuple of "
        f"types; found {given!r} of type {type(given).__name__}"
    )


def signatures_from(given):
    """A list of signatures, from such a list or from a single one."""
    if isinstance(given, list) and not all(map(_is_type, given)):
        return [signature_from(item) for item in given]
    return [signature_from(given)]


def is_signature(value):
    """True if `value`, the first argument of `jit`, is a signature rather than a function."""
    return (
        isinstance(value, (str, Signature, tuple, list)) or _declares(value, "__treadle_signature__") or _is_type(value)
    )


def _is_type(value):
    return _declares(value, "__treadle_type__")


def _declares(value, name):
    """True if the value's class defines it: this is how foreign types, such as Numba's, declare their equivalents."""
    if type(value).__module__.startswith("numba."):  # most programs never get here
        __import__("treadle.typing.dtypes", fromlist=["know_numbas"]).know_numbas(value)
    return hasattr(type(value), name)


def kernel_signature(given, name):
    """As signature_from, of the kernel of that name. TypeError, too, if it returns something."""
    signature = signature_from(given)
    check_kernel_result(signature, name)
    return Signature(signature.args, type_named("none"))


def check_kernel_result(signature, name):
    """Raises TypeError if a kernel's signature returns something."""
    result = signature.return_type
    if result is not None and result.name != "none":
        raise TypeError(f"{name}: a kernel must have void return type, found {result} in its signature {signature}")
