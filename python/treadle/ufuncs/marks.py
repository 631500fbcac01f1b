"""How functions of elements say what they depend on."""

import functools


def narrow(function):
    """A decorator: values stay as narrow as the operands, as the rules "cuda-python" have it."""
    function.rules = "cuda-python"
    return function


class PerType:
    """A function of elements that differs with the type: `PerType(make)`, where `make(dtype)` returns it."""

    def __init__(self, make):
        self.function_for = functools.cache(make)


def per_type(make):
    """`PerType` as a decorator."""
    return PerType(make)
