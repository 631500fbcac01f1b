"""Treadle compiles CUDA Python: kernels under `@cuda.jit` become PTX, and native vector code for the CPU.

from treadle import cuda, float32, void

@cuda.jit
def scale(a, s):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= s

scale[blocks, threads](array, 2.0)
"""

from treadle import types
from treadle._core import __version__, from_dlpack
from treadle.intrinsics import literal_unroll, literally
from treadle.types import *  # noqa: F403
from treadle.types import __all__ as _type_names

__all__ = [
    "CompileError", "TreadleWarning", "__version__", "config", "cuda", "errors", "from_dlpack",  # noqa: F405
    "literal_unroll", "literally", "types",  # noqa: F405
    *_type_names,
]  # fmt: skip


def __getattr__(name):
    # These are imported on first access, to keep importing treadle cheap.
    if name in ("config", "cuda", "errors"):
        return getattr(__import__(f"treadle.{name}"), name)
    if name in ("CompileError", "TreadleWarning"):
        return getattr(__getattr__("errors"), name)
    raise AttributeError(f"module 'treadle' has no attribute '{name}'")
