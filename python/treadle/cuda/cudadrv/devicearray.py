"""Device arrays, under the names of `numba.cuda.cudadrv.devicearray`."""

from treadle.absent import report
from treadle.devices.devicearray import DeviceNDArray, DeviceRecord
from treadle.devices.ipc_arrays import IpcArrayHandle
from treadle.devices.new_arrays import device_array_like, is_cuda_ndarray, to_device

__all__ = [
    "DeviceNDArray", "DeviceRecord", "IpcArrayHandle", "auto_device", "from_array_like", "is_contiguous",
    "is_cuda_ndarray", "require_cuda_ndarray", "verify_cuda_ndarray_interface",
]  # fmt: skip

from_array_like = device_array_like


def auto_device(obj, stream=0, copy=True):
    """(array, made): the array on the device, and whether this call created it.

    `obj`: a device array, which is returned unchanged, or anything that `cuda.to_device` accepts.
    """
    array = to_device(obj, stream, copy)
    return array, array is not obj


def __getattr__(name):
    # Needs NumPy, which is imported on first use only.
    if name in ("ManagedNDArray", "MappedNDArray"):
        from treadle.devices import host_arrays

        return getattr(host_arrays, name)
    if not name.startswith("_"):
        report(__name__, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def is_contiguous(ary):
    """Whether the elements of a NumPy or device array lie without gaps, in C or Fortran order."""
    return ary.is_c_contiguous() or ary.is_f_contiguous() if isinstance(ary, DeviceNDArray) else ary.flags.forc


def require_cuda_ndarray(obj):
    """Raises ValueError if `obj` is not a device array."""
    if not is_cuda_ndarray(obj):
        raise ValueError(f"expected a device array, found {type(obj).__name__}")


verify_cuda_ndarray_interface = require_cuda_ndarray
