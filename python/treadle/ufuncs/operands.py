"""The arguments of a ufunc: device arrays, host arrays and numbers; and views of the first two."""

import numpy

from treadle import _core
from treadle.devices.devicearray import DeviceNDArray
from treadle.devices.new_arrays import device_array, shared_with_host
from treadle.typing import type_classes

NUMBERS = (bool, int, float, complex)
"""Python's own numbers, which adopt the type of the other operand, as in NumPy 2."""


def is_device(operand):
    """True for a device array."""
    return isinstance(operand, DeviceNDArray)


def operand(value, name):
    """A device array, a NumPy array, a NumPy scalar or a Python number. TypeError for anything else.

    Arrays of other libraries, mapped and managed arrays count as device arrays, lists as NumPy arrays.
    """
    kind = type(value)
    if kind is numpy.ndarray:
        return value if value.dtype.isnative else value.astype(value.dtype.newbyteorder("="))
    if kind in NUMBERS or is_device(value) or isinstance(value, numpy.generic):
        return value
    if isinstance(value, numpy.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays have no mask in kernels; pass .filled() or .data")
    shared = shared_with_host(value)
    if shared is not None:
        return shared
    if isinstance(value, numpy.ndarray):
        return operand(value.view(numpy.ndarray), name)
    if _core.is_cuda_array(value):
        return _core.as_cuda_array(value)
    return numpy.asarray(value)


def output(value, name):
    """The same for an array that is written. TypeError for anything but an array, ValueError for a read-only one."""
    if isinstance(value, numpy.ndarray) and not value.dtype.isnative:
        raise TypeError(f"{name}: out is of another byte order than this machine's: {value.dtype}")
    found = operand(value, name)
    if not (is_device(found) or isinstance(found, numpy.ndarray)) or isinstance(value, (list, tuple)):
        raise TypeError(f"{name}: out must be a device array or a NumPy array, found {type(value).__name__}")
    read_only = found._is_read_only if is_device(found) else not found.flags.writeable
    if read_only:
        raise ValueError(f"{name}: out is read-only: pass an array that can be written to")
    return found


def host_is_visible():
    """Whether kernels of the current device can use the host's arrays."""
    return _core.uses_host_arrays(_core.current_device())


def on_device(array, stream):
    """A copy of a host array in the device's memory, with broadcast axes as short as they are."""
    shape, strides = array.shape, array.strides
    if 0 in strides and 0 not in shape:
        array = array[tuple(slice(1) if stride == 0 else slice(None) for stride in strides)]
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    device = _core.new_array(array.dtype, array.shape, fortran, None, stream, "device")
    device._copy_from(numpy.asarray(array, order="F" if fortran else "C"), stream)
    if device.shape == shape:
        return device
    repeated = (0 if given == 0 else step for given, step in zip(strides, device.strides, strict=True))
    return device._view(array.dtype, 0, shape, tuple(repeated))


def new_array(shape, dtype, stream=0, order="C"):
    """An uninitialised device array."""
    return device_array(shape, dtype, None, order, stream)


def strided(array, shape, strides):
    """A view of the same memory with other extents and strides, from the same first element on."""
    if is_device(array):
        return array._view(array._type, 0, shape, strides)
    return numpy.lib.stride_tricks.as_strided(array, shape, strides)


def address_of(array):
    """Address of the first element."""
    return array._address if is_device(array) else array.__array_interface__["data"][0]


def supported(dtype):
    """True for numbers of this machine's byte order that kernels can compute with."""
    return dtype.isnative and (dtype.kind in "?biu" or dtype.char in "efdFD")


def is_time(type_):
    """True for the types of dates and durations."""
    return isinstance(type_, (type_classes.NPDatetime, type_classes.NPTimedelta))


def check_dtype(dtype, name, times=False):
    """TypeError for dtypes that kernels cannot compute with, saying what to use instead. `times`: whether dates and
    durations may be among the operands, as they may of functions of the user's own."""
    if supported(dtype) or times and dtype.isnative and dtype.kind in "mM":
        return
    if dtype.kind in "mM":
        raise TypeError(f"{name}: device arrays of {dtype} cannot be computed with; view them as int64")
    raise TypeError(f"{name}: kernels compute with bool, integers, floats and complex, found dtype {dtype}")


def with_trailing_axes(value, count):
    """A view of an operand with axes of extent 1 appended."""
    if count == 0 or not (is_device(value) or isinstance(value, numpy.ndarray)):
        return value
    return value.reshape(value.shape + (1,) * count)
