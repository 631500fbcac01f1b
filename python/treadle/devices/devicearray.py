"""Arrays in the device's memory, as the host uses them."""

from _operator import index

from treadle import _core
from treadle.devices.new_arrays import (
    assigned,
    check_contiguous,
    check_strides,
    copy_in,
    for_graphs,
    host_array,
    on_device,
    without_repeats,
)
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
        from treadle.devices.devices import contexts
        from treadle.devices.memory_pointers import ArrayMemory, row_of_bytes

        return ArrayMemory(row_of_bytes(self), contexts()[self._ordinal])

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
        check_strides(self, ary)
        self._copy_to(for_graphs(ary, stream or self.stream), stream or self.stream)
        return ary

    def _copied(self, stream):
        """A NumPy array of the same elements in the same order; broadcast axes stay broadcast."""
        core = without_repeats(self)
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
        check_contiguous(self, "this array")
        ary = for_graphs(on_device(ary), stream or self.stream)
        if isinstance(ary, DeviceNDArray):
            check_contiguous(ary, "the array to copy from")
            check_strides(self, ary)
        copy_in(self, ary if isinstance(ary, DeviceNDArray) else host_array(ary), stream or self.stream)

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
        from treadle.devices.ipc_arrays import handle_of_array

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
            return self._as(DeviceRecord)
        self._wait()
        return self.copy_to_host()[()]

    def __setitem__(self, key, value):
        """Assigns an array or a number, broadcast to the selected elements. Raises ValueError if it does not fit."""
        self.setitem(key, value)

    def setitem(self, key, value, stream=0):
        """As `array[key] = value`, after the work queued on `stream` and on every stream that uses the array."""
        target = self._at(key)
        source = assigned(value, target)
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


class DeviceRecord(DeviceNDArray):
    """One record in the device's memory: an element of an array of records, or a copy of a `numpy.void`.

    Its fields are accessed by name, and in kernels as attributes of the record.

    >>> import numpy
    >>> from treadle import cuda
    >>> particles = cuda.to_device(numpy.zeros(3, [("mass", "f4"), ("position", "f4", (2,))]))
    >>> particle = particles[1]
    >>> particle["mass"] = 2.5
    >>> float(particle["mass"]), particle["position"].shape
    (2.5, (2,))
    >>> particles.copy_to_host()["mass"].tolist()
    [0.0, 2.5, 0.0]
    """

    __slots__ = ()

    def __getitem__(self, name):
        if name is Ellipsis or name == ():
            return self
        return super().__getitem__(self._name(name))

    def _name(self, field):
        if isinstance(field, str):
            return field
        names = self.dtype.names
        if not -len(names) <= index(field) < len(names):
            raise IndexError(f"the record has {len(names)} fields, found index {field}")
        return names[field]

    def setitem(self, key, value, stream=0):
        super().setitem(key if key is Ellipsis or key == () else self._name(key), value, stream)

    def copy_to_host(self, ary=None, stream=0):
        """The record as a `numpy.void`, or copied into `ary`: a record or a 0-d array of the same dtype."""
        host = super().copy_to_host(stream=stream)
        if ary is None:
            return host[()]
        if getattr(ary, "dtype", None) != self.dtype:
            raise TypeError(f"expected a record of {self.dtype}, found {getattr(ary, 'dtype', type(ary).__name__)}")
        for name in ary.dtype.names:
            ary[name] = host[name]
        return ary


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
