"""Arrays in the device's memory, as the host uses them."""

import sys

from treadle import _core
from treadle.types import float64
from treadle.typing.conversion import dtype_of

TYPE_CHECKING = False
if TYPE_CHECKING:

    class _Base(_core.DeviceNDArray):
        pass

else:
    _Base = object


def _numpy():
    import numpy

    return numpy


def _added_to(cls):
    """A decorator that adds the attributes of a class to `cls`, and returns `cls`.

    The garbage collector would track a subclass, which takes longer than allocating an array.
    """

    def add(body):
        for name, value in vars(body).items():
            if name not in ("__dict__", "__weakref__", "__module__"):
                setattr(cls, name, value)
        return cls

    return add


@_added_to(_core.DeviceNDArray)
class DeviceNDArray(_Base):
    """An array of numbers or records in the device's memory. Made by `cuda.to_device` and `cuda.device_array`.

    Views share their memory, which lives as long as any of them.
    """

    def __getattr__(self, name):
        # A method in old versions of Numba.
        if name == "to_host":
            raise AttributeError("device arrays have no 'to_host' any more: call copy_to_host(array)", name=name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    @property
    def dtype(self):
        """NumPy's dtype of the elements."""
        return dtype_of(self._type)

    @property
    def flags(self):
        """Contiguity, as `{"C_CONTIGUOUS": bool, "F_CONTIGUOUS": bool}`."""
        return {"C_CONTIGUOUS": self.is_c_contiguous(), "F_CONTIGUOUS": self.is_f_contiguous()}

    @property
    def device_ctypes_pointer(self):
        """Address of the first element, as a `ctypes.c_void_p`."""
        import ctypes

        return ctypes.c_void_p(self._address)

    @property
    def gpu_data(self):
        """The array's bytes as a `cudadrv.driver.MemoryPointer`. ValueError if they are not contiguous."""
        from treadle.devices.memory_pointers import memory_of

        return memory_of(self)

    @property
    def T(self):
        """A view of the array with its axes in reverse order."""
        return self.transpose()

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d array")
        return self.shape[0]

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[place] for place in range(self.shape[0]))

    def __repr__(self):
        return f"<{type(self).__name__} {self._type.name} {self.shape}>"

    # Copies.

    def copy_to_host(self, ary=None, stream=0):
        """The elements as a NumPy array, or copied into `ary`, which is returned.

        Waits for the work queued on the stream. Raises TypeError if `ary` has another dtype, ValueError if it has
        another shape or other strides or is read-only, NotImplementedError if this view has negative strides.
        """
        if any(stride < 0 for stride in self.strides):
            raise NotImplementedError(
                f"a view with negative strides {self.strides} cannot be copied: copy the array, and reverse that"
            )
        if ary is None:
            return self._copied(stream or self.stream)
        _check_strides(self, ary)
        self._copy_to(_for_graphs(ary, stream or self.stream), stream or self.stream)
        return ary

    def _copied(self, stream):
        """A NumPy array of the same elements in the same order; broadcast axes stay broadcast."""
        core = _without_repeats(self)
        order = "F" if core.is_f_contiguous() and not core.is_c_contiguous() else "C"
        host = _numpy().empty(core.shape, self.dtype, order)
        core._copy_to(host, stream)
        if core is self:
            return host
        strides = [
            step if kept == own else 0 for step, kept, own in zip(host.strides, core.shape, self.shape, strict=True)
        ]
        return _numpy().ndarray(self.shape, self.dtype, host, strides=strides)

    def copy_to_device(self, ary, stream=0):
        """Copies from a host or device array of the same dtype (else TypeError) and shape (else ValueError).

        On a busy stream the copy is queued, with the current contents of `ary`. Raises ValueError if this array, or
        `ary` in device memory, is not contiguous: `array[...] = ary` copies those.
        """
        _check_contiguous(self, "this array")
        ary = _for_graphs(_on_device(ary), stream or self.stream)
        if isinstance(ary, DeviceNDArray):
            _check_contiguous(ary, "the array to copy from")
            _check_strides(self, ary)
        _copy_in(self, ary if isinstance(ary, DeviceNDArray) else _host_array(ary), stream or self.stream)

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError(
                "a device array cannot become a NumPy array without a copy; host_view() is NumPy's view of its memory"
            )
        self._wait()
        host = self._copied(self.stream)
        return host if dtype is None else host.astype(dtype, copy=False)

    def get_ipc_handle(self):
        """A handle by which another process opens the array: an `IpcArrayHandle`, which can be pickled and sent there.

        Waits for the work that uses the array. The array's memory lives as long as the handle. Raises ValueError for an
        array without elements, CudaAPIError for memory that cannot be shared, and what the memory manager raises, if
        another library's is in use.
        """
        from treadle.devices.ipc import handle_of_array

        return handle_of_array(self)

    def host_view(self):
        """A NumPy array over the same memory: later writes of kernels are visible in it, and its writes are visible to
        kernels.

        First waits for all work queued on streams that uses the memory. Raises BufferError if the host cannot access
        the device's memory: `copy_to_host()` works there too.

        >>> from treadle import cuda
        >>> device = cuda.to_device([1.0, 2.0])
        >>> device.host_view()[0] = 5
        >>> device.copy_to_host().tolist()
        [5.0, 2.0]
        """
        if not self._is_host_visible:
            raise BufferError("the host cannot look at the memory of this device: copy_to_host() makes a copy")
        self._wait()
        return _numpy().asarray(_Memory(self)).view(self.dtype)

    # Elements. Reading them with `array[...]` is implemented in C++.

    def getitem(self, item, stream=0):
        """As `array[item]`: a view for ints, slices, `...` and field names; the value of the element if every axis has
        an int, copied on `stream`. Raises IndexError, and KeyError for a field that the records do not have.
        """
        self._wait_for(stream)
        return self[item]

    def _element(self):
        if self._type._is_record:
            from treadle.devices.devicerecord import DeviceRecord

            return self._as(DeviceRecord)
        self._wait()
        return self.copy_to_host()[()]

    def __setitem__(self, key, value):
        """Assigns an array or a number, broadcast to the selected elements. Raises ValueError if it does not fit."""
        self.setitem(key, value)

    def setitem(self, key, value, stream=0):
        """As `array[key] = value`, after the work queued on `stream` and on every stream that uses the array."""
        target = self._at(key)
        source = _assigned(value, target)
        self._wait_for(stream)
        target._assign(source)

    def _wait_for(self, stream):
        stream = stream or self.stream
        if stream:
            _core.check_stream(stream, self._ordinal)
            _core.stream_named(stream)._synchronize()

    # Views.

    def reshape(self, *newshape, order="C"):
        """A view of the same elements with other extents, one of which may be -1. Raises NotImplementedError if that
        requires a copy, ValueError if the extents do not fit.

        `order`: "C", "F", or "A": Fortran order if the array is in that order only, else C.

        >>> from treadle import cuda
        >>> cuda.device_array(12).reshape(3, -1).shape
        (3, 4)
        """
        if len(newshape) == 1 and isinstance(newshape[0], (tuple, list)):
            newshape = tuple(newshape[0])
        if order == "A":
            order = "F" if self.is_f_contiguous() and not self.is_c_contiguous() else "C"
        if order not in ("C", "F"):
            raise ValueError(f"order must be 'C', 'F' or 'A', found {order!r}")
        return self._reshaped(newshape, order == "F")

    def ravel(self, order="C", stream=0):
        """A view of all elements along one axis. Raises NotImplementedError if that requires a copy."""
        return self.reshape(self.size, order=order)

    def transpose(self, axes=None):
        """A view with the axes in another order; reversed without `axes`. ValueError if `axes` does not name each axis
        once."""
        return self._permuted(axes)

    def squeeze(self, axis=None, stream=0):
        """A view without the axes of extent 1, or without those named. ValueError for an axis of another extent."""
        return self._squeezed(axis)

    def view(self, dtype):
        """A view of the same memory as elements of another dtype.

        An item size other than the array's requires a C-contiguous array, whose last axis then has more or fewer
        elements. ValueError if its bytes are not a multiple of that size.
        """
        if dtype is None:
            raise TypeError("view() takes a dtype, found None")
        return self._viewed(dtype)

    def split(self, section, stream=0):
        """Generates views of `section` elements each; the last one has the remaining elements. ValueError unless the
        array is 1-d and contiguous."""
        if self.ndim != 1:
            raise ValueError(f"split() takes an array of one dimension, this one has {self.ndim}")
        if self.strides[0] != self.itemsize:
            raise ValueError(f"split() takes an array with stride {self.itemsize}, this one has {self.strides[0]}")
        if section < 1:
            raise ValueError(f"a section has one or more elements, found {section}")
        for begin in range(0, self.size, section):
            yield self[begin : begin + section]

    def bind(self, stream=0):
        """A view whose copies run on `stream` unless they name another."""
        if stream is None:
            raise TypeError("bind() takes a stream, found None; 0 is the default stream")
        _core.check_stream(stream, self._ordinal)
        view = self._as(type(self))
        view.stream = stream
        return view


