"""Kernels, under the names of `numba.cuda.dispatcher`."""

from treadle._core import Launcher as _LaunchConfiguration
from treadle.absent import reporter
from treadle.cuda.args import wrap_arg
from treadle.cuda.errors import missing_launch_config_msg, normalize_kernel_dimensions
from treadle.kernels.dispatcher import Dispatcher
from treadle.kernels.forall import ForAll
from treadle.kernels.overload import Overload as _Kernel

__all__ = [
    "CUDADispatcher", "Dispatcher", "ForAll", "_Kernel", "_LaunchConfiguration", "missing_launch_config_msg",
    "normalize_kernel_dimensions", "wrap_arg",
]  # fmt: skip

CUDADispatcher = Dispatcher

__getattr__ = reporter(__name__)
