"""Arrays in the device's memory, as the host sees them."""

from treadle import _core
from treadle.types import float64


def _numpy():
    import numpy

    return numpy


def _number_type(dtype):
    """The number type that a dtype of any spelling names."""
    found = _core.type_from(str(dtype) if hasattr(dtype, "kind") else dtype)
    if found._is_array or found.bitwidth == 0:
        raise TypeError(f"arrays hold numbers, found dtype {dtype!r}")
    return found


class DeviceNDArray(_core.DeviceArray):
    """An array of numbers in the device's memory. Made by `cuda.to_device` and `cuda.device_array`."""

    @property
    def dtype(self):
        """NumPy's dtype of the elements."""
        return _numpy().dtype(self._type_name())

    def _type_name(self):
        return _core.types_of(self)[0].dtype.name

    @property
    def flags(self):
        """Contiguity, as `{"C_CONTIGUOUS": bool, "F_CONTIGUOUS": bool}`."""
        return {"C_CONTIGUOUS": self.is_c_contiguous(), "F_CONTIGUOUS": self.is_f_contiguous()}

    alloc_size = _core.DeviceArray.nbytes

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d array")
        return self.shape[0]

    def __repr__(self):
        return f"<DeviceNDArray {self._type_name()} {self.shape}>"

    def copy_to_host(self, ary=None, stream=0):
        """The elements as a NumPy array, or copied into `ary`, which is returned.

        Waits for what was put on the stream before. Raises TypeError where `ary` has another dtype, ValueError where it
        has another shape.
        """
        if ary is None:
            order = "F" if self.is_f_contiguous() and not self.is_c_contiguous() else "C"
            ary = _numpy().empty(self.shape, self.dtype, order)
        self._copy_to(ary, stream)
        return ary

    def copy_to_device(self, ary, stream=0):
        """Copies from a host or device array of the same dtype (else TypeError) and shape (else ValueError).

        On a stream that is busy it runs in its turn, with what `ary` holds now.
        """
        self._copy_from(ary if isinstance(ary, DeviceNDArray) else _host_array(ary), stream)

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("a device array cannot become a NumPy array without a copy")
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype, copy=False)

    @property
    def __array_interface__(self):
        return self._interface(_numpy().dtype(self._type_name()).str)

    def _interface(self, typestr):
        strides = None if self.is_c_contiguous() else self.strides
        return {
            "shape": self.shape,
            "typestr": typestr,
            "data": (self._address, False),
            "strides": strides,
            "version": 3,
        }

    def __getitem__(self, item):
        """A view for ints, slices and `...`; a NumPy scalar where every axis has an int. Raises IndexError."""
        shape, strides, offset = _index(item, self.shape, self.strides)
        view = self._view(self._number, offset, shape, strides)
        return view.copy_to_host()[()] if not shape else view

    def __setitem__(self, key, value):
        """Assigns an array or a number, broadcast to the elements meant. Raises ValueError where it does not fit."""
        target = _numpy().asarray(memoryview(self))
        target[key] = _numpy().asarray(memoryview(value)) if isinstance(value, DeviceNDArray) else value


def _index(item, shape, strides):
    """(shape, strides, byte offset) of what `item` selects."""
    items = item if isinstance(item, tuple) else (item,)
    dots = [place for place, part in enumerate(items) if part is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = len(shape) - len(items) + len(dots)
    if missing < 0:
        raise IndexError(f"too many indices: the array has {len(shape)} dimensions, {len(items)} were indexed")
    fill = (slice(None),) * missing
    items = items[: dots[0]] + fill + items[dots[0] + 1 :] if dots else items + fill
    offset, new_shape, new_strides = 0, [], []
    for axis, (part, extent, stride) in enumerate(zip(items, shape, strides)):
        if isinstance(part, slice):
            start, stop, step = part.indices(extent)
            length = len(range(start, stop, step))
            new_shape.append(length)
            new_strides.append(stride * step)
            offset += start * stride if length else 0
        else:
            offset += _position(part, axis, extent) * stride
    return tuple(new_shape), tuple(new_strides), offset


def _position(part, axis, extent):
    try:
        place = part.__index__()
    except AttributeError:
        raise IndexError(f"device arrays are indexed by ints, slices and '...', found {part!r}") from None
    if not -extent <= place < extent:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {extent}")
    return place + extent if place < 0 else place


def _host_array(obj):
    """Something with the buffer protocol whose format kernels know: `obj` itself, or a NumPy array made of it."""
    if type(obj).__name__ != "ndarray":
        try:
            if _core.types_of(obj)[0]._is_array:
                return memoryview(obj)
        except TypeError:
            pass
        return _numpy().asarray(obj)
    return obj


def _contiguous_order(array):
    if array.ndim == 0:
        return "C"
    described = _core.types_of(array)[0]
    if described.layout == "A":
        raise ValueError("the array must be contiguous: copy it first, with numpy.ascontiguousarray say")
    return described.layout


def _extents(shape):
    return tuple(int(extent) for extent in shape) if isinstance(shape, (tuple, list)) else (int(shape),)


def device_array(shape, dtype=float64, strides=None, order="C", stream=0):
    """An uninitialised array in the device's memory.

    `shape`: an int or a tuple. `dtype`: a type object, or anything that names a NumPy dtype of bool, integer,
    float32/64 or complex. `order`: "C" or "F"; `strides`: in bytes, those of one of the two orders. Raises ValueError
    for others, and TypeError for other dtypes.
    """
    _core.stream_named(stream)
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', found {order!r}")
    number = _number_type(dtype)._number
    array = DeviceNDArray(number, _extents(shape), order)
    if strides is not None and tuple(strides) != array.strides:
        other = DeviceNDArray(number, _extents(shape), "F" if order == "C" else "C")
        if tuple(strides) != other.strides:
            raise ValueError(f"strides {tuple(strides)} belong to neither order of shape {array.shape}")
        array = other
    return array


def device_array_like(ary, stream=0):
    """An uninitialised array of the same shape, dtype and order as `ary`, a host or device array."""
    described = _core.types_of(ary)[0]
    if not described._is_array:
        raise TypeError(f"expected an array, found {ary!r} of type {type(ary).__name__}")
    shape = ary.shape if hasattr(ary, "shape") else memoryview(ary).shape
    return device_array(shape, described.dtype, order="F" if described.layout == "F" else "C", stream=stream)


def to_device(obj, stream=0, copy=True, to=None):
    """A host array, number or nested list as a device array; device arrays are returned as they are.

    `copy=False` only allocates. `to`: copies into this device array and returns it. Raises ValueError for arrays that
    are not contiguous, TypeError for dtypes that kernels do not have.
    """
    _core.stream_named(stream)
    if isinstance(obj, DeviceNDArray) and to is None:
        return obj
    host = obj if isinstance(obj, DeviceNDArray) else _host_array(obj)
    described = _core.types_of(host)[0]
    order = _contiguous_order(host)
    if to is None:
        to = DeviceNDArray(described.dtype._number, tuple(host.shape), order)
        if not copy:
            return to
    to._copy_from(host, stream)
    return to
