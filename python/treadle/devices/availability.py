"""Availability: of devices, the CUDA version that code is compiled for, number types."""

from treadle import _core
from treadle.devices.devices import get_current_device, gpus


def is_available():
    """True if kernels can be launched: on a GPU, or on the CPU device, which always can. Never raises."""
    return cuda_error() is None


def cuda_error():
    """None, or the exception that prevents kernels from being launched."""
    try:
        _core.device_count()
    except Exception as error:
        return error
    return None


def is_supported_version():
    """True: the installed components work together."""
    return True


def is_float16_supported():
    """True: kernels on every device have float16."""
    return True


def is_bfloat16_supported():
    """Whether kernels on this thread's device can use bfloat16: `Device.supports_bfloat16`."""
    return get_current_device().supports_bfloat16


def is_fp8_supported():
    """Whether kernels on this thread's device can use numbers of 8 bits: `Device.supports_fp8`."""
    return get_current_device().supports_fp8


class _Runtime:
    """The CUDA runtime version that the generated PTX is for; no runtime has to be installed."""

    def get_version(self):
        """(major, minor) of the CUDA version that the generated PTX requires.

        >>> from treadle import cuda
        >>> cuda.runtime.get_version()
        (12, 0)
        """
        return 12, 0

    def is_supported_version(self):
        """True."""
        return True

    @property
    def supported_versions(self):
        """The supported versions of the CUDA toolkit: any from 12.0 on."""
        return ((12, 0),)


runtime = _Runtime()


def detect():
    """Prints the devices found, and returns True if kernels can run on one."""
    if not is_available():
        print("No device found")
        return False
    print(f"Found {len(gpus)} device{'s' if len(gpus) != 1 else ''}")
    for device in gpus:
        major, minor = device.compute_capability
        print(f"id {device.id}    {device.name}    [SUPPORTED]")
        print(f"                      Compute Capability: {major}.{minor}")
        print(f"                                    UUID: {device.uuid}")
        for name, value in _core.device_details(device.id):
            print(f"{name:>40}: {value}")
    return True
