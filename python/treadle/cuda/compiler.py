"""Compilation without a launch, under the names of `numba.cuda.compiler`."""

from treadle.absent import reporter
from treadle.kernels.compiling import (
    compile,
    compile_all,
    compile_cubin,
    compile_for,
    compile_for_current_device,
    compile_mlir,
    compile_ptx,
    compile_ptx_for_current_device,
)
from treadle.kernels.dispatcher import Dispatcher

__all__ = [
    "Dispatcher", "compile", "compile_all", "compile_cubin", "compile_for", "compile_for_current_device",
    "compile_mlir", "compile_ptx", "compile_ptx_for_current_device",
]  # fmt: skip

__getattr__ = reporter(__name__, "treadle.kernels.compiling")
