"""What functions of the library may ask and say while they are compiled."""

from typing import Any

from treadle.intrinsics import Intrinsic

typeof = Intrinsic("library.typeof", "typeof(x): the type of `x`, which is not evaluated; branches on it are pruned.")
bitcast = Intrinsic("library.bitcast", "bitcast(x, type): the bits of a number as another type of the same width.")
math_float = Intrinsic(
    "library.math_float", "math_float(x[, y]): the float type in which math functions of these real numbers compute."
)
refuse = Intrinsic(
    "library.refuse",
    "refuse(message, expected='', remedy=''): compiling this call is an error, with these literal texts. In a branch "
    "that is pruned it does nothing.",
)
floor = Intrinsic("numpy.floor", "floor(x): the largest integer that is not above x, as a float.")
Array: Any = Intrinsic("types.Array", "Array: the class of all arrays, for isinstance().")
