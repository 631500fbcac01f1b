"""Tensors of flat cells with a shape and steps, and functions of numbers applied to them: by loops, or by kernels."""

from . import kernels, loops, scalars
from .layout import MOST_AXES, ShapeError, common_shape
from .tensor import Strided

__all__ = ["MOST_AXES", "ShapeError", "Strided", "common_shape", "kernels", "loops", "scalars"]
