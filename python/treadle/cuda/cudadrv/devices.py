"""Devices and contexts, under the names of `numba.cuda.cudadrv.devices`."""

from treadle.absent import reporter
from treadle.devices.devices import current_context as get_context
from treadle.devices.devices import gpus, require_context, reset

__all__ = ["get_context", "gpus", "require_context", "reset"]

__getattr__ = reporter(__name__, "treadle.devices.devices")
