"""Devices and contexts, as `numba.cuda.cudadrv.devices` names them."""

from treadle.devices import current_context as get_context
from treadle.devices import gpus, require_context, reset

__all__ = ["get_context", "gpus", "require_context", "reset"]
