"""Rare cases of exchange with other libraries: devices by name, records, and copies for consumers that want one."""

import sys

from treadle import _core

KDL_CPU, KDL_CUDA = 1, 2


def place_named(device):
    """DLPack's (device type, number) of a device as named by a program. TypeError, ValueError for anything else."""
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
    """The `descr` of an array of records: NumPy's, padding included. If NumPy has none, the fields by offset; for
    overlapping fields, which a `descr` cannot express, what NumPy's interface exports: bytes."""
    import numpy

    dtype = array.dtype
    try:
        return dtype.descr
    except ValueError:
        return _sorted_descr(dtype) or [("", numpy.dtype((numpy.void, dtype.itemsize)).str)]


def _sorted_descr(dtype):
    """None if fields overlap, or cannot be described themselves."""
    described: list[tuple] = []
    end = 0
    for name, (field, offset, *_) in sorted(dtype.fields.items(), key=lambda item: item[1][1]):
        if offset < end:
            return None
        if offset > end:
            described.append(("", f"|V{offset - end}"))
        element, shape = field.subdtype or (field, ())
        try:
            kind = element.str if element.names is None else element.descr
        except ValueError:
            kind = _sorted_descr(element)
            if kind is None:
                return None
        described.append((name, kind, shape) if shape else (name, kind))
        end = offset + field.itemsize
    return described if end == dtype.itemsize else [*described, ("", f"|V{dtype.itemsize - end}")]


def record_described(descr):
    """The dtype of records that a `descr` describes; None if it has a single nameless field, as for numbers; for an
    invalid one a text with the reason."""
    try:
        (name, *_), *more = descr
        return None if name == "" and not more else _record(descr)
    except (TypeError, ValueError, SyntaxError, OverflowError) as error:  # NumPy's errors for texts that denote no type
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
    """The type of elements that a protocol can only describe as bytes, from the owner's dtype: bfloat16 and the
    like."""
    named = _core.opaque_named(str(getattr(owner, "dtype", "")).rpartition(".")[2])
    return named if named is not None and named._itemsize == held._itemsize else held


def current_stream_of_torch(tensor):
    """The handle of the stream that PyTorch queues work on for the tensor's device, in CUDA's numbering."""
    return sys.modules["torch"].cuda.current_stream(tensor.device).cuda_stream or 1


def copied(array, on_host):
    """A copy of a device array, contiguous and in separate memory: on its device, or visible to the host."""
    copy = _core.new_array(array._type, array.shape, False, None, 0, "pinned" if on_host else "device")
    copy._assign(array)
    return copy
