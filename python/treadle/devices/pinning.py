"""Blocks in which host arrays are pinned, or mapped into the memory of a device."""

import contextlib

from treadle import _core
from treadle.devices.devices import current_context
from treadle.devices.host_arrays import registered


@contextlib.contextmanager
def pinned(*arylist):
    """`with cuda.pinned(*arrays):` inside, the host arrays are page-locked, so that copies between them and the device
    are fastest.

    Raises ValueError if an array is not contiguous, and CudaAPIError if its memory is already pinned.

    >>> import numpy
    >>> from treadle import cuda
    >>> host = numpy.arange(4.0)
    >>> with cuda.pinned(host):
    ...     device = cuda.to_device(host)
    """
    with contextlib.ExitStack() as registrations:
        for array in arylist:
            registrations.enter_context(registered(array, current_context))
        yield


@contextlib.contextmanager
def mapped(*arylist, stream=0):
    """`with cuda.mapped(*arrays) as device:` yields device arrays over the memory of the host arrays: one, or a list of
    several. At the end of the block, waits for all work that uses them.

    Raises ValueError if an array is not contiguous or is read-only, and CudaAPIError if its memory is already pinned.

    >>> import numpy
    >>> from treadle import cuda
    >>> host = numpy.zeros(4)
    >>> with cuda.mapped(host) as device:
    ...     device[1] = 5
    >>> host.tolist()
    [0.0, 5.0, 0.0, 0.0]
    """
    _core.check_stream(stream, _core.current_device())
    with contextlib.ExitStack() as registrations:
        devices = []
        for array in arylist:
            registrations.enter_context(registered(array, current_context, is_mapped=True))
            if not array.flags.writeable:
                raise ValueError("a read-only array cannot be mapped: kernels could write to it; map a copy")
            device = _core.device_array_over(array)
            registrations.callback(_core.end_mapping, device)
            if stream:
                device.stream = stream
            devices.append(device)
        yield devices[0] if len(devices) == 1 else devices
