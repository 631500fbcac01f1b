"""Where elements lie: plain functions of shapes and steps, which the loops call and the kernels compile.

An element's place is its number in reading order, its digits are its position along each axis, its cell is where it
lies in memory.
"""

from itertools import zip_longest

MOST_AXES = 6


class ShapeError(ValueError):
    """Shapes that do not fit each other."""


def weights_of(shape):
    """How many elements one step along each axis passes in reading order."""
    weights = [1]
    for length in shape[:0:-1]:
        weights.insert(0, weights[0] * length)
    return tuple(weights)


def split_place(place, weights, digits):
    """Writes the digits of a place, the slowest axis first."""
    for axis in range(len(weights)):
        digit = place // weights[axis]
        digits[axis] = digit
        place -= digit * weights[axis]


def cell_at(digits, steps):
    """The cell at these digits, relative to the first element's."""
    cell = 0
    for axis in range(len(steps)):
        cell += digits[axis] * steps[axis]
    return cell


def narrow(digits, axes, shape, found):
    """Writes the digits within `shape` of what stands for `digits` of a tensor with `axes` axes, as in NumPy."""
    missing = axes - len(shape)
    for axis in range(len(shape)):
        found[axis] = min(digits[missing + axis], shape[axis] - 1)


def common_shape(*shapes):
    """The shape to which all these expand. Raises ShapeError where two lengths differ and none is 1."""
    lengths = []
    for along in zip_longest(*map(reversed, shapes), fillvalue=1):
        longer = set(along) - {1}
        if len(longer) > 1:
            raise ShapeError(f"shapes {shapes} differ in the axis {-1 - len(lengths)}: lengths {sorted(longer)}")
        lengths.append(max(longer, default=1))
    return tuple(lengths[::-1])


def expanded_steps(steps, shape, wanted):
    """Steps by which a tensor of `shape` is read as one of the shape `wanted`: 0 along axes that it lacks."""
    missing = len(wanted) - len(shape)
    return (0,) * missing + tuple(step if length > 1 else 0 for step, length in zip(steps, shape))
