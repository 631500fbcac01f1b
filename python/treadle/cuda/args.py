"""`cuda.In`, `Out` and `InOut`, under the name of `numba.cuda.args`."""

from treadle.absent import reporter
from treadle.devices.host_memory import ArgHint, In, InOut, Out

__all__ = ["ArgHint", "In", "InOut", "Out", "wrap_arg"]

__getattr__ = reporter(__name__)


def wrap_arg(value, default=InOut):
    """`value` if it is one of these wrappers, otherwise `default(value)`."""
    return value if isinstance(value, ArgHint) else default(value)
