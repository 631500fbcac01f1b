"""Compile-time queries and errors for functions of the library."""

from typing import Any

from treadle.intrinsics import Intrinsic

typeof = Intrinsic("library.typeof", "typeof(x): the type of `x`, which is not evaluated; branches on it are pruned.")
bitcast = Intrinsic("library.bitcast", "bitcast(x, type): the bits of a number as another type of the same width.")
math_float = Intrinsic(
    "library.math_float", "math_float(x[, y]): the float type in which math functions of these real numbers compute."
)
numpy_float = Intrinsic(
    "library.numpy_float", "numpy_float(x[, y]): the float type of what NumPy's functions of these real numbers give."
)
refuse = Intrinsic(
    "library.refuse",
    "refuse(message, expected='', remedy=''): compiling this call is an error, with these literal texts. In a branch "
    "that is pruned it does nothing.",
)
axis_of = Intrinsic(
    "library.axis",
    "axis_of(axis, ndim): the axis that a user names, which is known while compiling, from the first on.",
)
computed = Intrinsic(
    "library.computed",
    "computed(name, reach, shape, *operands): an array expression. Its elements are what the library's function "
    "'computed.<name>' gives for the operands and the element's position, an argument for each axis.",
)
# What an element of an array expression reads of the arrays among its operands: their element at its own position; of
# the first one any element, or all along the axis after those that the second operand, a tuple, has items for; or what
# the last operand chooses, an element, one along that axis, or, if it is an array, one for each of its own positions.
OWN, ANYWHERE, LINE = "own", "anywhere", "line"
CHOSEN, CHOSEN_OF_LINE, CHOSEN_LINES = "chosen", "chosen_of_line", "chosen_lines"
unit = Intrinsic("library.unit", "unit(x): the position of a time's unit among NumPy's; 13: it has none.")
unit_factor = Intrinsic(
    "library.unit_factor", "unit_factor(coarse, fine): how many fine units a coarse one is; 0 if that is not fixed."
)
unit_named = Intrinsic("library.unit_named", "unit_named(text): the position of the unit of that name.")
time_of = Intrinsic("library.time_of", "time_of(ticks, is_duration, unit): a date or a duration.")
ticks = Intrinsic("library.ticks", "ticks(x): the count of a date or duration, int64.")
floor = Intrinsic("numpy.floor", "floor(x): the largest integer that is not above x, as a float.")
Array: Any = Intrinsic("types.Array", "Array: the class of all arrays, for isinstance().")
