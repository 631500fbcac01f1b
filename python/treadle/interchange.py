"""What exchange with other libraries needs rarely: places by name, and copies for consumers that want one."""

from treadle import _core

KDL_CPU, KDL_CUDA = 1, 2


def place_named(device):
    """DLPack's (device type, number) of what a program calls a device. TypeError, ValueError for anything else."""
    if isinstance(device, str):
        kind, _, number = device.partition(":")
        kinds = {"cpu": KDL_CPU, "cuda": KDL_CUDA}
        if kind not in kinds or not (number or "0").isdecimal():
            raise ValueError(f"device must be 'cpu', 'cuda' or 'cuda:<number>', found {device!r}")
        return kinds[kind], int(number or "0")
    if isinstance(device, tuple) and len(device) == 2 and all(isinstance(part, int) for part in device):
        return tuple(map(int, device))
    raise TypeError(f"device must be a tuple of two ints or a name such as 'cpu', found {device!r}")


def copied(array, on_host):
    """A copy of a device array, contiguous and with memory of its own: on its device, or where the host can see it."""
    copy = _core.new_array(array._type, array.shape, False, None, 0, "pinned" if on_host else "device")
    copy._assign(array)
    return copy
