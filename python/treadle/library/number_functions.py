"""Methods of numbers."""

import math

from treadle.intrinsics import clz, popc
from treadle.library import provides
from treadle.library.compile_time import floor, refuse
from treadle.library.integer_functions import magnitude
from treadle.types import int64


@provides("number.bit_count")
def bit_count(x):
    """How many bits abs(x) has that are 1."""
    if not isinstance(x, int):
        refuse("only integers have bit_count()")
    return int64(popc(magnitude(x)))


@provides("number.bit_length")
def bit_length(x):
    """How many bits abs(x) has up to its highest 1."""
    if not isinstance(x, int):
        refuse("only integers have bit_length()")
    return int64(64) - int64(clz(magnitude(x)))


@provides("number.is_integer")
def is_integer(x):
    """Whether the number has no fraction and is finite."""
    if isinstance(x, complex):
        refuse("complex numbers have no is_integer()")
        return False
    if isinstance(x, int):
        return True
    return math.isfinite(x) and floor(x) == x