class _Memory:
    """Memory of a device array for NumPy, whatever the type of its elements."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = {
            "shape": array.shape,
            "typestr": f"|V{array.itemsize}",
            "data": (array._address or 64, array._is_read_only),  # NumPy 2.2 rejects address 0
            "strides": array.strides,
            "version": 3,
        }


def shared_with_host(obj):
    """The device side of a mapped or managed array: a DeviceNDArray. None for anything else."""
    # None can exist before their module is imported, which needs NumPy; another thread may be importing it.
    classes = getattr(sys.modules.get("treadle.devices.host_arrays"), "CLASSES", None)
    if classes is None or not isinstance(obj, classes) or obj._device is None:
        return None
    return obj._view()


def _on_device(obj):
    """Foreign arrays in device memory as device arrays; anything else unchanged."""
    from treadle.typing.dtypes import numpy_class

    if isinstance(obj, (DeviceNDArray, numpy_class("ndarray"), numpy_class("generic"), list, tuple, int, float)):
        return obj
    return _core.as_cuda_array(obj) if _core.is_cuda_array(obj) else obj


def _for_graphs(obj, stream):
    """Page-locked and mapped arrays of the host as the device's, if a copy is recorded into a graph."""
    return obj._view() if getattr(obj, "_device", None) is not None and _core.is_captured(stream) else obj


