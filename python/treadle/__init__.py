"""Treadle compiles CUDA Python: kernels under `@cuda.jit` become PTX, and native vector code for the CPU.

from treadle import cuda, float32, void

@cuda.jit
def scale(a, s):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= s

scale[blocks, threads](array, 2.0)
"""

from treadle import _core, types
from treadle._core import __version__, from_dlpack
from treadle.intrinsics import literal_unroll, literally
from treadle.types import *  # noqa: F403
from treadle.types import __all__ as _type_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treadle.kernels.reporting import report
    from treadle.tools.tracing import trace
    from treadle.ufuncs.generalized import guvectorize
    from treadle.ufuncs.vectorized import vectorize

__all__ = [  # noqa: F405
    "CompileError", "TreadleWarning", "__version__", "config", "cuda", "errors", "from_dlpack", "guvectorize",
    "literal_unroll", "literally", "report", "trace", "types", "vectorize", *_type_names,
]  # fmt: skip


def _array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """NumPy's ufuncs on device arrays. The first call replaces this method by the one from `treadle.ufuncs`."""
    from treadle.ufuncs import numpy_ufuncs

    numpy_ufuncs.install()
    return numpy_ufuncs.array_ufunc(self, ufunc, method, *inputs, **kwargs)


_core.DeviceNDArray.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]


def __getattr__(name):
    # Imported on first access, to keep importing treadle cheap.
    if name in ("config", "cuda", "errors"):
        return getattr(__import__(f"treadle.{name}"), name)
    if name in ("report", "trace"):
        module = {"report": "kernels.reporting", "trace": "tools.tracing"}[name]
        return getattr(__import__(f"treadle.{module}", fromlist=[name]), name)
    if name in ("CompileError", "TreadleWarning"):
        return getattr(__getattr__("errors"), name)
    if name in ("guvectorize", "vectorize"):
        module = {"vectorize": "vectorized", "guvectorize": "generalized"}[name]
        return getattr(__import__(f"treadle.ufuncs.{module}", fromlist=[name]), name)
    raise AttributeError(f"module 'treadle' has no attribute '{name}'")


def __dir__():
    """The public names, including those imported lazily, without Treadle's internal modules."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
