"""Device arrays, under the names of `numba.cuda.cudadrv.devicearray`."""

from treadle.devicearray import DeviceNDArray, device_array_like, is_cuda_ndarray, to_device
from treadle.devicerecord import DeviceRecord

__all__ = ["DeviceNDArray", "DeviceRecord", "auto_device", "from_array_like", "is_cuda_ndarray"]

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
        from treadle import host_arrays

        return getattr(host_arrays, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
