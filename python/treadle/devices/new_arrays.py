"""Device arrays made and filled: of a shape, like another array, with the elements of a value of the host."""

import sys

from treadle import _core
from treadle.types import float64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treadle.devices.devicearray import DeviceNDArray
else:
    DeviceNDArray = _core.DeviceNDArray  # `devicearray`, above this module, adds its methods


def _numpy():
    import numpy

    return numpy


def shared_with_host(obj):
    """The device side of a mapped or managed array: a DeviceNDArray. None for anything else."""
    # None can exist before their module is imported, which needs NumPy; another thread may be importing it.
    classes = getattr(sys.modules.get("treadle.devices.host_arrays"), "CLASSES", None)
    if classes is None or not isinstance(obj, classes) or obj._device is None:
        return None
    return obj._view()


def on_device(obj):
    """Foreign arrays in device memory as device arrays; anything else unchanged."""
    from treadle.typing.dtypes import numpy_class

    if isinstance(obj, (DeviceNDArray, numpy_class("ndarray"), numpy_class("generic"), list, tuple, int, float)):
        return obj
    return _core.as_cuda_array(obj) if _core.is_cuda_array(obj) else obj


def for_graphs(obj, stream):
    """Page-locked and mapped arrays of the host as the device's, if a copy is recorded into a graph."""
    return obj._view() if getattr(obj, "_device", None) is not None and _core.is_captured(stream) else obj


def is_cuda_ndarray(obj):
    """True for Treadle's own device arrays."""
    return isinstance(obj, DeviceNDArray)


def without_repeats(array):
    """A host or device array with broadcast axes (stride 0) reduced to one element."""
    if 0 not in array.strides or 0 in array.shape:
        return array
    if isinstance(array, memoryview):
        array = _numpy().asarray(array)
    repeats = [stride == 0 and extent > 1 for extent, stride in zip(array.shape, array.strides, strict=True)]
    return array[tuple(slice(1) if repeated else slice(None) for repeated in repeats)] if any(repeats) else array


def copy_in(target, source, stream):
    """Copies between arrays of one shape; broadcast axes of the target require the same of the source."""
    core = without_repeats(target)
    core._copy_from(source if core is target else without_repeats(source), stream)


def check_contiguous(array, what):
    core = without_repeats(array)
    if not (core.is_c_contiguous() or core.is_f_contiguous()):
        raise ValueError(
            f"{what} is not contiguous: shape {array.shape}, strides {array.strides}; assign it with array[...] = other"
        )


def check_strides(array, other):
    """ValueError if the memory layouts of the two differ. Axes of one element and empty arrays are ignored."""
    strides = getattr(other, "strides", None)
    if strides is None or array.size == 0 or array.shape != other.shape:
        return
    for extent, own, its in zip(array.shape, array.strides, strides, strict=True):
        # A difference in dtype is reported first.
        if extent != 1 and own != its and getattr(other, "dtype", None) == array.dtype:
            raise ValueError(
                f"the two arrays have different strides: the device's {array.strides}, the other one {strides}; copy "
                "into one of the same order"
            )


def host_array(obj):
    """An object with the buffer protocol in a format that kernels support: `obj` itself, or a NumPy array made from
    it."""
    _refuse_mask(obj)
    if type(obj).__name__ != "ndarray":
        try:
            if _core.types_of(obj)[0]._is_array and not hasattr(obj, "dtype"):
                return memoryview(obj)
        except TypeError:
            pass
        return _numpy().asarray(obj)
    return obj


def assigned(value, target):
    """What an assignment copies to `target`: the value itself, or a NumPy array of its elements, converted and
    broadcast as by NumPy."""
    numpy = _numpy()
    _refuse_mask(value)
    value = on_device(value)
    if isinstance(value, DeviceNDArray):
        if value._type is target._type and value.shape == target.shape:
            return value
        value = numpy.asarray(value)
    if getattr(value, "ndim", 0) > target.ndim:
        raise ValueError(f"expected a value of at most {target.ndim} dimensions, found shape {value.shape}")
    if isinstance(value, numpy.ndarray) and value.dtype == target.dtype:
        host = value
    else:
        is_number = isinstance(value, (bool, int, float, complex))
        host = numpy.empty(() if is_number else getattr(value, "shape", target.shape), target.dtype)
        host[...] = value
    if host.shape == target.shape:
        return host
    try:
        return numpy.broadcast_to(host, target.shape)
    except ValueError:
        raise ValueError(
            f"elements of shape {target.shape} cannot be assigned an array of shape {host.shape}"
        ) from None


