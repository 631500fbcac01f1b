"""Exceptions and warnings, under the name of `numba.cuda.errors`."""

from _operator import index

from treadle.absent import reporter
from treadle.errors import *  # noqa: F403

missing_launch_config_msg = """
Kernel launch configuration was not specified. Use the syntax:

kernel_function[blockspergrid, threadsperblock](arg0, arg1, ..., argn)
"""

__getattr__ = reporter(__name__, "treadle.errors")


def normalize_kernel_dimensions(griddim, blockdim):
    """Grid and block as two tuples of three ints. ValueError for more than three, TypeError for non-integers.

    >>> normalize_kernel_dimensions(4, (8, 8))
    ((4, 1, 1), (8, 8, 1))
    """
    if griddim is None or blockdim is None:
        raise ValueError(missing_launch_config_msg)
    return _three(griddim, "griddim"), _three(blockdim, "blockdim")


def _three(given, name):
    items = list(given) if isinstance(given, (tuple, list)) else [given]
    if len(items) > 3:
        raise ValueError(f"{name} must be a sequence of 1, 2 or 3 integers, found {given!r}")
    try:
        found = [index(item) for item in items]
    except TypeError:
        raise TypeError(f"{name} must be a sequence of integers, found {given!r}") from None
    return tuple(found + [1] * (3 - len(found)))
