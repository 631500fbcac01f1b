# Arrays of other libraries, in loops of LAUNCHES steps: as arguments, imported, exported; those of tvm-ffi, too.
import platform

import numpy as np
import treadle
from treadle import cuda

from sides.common import looped


def versions():
    text = f"treadle {treadle.__version__}, Python {platform.python_version()}, NumPy {np.__version__}"
    try:
        import tvm_ffi
    except ImportError:
        return text
    return f"{text}, apache-tvm-ffi {tvm_ffi.__version__}"


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


class Foreign:
    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def tensor():
    import tvm_ffi

    return tvm_ffi.from_dlpack(np.zeros(32))


def echo():
    import tvm_ffi

    return tvm_ffi.get_global_func("testing.echo")


CASES = {
    "own argument": ("k(x)", lambda: {"k": double[1, 32], "x": cuda.device_array(32)}),
    "ndarray argument": ("k(x)", lambda: {"k": double[1, 32], "x": np.zeros(32)}),
    "interface argument": ("k(x)", lambda: {"k": double[1, 32], "x": Foreign(cuda.device_array(32))}),
    "tensor argument": ("k(x)", lambda: {"k": double[1, 32], "x": tensor()}),
    "attribute": ("x.__cuda_array_interface__", lambda: {"x": Foreign(cuda.device_array(32))}),
    "as_cuda_array": ("f(x)", lambda: {"f": cuda.as_cuda_array, "x": Foreign(cuda.device_array(32))}),
    "interface": ("x.__cuda_array_interface__", lambda: {"x": cuda.device_array(32)}),
    "capsule": ("x.__dlpack__(max_version=(1, 3))", lambda: {"x": cuda.device_array(32)}),
    "ours from NumPy": ("f(x)", lambda: {"f": treadle.from_dlpack, "x": np.zeros(32)}),
    "NumPy from NumPy": ("f(x)", lambda: {"f": np.from_dlpack, "x": np.zeros(32)}),
    "NumPy from ours": ("f(x)", lambda: {"f": np.from_dlpack, "x": cuda.device_array(32)}),
    "ours through C": ("f(x)", lambda: {"f": echo(), "x": cuda.device_array(32)}),
    "theirs through C": ("f(x)", lambda: {"f": echo(), "x": tensor()}),
}


class Loop:
    def __init__(self, step, names):
        self.run = looped(step, **names)


def open_case(name):
    step, names = CASES[name]
    return Loop(step, names())