def _refuse_mask(obj):
    """TypeError for NumPy's masked arrays, whose masks would be silently dropped."""
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(obj, masked.MaskedArray):
        _core.array_type_of(obj)


def _contiguous_order(array):
    core = without_repeats(array)
    if core.ndim == 0:
        return "C"
    described = _core.array_type_of(core)
    if described.layout == "A":
        raise ValueError(
            f"the array must be contiguous, found shape {array.shape} with strides {array.strides}: copy it, with "
            "numpy.ascontiguousarray say"
        )
    return described.layout


def make_array(shape, dtype=float64, strides=None, order="C", stream=0, *, kind="device"):
    """`device_array` with arbitrary arguments, and for memory of any kind."""
    if stream:
        _core.check_stream(stream, _core.current_device())
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', found {order!r}")
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if strides is not None:
        strides = tuple(strides) if isinstance(strides, (tuple, list)) else (strides,)
    array = _core.new_array(dtype, shape, order == "F", strides, stream, kind)
    if stream:
        array.stream = stream
    return array


_core.set_array_maker(make_array)
device_array = _core.device_array


def device_array_like(ary, stream=0):
    """An uninitialised array of the same shape, dtype and order of axes as `ary`, a host or device array."""
    return make_array_like(ary, stream, "device")


def make_array_like(ary, stream, kind):
    ary = on_device(ary)
    described = _core.array_type_of(ary)
    source = ary if hasattr(ary, "strides") else _numpy().asarray(ary)
    if described.layout != "A":
        return make_array(tuple(source.shape), described.dtype, None, described.layout, stream, kind=kind)
    # Contiguous, with the axes in the same memory order.
    axes = sorted(range(source.ndim), key=lambda axis: -abs(source.strides[axis]))
    packed = make_array(tuple(source.shape[axis] for axis in axes), described.dtype, stream=stream, kind=kind)
    return packed.transpose([axes.index(axis) for axis in range(source.ndim)])


def to_device(obj, stream=0, copy=True, to=None):
    """A host array, number, record or nested list as a device array. Device, mapped and managed arrays are returned
    unchanged, and objects with a `__cuda_array_interface__` to device memory are used in place, as by `as_cuda_array`.
    Broadcast axes (stride 0) stay broadcast.

    `copy=False` only allocates. `to`: copies into this device array and returns it. Raises ValueError for arrays that
    are not contiguous, TypeError for dtypes that kernels do not support.
    """
    if to is not None:
        if not isinstance(to, DeviceNDArray):
            raise TypeError(f"`to` must be a device array, found {type(to).__name__}")
        check_contiguous(to, "`to`")
    if stream:
        _core.check_stream(stream, _core.current_device() if to is None else to._ordinal)
    if to is None and (isinstance(obj, DeviceNDArray) or shared_with_host(obj) is not None):
        return obj
    obj = on_device(obj)
    if to is None and isinstance(obj, DeviceNDArray):
        return obj
    host = obj if isinstance(obj, DeviceNDArray) else host_array(obj)
    try:
        described = None if isinstance(obj, str) else _core.array_type_of(host)
    except TypeError:
        if host is obj:
            raise
        described = None
    if described is None:
        from treadle.typing.dtypes import ELEMENTS

        raise TypeError(
            f"no device array can be made of a value of type {type(obj).__name__}, of which NumPy makes an array of "
            f"dtype {host.dtype}: {ELEMENTS}"
        )
    order = _contiguous_order(host)
    if to is None:
        repeats = without_repeats(host) is not host
        to = make_array(tuple(host.shape), described.dtype, tuple(host.strides) if repeats else None, order, stream)
        if not copy:
            return to
    copy_in(to, host, stream or to.stream)
    return to._element() if host.ndim == 0 and described.dtype._is_record else to
