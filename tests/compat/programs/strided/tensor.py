"""A tensor: flat cells on the host or on a device, a shape, and a step for each axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

import numba.cuda
import numpy as np

from .layout import MOST_AXES, ShapeError, weights_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike


class Strided:
    """Views share the cells of the tensor that they are taken from."""

    def __init__(self, cells, shape: Sequence[int], steps: Sequence[int] | None = None):
        if not 1 <= len(shape) <= MOST_AXES:
            raise ShapeError(f"a tensor has 1 to {MOST_AXES} axes, found the shape {tuple(shape)}")
        self.cells = cells
        self.shape = tuple(shape)
        self.steps = weights_of(self.shape) if steps is None else tuple(steps)

    @classmethod
    def of(cls, array: ArrayLike, device: bool = False) -> Strided:
        array = np.ascontiguousarray(array)
        cells = array.reshape(-1).copy()
        return cls(numba.cuda.to_device(cells) if device else cells, array.shape)

    @classmethod
    def empty(cls, shape: Sequence[int], dtype: DTypeLike, device: bool = False) -> Strided:
        allocate = numba.cuda.device_array if device else np.empty
        return cls(allocate(int(np.prod(shape)), dtype), shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def dtype(self) -> np.dtype:
        return self.cells.dtype

    def turned(self, *order: int) -> Strided:
        """A view with the axes in another order."""
        return Strided(self.cells, [self.shape[axis] for axis in order], [self.steps[axis] for axis in order])

    def thinned(self, axis: int, first: int, every: int) -> Strided:
        """A view of the elements `first`, `first + every`, ... along an axis."""
        shape, steps = list(self.shape), list(self.steps)
        shape[axis] = len(range(first, shape[axis], every))
        steps[axis] *= every
        return Strided(self.cells[first * self.steps[axis] :], shape, steps)

    def repeated(self, times: int) -> Strided:
        """A view with one more axis in front, along which all is the same."""
        return Strided(self.cells, (times, *self.shape), (0, *self.steps))

    def to_numpy(self) -> np.ndarray:
        cells = self.cells.copy_to_host() if numba.cuda.is_cuda_array(self.cells) else self.cells
        strides = [step * cells.itemsize for step in self.steps]
        return np.lib.stride_tricks.as_strided(cells, self.shape, strides).copy()
