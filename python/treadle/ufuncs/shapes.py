"""Broadcasting, and the fewest axes that describe all operands of a call. Strides are in bytes."""

MOST_AXES = 8
"""The most axes that an array of a kernel can have."""


def broadcast(shapes, name):
    """The shape to which all of them broadcast. ValueError, as in NumPy, if they do not."""
    shape = max(shapes, key=len, default=())
    if all(other == shape for other in shapes):
        return shape
    result = list(shape)
    for other in shapes:
        for axis, extent in enumerate(other, len(shape) - len(other)):
            if result[axis] == 1:
                result[axis] = extent
            elif extent not in (1, result[axis]):
                raise ValueError(
                    f"{name}: operands could not be broadcast together with shapes "
                    + " ".join(str(given).replace(" ", "") for given in shapes)
                )
    return tuple(result)


def stretched(shape, strides, target):
    """The strides of an operand of this shape that is broadcast to `target`."""
    missing = len(target) - len(shape)
    kept = (stride if extent != 1 else 0 for extent, stride in zip(shape, strides, strict=True))
    return (0,) * missing + tuple(kept)


def coalesced(shape, operands):
    """(shape, list of strides) with as few axes as possible, the one with the shortest strides last.

    `operands`: for each the strides that it has along `shape`. Every element keeps its place in all of them; the order
    of elements changes.
    """
    axes = [axis for axis, extent in enumerate(shape) if extent != 1]
    # A stable sort: axes with equal strides stay in C order.
    axes.sort(key=lambda axis: -max((abs(strides[axis]) for strides in operands), default=0))
    merged: list = []
    for axis in axes:
        extent, steps = shape[axis], [strides[axis] for strides in operands]
        if merged and all(outer == step * extent for outer, step in zip(merged[-1][1], steps, strict=True)):
            merged[-1] = (merged[-1][0] * extent, steps)
        else:
            merged.append((extent, steps))
    if not merged:
        merged = [(1, [0] * len(operands))]
    return tuple(extent for extent, _ in merged), [
        tuple(steps[place] for _, steps in merged) for place in range(len(operands))
    ]


def packed(shape, itemsize, fortran=False):
    """The strides of an array without gaps."""
    strides, step = [], itemsize
    for extent in shape if fortran else reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(strides if fortran else reversed(strides))


def reach(address, shape, strides, itemsize):
    """(first, last) address of an array's elements; equal without elements."""
    if 0 in shape:
        return address, address
    steps = [stride * (extent - 1) for extent, stride in zip(shape, strides, strict=True)]
    return (
        address + sum(step for step in steps if step < 0),
        address + sum(step for step in steps if step > 0) + itemsize,
    )
