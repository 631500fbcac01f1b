"""Host arrays that devices can use: pinned, mapped and managed ones; and how launches treat host arrays."""

from treadle import _core
from treadle.devices.new_arrays import make_array, make_array_like
from treadle.types import float64


class ArgHint:
    """A host array as an argument, with the launch's access to it. Device arrays are passed unchanged."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"{type(self).__name__}({self.value!r})"


class In(ArgHint):
    """A host array that the kernel only reads: the kernel's writes to it are not copied back."""

    def _taken(self):
        """The argument of the launch: a copy of anything readable on the host."""
        return _copy_of(self.value)


def _copy_of(value):
    import numpy

    if isinstance(value, tuple):
        items = map(_copy_of, value)
        return getattr(type(value), "_make", tuple)(items)
    if isinstance(value, _core.DeviceNDArray):
        return value
    if isinstance(value, numpy.generic):
        return value.copy()
    if isinstance(value, numpy.ndarray):
        # Preserves the class, so that arguments that must be rejected (masked arrays) still are.
        return numpy.array(value, order="K", subok=True)
    try:
        return numpy.array(memoryview(value))
    except TypeError:  # a number, for example
        return value


class Out(ArgHint):
    """A host array that the kernel writes. Elements that it does not write keep their values."""


class InOut(ArgHint):
    """A host array that the kernel reads and writes: the default for host arrays without a wrapper."""


_core.declare_argument(In, "In")
_core.declare_argument(ArgHint, "Out")


def _arrays():
    # Needs NumPy, which treadle itself does not import.
    from treadle.devices import host_arrays

    return host_arrays


def pinned_array(shape, dtype=float64, strides=None, order="C"):
    """A NumPy array in page-locked memory: copies and launches that use it on a stream are asynchronous to the host.

    Uninitialised. `strides`: in bytes, instead of those implied by `order`. Raises what `device_array` raises.
    """
    return _arrays().make(_arrays().PinnedNDArray, _array_of("pinned", shape, dtype, strides, order))


def mapped_array(shape, dtype=float64, strides=None, order="C", stream=0, portable=False, wc=False):
    """A NumPy array in memory shared by host and device. The host sees the writes of kernels that have finished.

    Uninitialised. `portable` and `wc` are for CUDA devices. Raises what `device_array` raises.
    """
    _core.check_stream(stream, _core.current_device())
    return _arrays().make(_arrays().MappedNDArray, _array_of("mapped", shape, dtype, strides, order), stream)


def managed_array(shape, dtype=float64, strides=None, order="C", stream=0, attach_global=True):
    """A NumPy array in memory that migrates between host and device automatically. Uninitialised.

    `attach_global`: any stream may use it, otherwise only those that the host chooses. Raises what `device_array`
    raises.
    """
    _core.check_stream(stream, _core.current_device())
    return _arrays().make(_arrays().ManagedNDArray, _array_of("managed", shape, dtype, strides, order), stream)


def _array_of(kind, *shape_and_order):
    return make_array(*shape_and_order, kind=kind)


def pinned_array_like(ary):
    """A `pinned_array` of the shape, dtype and order of another array."""
    return _arrays().make(_arrays().PinnedNDArray, _like(ary, "pinned"))


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """A `mapped_array` of the shape, dtype and order of another array."""
    _core.check_stream(stream, _core.current_device())
    return _arrays().make(_arrays().MappedNDArray, _like(ary, "mapped"), stream)


def _like(ary, kind):
    return make_array_like(ary, 0, kind)
