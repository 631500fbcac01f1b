"""The options of `vectorize` and `guvectorize`."""

from typing import NamedTuple

# Numba's options. Code for kernels is always compiled, never cached between processes, and does not need Python.
_ACCEPTED = (
    "boundscheck", "cache", "debug", "error_model", "fastmath", "forceinline", "identity", "inline", "is_dynamic",
    "locals", "looplift", "no_cpython_wrapper", "nogil", "nopython", "parallel", "target", "writable_args",
)  # fmt: skip
TARGETS = ("cuda", "gpu", "cpu", "parallel")
IDENTITIES = (None, 0, 1, "reorderable")


class UfuncOptions(NamedTuple):
    """Checked options."""

    target: str
    identity: object
    for_kernels: dict  # options of cuda.jit
    writable_args: tuple


def checked_options(unknown, given):
    """The options as UfuncOptions. Raises `unknown` for unknown names, ValueError for values."""
    for name in given:
        if name not in _ACCEPTED:
            raise unknown(f"unrecognized option {name!r}; the options are {', '.join(_ACCEPTED)}")
    target = given.get("target", "cuda")
    if target not in TARGETS:
        raise ValueError(f"Unsupported target: {target!r}; the targets are 'cuda', 'cpu' and 'parallel'")
    identity = given.get("identity")
    if not any(identity is known or (identity == known and not isinstance(identity, bool)) for known in IDENTITIES):
        raise ValueError(f"identity must be None, 0, 1 or 'reorderable', found {identity!r}")
    if given.get("nopython") is False:
        raise ValueError("nopython=False: kernels run without Python")
    fastmath = given.get("fastmath", False)
    for_kernels = {"fastmath": True} if fastmath else {}
    return UfuncOptions(target, identity, for_kernels, tuple(given.get("writable_args") or ()))


def function_of(thing):
    """The Python function in a function, or in the result of a decorator such as `njit`; None if there is none."""
    function = getattr(thing, "py_func", thing)
    return function if isinstance(function, type(function_of)) else None


def required_function(thing, decorator):
    """function_of, or TypeError."""
    function = function_of(thing)
    if function is None:
        raise TypeError(f"{decorator} takes Python functions, found {thing!r} of type {type(thing).__name__}")
    return function
