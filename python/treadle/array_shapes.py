"""Shapes and strides of views: what another order or number of axes makes of an array, without touching its memory."""

import math
import operator


def reshaped(shape, strides, new_shape, itemsize, *, order):
    """(shape, strides) of the same elements with other extents, one of which may be -1. `order` "C" or "F" says in
    which order elements are counted; strides are bytes, None: those of C order.

    Raises ValueError where the extents do not fit, NotImplementedError where no strides reach the elements.

    >>> reshaped((4, 6), (48, 8), (2, 2, -1), 8, order="C")
    ((2, 2, 6), (96, 48, 8))
    """
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', found {order!r}")
    size = math.prod(shape)
    new_shape = _completed(size, shape, new_shape)
    # Counting in Fortran order is counting the transposed array in C order.
    wanted = new_shape[::-1] if order == "F" else new_shape
    if not size:
        return new_shape, None
    if order == "F":
        steps = _reached(shape, strides, wanted, itemsize)
    else:
        steps = _reached(shape[::-1], strides[::-1], wanted, itemsize)
    return new_shape, steps[::-1] if order == "F" else steps


def _completed(size, shape, new_shape):
    unknown = [place for place, extent in enumerate(new_shape) if extent == -1]
    known = math.prod(extent for extent in new_shape if extent != -1)
    if len(unknown) > 1:
        raise ValueError(f"one extent at most can be -1, found shape {new_shape}")
    if any(extent < -1 for extent in new_shape):
        raise ValueError(f"negative dimensions are not allowed, found shape {new_shape}")
    if unknown:
        if known == 0 or size % known:
            raise ValueError(f"an array of shape {shape} cannot have shape {new_shape}: {size} elements")
        new_shape = tuple(size // known if extent == -1 else extent for extent in new_shape)
    elif known != size:
        raise ValueError(f"an array of shape {shape} cannot have shape {new_shape}: {size} elements, not {known}")
    return new_shape


def _reached(shape, strides, new_shape, itemsize):
    """Strides for `new_shape`, whose last axis changes fastest; of `shape` and `strides` it is the first.

    Axes that follow each other without gaps are one run of elements, and the new axes share the runs out.
    """
    runs: list[list[int]] = []
    for extent, stride in zip(shape, strides):
        if extent == 1:
            continue
        if runs and stride == runs[-1][0] * runs[-1][1]:
            runs[-1][0] *= extent
        else:
            runs.append([extent, stride])
    steps = []
    left, step = runs.pop(0) if runs else (1, itemsize)
    for extent in reversed(new_shape):
        if extent > 1 and left == 1:
            left, step = runs.pop(0)
        if left % extent:
            raise NotImplementedError(f"shape {tuple(new_shape)} would take a copy of the elements")
        steps.append(step)
        left //= extent
        step *= extent
    return tuple(reversed(steps))


def permuted(shape, strides, axes):
    """(shape, strides) with the axes in the order `axes`, reversed where it is None. ValueError where they are not each
    axis once."""
    ndim = len(shape)
    if axes is None:
        return shape[::-1], strides[::-1]
    order = [operator.index(axis) for axis in axes]
    order = [axis + ndim if -ndim <= axis < 0 else axis for axis in order]
    if sorted(order) != list(range(ndim)):
        raise ValueError(f"axes {tuple(axes)} are not each of the {ndim} axes once")
    return tuple(shape[axis] for axis in order), tuple(strides[axis] for axis in order)


def squeezed(shape, strides, axis):
    """(shape, strides) without the axes of extent 1, or without those in `axis`, an int or a tuple."""
    if axis is None:
        gone = {place for place, extent in enumerate(shape) if extent == 1}
    else:
        gone = set()
        for place in axis if isinstance(axis, tuple) else (axis,):
            if not -len(shape) <= place < len(shape):
                raise ValueError(f"axis {place} is out of bounds for an array of {len(shape)} dimensions")
            gone.add(place % len(shape))
    for place in gone:
        if shape[place] != 1:
            raise ValueError(f"axis {place} has extent {shape[place]}: only axes of extent 1 can be left out")
    kept = [place for place in range(len(shape)) if place not in gone]
    return tuple(shape[place] for place in kept), tuple(strides[place] for place in kept)
