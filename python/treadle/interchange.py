"""What exchange with other libraries needs rarely: places by name, records, and copies for consumers that want one."""

import sys

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


def descr_of(array):
    """The `descr` of an array of records: NumPy's, padding included."""
    return array.dtype.descr


def record_described(descr):
    """The dtype of records that a `descr` describes; None where it has one nameless field, as that of numbers; a text
    for what is none, with the reason."""
    try:
        (name, *_), *more = descr
        return None if name == "" and not more else _record(descr)
    except (TypeError, ValueError, SyntaxError, OverflowError) as error:  # NumPy's for texts that name no type
        return str(error)


def _record(descr):
    """Nameless fields are padding; a name may be a pair (title, name)."""
    import numpy

    fields, offset = [], 0
    for name, kind, *shape in descr:
        dtype = _record(kind) if isinstance(kind, list) else numpy.dtype(kind)
        dtype = numpy.dtype((dtype, *shape)) if shape else dtype
        if name != "":
            fields.append((name[1] if isinstance(name, tuple) else name, dtype, offset))
        offset += dtype.itemsize
    names, formats, offsets = zip(*fields, strict=True)
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": offset})


def element_by_owner(owner, held):
    """The type of elements that a protocol can only call bytes, by the owner's dtype: bfloat16 and its kind."""
    named = _core.opaque_named(str(getattr(owner, "dtype", "")).rpartition(".")[2])
    return named if named is not None and named._itemsize == held._itemsize else held


def current_stream_of_torch(tensor):
    """The handle of the stream that PyTorch queues work on for the tensor's device, as CUDA counts streams."""
    return sys.modules["torch"].cuda.current_stream(tensor.device).cuda_stream or 1


def copied(array, on_host):
    """A copy of a device array, contiguous and with memory of its own: on its device, or where the host can see it."""
    copy = _core.new_array(array._type, array.shape, False, None, 0, "pinned" if on_host else "device")
    copy._assign(array)
    return copy
