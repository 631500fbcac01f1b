# Arrays of other libraries, in loops of LAUNCHES steps: as arguments, imported, exported.
import importlib.util
import platform
import sys
from pathlib import Path

import numpy as np
import treadle
from treadle import cuda

from sides.common import looped

ROOT = Path(__file__).resolve().parents[2]


def versions():
    text = f"treadle {treadle.__version__}, Python {platform.python_version()}, NumPy {np.__version__}"
    if importlib.util.find_spec("torch") is None:
        return text
    from importlib.metadata import version

    names = ("torch", "jax", "apache-tvm-ffi", "nanobind")
    return ", ".join([text, *(f"{name} {version(name)}" for name in names)])


def adopters():
    """What tests/adopters has beside its tests."""
    sys.path.insert(0, str(ROOT / "tests"))
    from adopters import compiled_module, without_cuda

    return compiled_module, without_cuda


def torch():
    if importlib.util.find_spec("nvidia") is None:
        adopters()[1].provide(ROOT / "build")
    return importlib.import_module("torch")


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


class Foreign:
    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def aligned():
    """An ndarray that JAX need not copy."""
    return cuda.device_array(32).host_view()


def tensor():
    torch()  # which tvm-ffi imports
    import tvm_ffi

    return tvm_ffi.from_dlpack(np.zeros(32))


def jax_from():
    import jax

    return jax.numpy.from_dlpack


def compiled():
    """A module of nanobind's."""
    folder = ROOT / "build/bench/nanobind"
    folder.mkdir(parents=True, exist_ok=True)
    return adopters()[0].load(folder)


def echo():
    torch()
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
    "table argument": ("k(x)", lambda: {"k": double[1, 32], "x": compiled().Plain()}),
    "PyTorch argument": ("k(x)", lambda: {"k": double[1, 32], "x": torch().zeros(32, dtype=torch().int64)}),
    "PyTorch float argument": ("k(x)", lambda: {"k": double[1, 32], "x": torch().zeros(32)}),
    "ours from PyTorch": ("f(x)", lambda: {"f": treadle.from_dlpack, "x": torch().zeros(32)}),
    "NumPy from PyTorch": ("f(x)", lambda: {"f": np.from_dlpack, "x": torch().zeros(32)}),
    "PyTorch from NumPy": ("f(x)", lambda: {"f": torch().from_dlpack, "x": np.zeros(32)}),
    "PyTorch from ours": ("f(x)", lambda: {"f": torch().from_dlpack, "x": cuda.device_array(32)}),
    "JAX from NumPy": ("f(x)", lambda: {"f": jax_from(), "x": aligned()}),
    "JAX from ours": ("f(x)", lambda: {"f": jax_from(), "x": cuda.device_array(32)}),
    "NumPy's into nanobind": ("f(x)", lambda: {"f": compiled().described, "x": np.zeros(32)}),
    "ours into nanobind": ("f(x)", lambda: {"f": compiled().described, "x": cuda.device_array(32)}),
    "ours through C": ("f(x)", lambda: {"f": echo(), "x": cuda.device_array(32)}),
    "PyTorch through C": ("f(x)", lambda: {"f": echo(), "x": torch().zeros(32)}),
    "tvm-ffi's through C": ("f(x)", lambda: {"f": echo(), "x": tensor()}),
}


class Loop:
    def __init__(self, step, names):
        self.run = looped(step, **names)


def open_case(name):
    step, names = CASES[name]
    return Loop(step, names())
