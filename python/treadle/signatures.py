"""The ways of writing a signature."""

from treadle._core import Signature, Type, parse_signature, type_from


def signature_from(given):
    """One signature from a string, `void(int32)`, or a sequence of types. Raises ValueError and TypeError."""
    if isinstance(given, Signature):
        return given
    if isinstance(given, str):
        return parse_signature(given)
    if isinstance(given, Type):
        return Signature((given,))
    if isinstance(given, (tuple, list)):
        return Signature(tuple(type_from(item) for item in given))
    raise TypeError(
        f"a signature is a string such as 'void(float32[:], int32)', a call such as void(float32[:]), or a tuple of "
        f"types; found {given!r} of type {type(given).__name__}"
    )


def signatures_from(given):
    """A list of signatures: from a list of them, or of one."""
    if isinstance(given, list) and not all(isinstance(item, Type) for item in given):
        return [signature_from(item) for item in given]
    return [signature_from(given)]


def is_signature(value):
    """True for what the first argument of `jit` is when it is no function."""
    return isinstance(value, (str, Signature, Type, tuple, list))


def check_kernel_result(signature, name):
    """Raises TypeError where a kernel's signature returns something."""
    result = signature.return_type
    if result is not None and result.name != "none":
        raise TypeError(f"{name}: a kernel must have void return type, found {result} in its signature {signature}")