def is_cuda_ndarray(obj):
    """True for Treadle's own device arrays."""
    return isinstance(obj, DeviceNDArray)


def _without_repeats(array):
    """A host or device array with broadcast axes (stride 0) reduced to one element."""
    if 0 not in array.strides or 0 in array.shape:
        return array
    if isinstance(array, memoryview):
        array = _numpy().asarray(array)
    repeats = [stride == 0 and extent > 1 for extent, stride in zip(array.shape, array.strides, strict=True)]
    return array[tuple(slice(1) if repeated else slice(None) for repeated in repeats)] if any(repeats) else array


def _copy_in(target, source, stream):
    """Copies between arrays of one shape; broadcast axes of the target require the same of the source."""
    core = _without_repeats(target)
    core._copy_from(source if core is target else _without_repeats(source), stream)


def _check_contiguous(array, what):
    core = _without_repeats(array)
    if not (core.is_c_contiguous() or core.is_f_contiguous()):
        raise ValueError(
            f"{what} is not contiguous: shape {array.shape}, strides {array.strides}; assign it with array[...] = other"
        )


def _check_strides(array, other):
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


def _host_array(obj):
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


def _assigned(value, target):
    """What an assignment copies to `target`: the value itself, or a NumPy array of its elements, converted and
    broadcast as by NumPy."""
    numpy = _numpy()
    _refuse_mask(value)
    value = _on_device(value)
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
    core = _without_repeats(array)
    if core.ndim == 0:
        return "C"
    described = _core.array_type_of(core)
    if described.layout == "A":
        raise ValueError(
            f"the array must be contiguous, found shape {array.shape} with strides {array.strides}: copy it, with "
            "numpy.ascontiguousarray say"
        )
    return described.layout


def _device_array(shape, dtype=float64, strides=None, order="C", stream=0, *, kind="device"):
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


_core.set_array_maker(_device_array)
device_array = _core.device_array


def device_array_like(ary, stream=0):
    """An uninitialised array of the same shape, dtype and order of axes as `ary`, a host or device array."""
    return _array_like(ary, stream, "device")


def _array_like(ary, stream, kind):
    ary = _on_device(ary)
    described = _core.array_type_of(ary)
    source = ary if hasattr(ary, "strides") else _numpy().asarray(ary)
    if described.layout != "A":
        return _device_array(tuple(source.shape), described.dtype, None, described.layout, stream, kind=kind)
    # Contiguous, with the axes in the same memory order.
    axes = sorted(range(source.ndim), key=lambda axis: -abs(source.strides[axis]))
    packed = _device_array(tuple(source.shape[axis] for axis in axes), described.dtype, stream=stream, kind=kind)
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
        _check_contiguous(to, "`to`")
    if stream:
        _core.check_stream(stream, _core.current_device() if to is None else to._ordinal)
    if to is None and (isinstance(obj, DeviceNDArray) or shared_with_host(obj) is not None):
        return obj
    obj = _on_device(obj)
    if to is None and isinstance(obj, DeviceNDArray):
        return obj
    host = obj if isinstance(obj, DeviceNDArray) else _host_array(obj)
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
        repeats = _without_repeats(host) is not host
        to = _device_array(tuple(host.shape), described.dtype, tuple(host.strides) if repeats else None, order, stream)
        if not copy:
            return to
    _copy_in(to, host, stream or to.stream)
    return to._element() if host.ndim == 0 and described.dtype._is_record else to
