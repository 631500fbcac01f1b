"""Every name that programs import from numba.cuda resolves under treadle.redirect, or an error says what to use.

The names are in numba_names.py. Where Numba is installed, its classes of errors and its settings are also asked.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from numba_names import ABSENT, RESOLVED  # noqa: E402
from test_redirect import HIDDEN, program, python, redirected  # noqa: E402, F401

# Prints {name: null, or the class and the text of the error} of `from module import name`.
ASKED = """
import importlib, json, sys
import treadle.redirect
treadle.redirect.install()
answers = {}
for name in sys.argv[2:] or [""]:
    try:
        exec(f"from {sys.argv[1]} import {name}" if name else f"import {sys.argv[1]}")
        answers[name] = None
    except Exception as error:
        answers[name] = [type(error).__name__, str(error)]
print(json.dumps(answers))
"""


def asked(module, names):
    command = [sys.executable, "-W", "error", "-c", HIDDEN + ASKED, module, *names.split()]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("module", RESOLVED)
def test_names_resolve(module):
    found = asked(module, RESOLVED[module])
    assert {name: error for name, error in found.items() if error} == {}


@pytest.mark.parametrize("module", ABSENT)
def test_absent_names_say_what_to_use(module):
    """They may be there, too: what Treadle has not yet."""
    for name, error in asked(module, ABSENT[module]).items():
        if error is not None:
            kind, text = error
            assert kind in ("ImportError", "ModuleNotFoundError"), (name, error)
            assert text.startswith(("Treadle has no 'numba.", "Treadle has no module 'numba.")), (name, error)
            assert "Instead: " in text and (not name or name in text), (name, error)


def test_attributes_without_an_import(program, redirected):  # noqa: F811
    """numba.cuda imports its modules itself, so programs name them as attributes."""
    text = """
from numba import cuda
print(cuda.compiler.Dispatcher is cuda.dispatcher.CUDADispatcher, cuda.cudadrv.driver.CudaAPIError.__name__)
print(cuda.cudadrv.error.CudaSupportError is cuda.CudaSupportError, cuda.simulator.reset is cuda.devices.reset)
print(cuda.cudadrv.devicearray.DeviceNDArray is cuda.DeviceNDArray, hasattr(cuda, "vectorise"), cuda.types.float32)
for make in (lambda: cuda.bf16, lambda: cuda.cudadrv.nvvm.NVVM, lambda: cuda.float4, lambda: cuda.no_such_name):
    try:
        print(make())
    except AttributeError as error:
        print(error)
"""
    assert redirected(program(HIDDEN + text)).splitlines() == [
        "True CudaAPIError",
        "True True",
        "True False float32",
        "Treadle has no 'numba.cuda.bf16'. Instead: kernels have no bfloat16: use float32",
        "Treadle has no 'numba.cuda.cudadrv.nvvm.NVVM'. Instead: cuda.compile_ptx: Treadle makes PTX by LLVM, without "
        "libNVVM",
        "Treadle has no 'numba.cuda.float4'. Instead: tuples, or a record with one field for each component",
        "module 'treadle.cuda' has no attribute 'no_such_name'",
    ]


def test_numbas_own_names_where_it_is_not_installed(program, redirected):  # noqa: F811
    text = """
import numba, treadle
from numba import cuda, config, typeof, from_dtype, types, float32
from numba.core import config as core_config, errors, types as core_types
from numba.core.config import CUDA_LOW_OCCUPANCY_WARNINGS
from numba.core.errors import (NumbaDeprecationWarning, NumbaPendingDeprecationWarning, NumbaPerformanceWarning,
    NumbaWarning, TypingError, LoweringError, NumbaError, UnsupportedError, NumbaTypeError, NumbaValueError)
from numba.np.numpy_support import from_dtype as again, as_dtype
from numba.np import numpy_support
import numba.np.numpy_support
print(config is core_config is numba.core.config is treadle.config, errors is treadle.errors)
print(types is core_types, again is from_dtype, typeof(1.0), as_dtype(float32), isinstance(float32, types.Float))
"""
    assert redirected(program(HIDDEN + text)).splitlines() == ["True True", "True True float64 float32 True"]


def test_old_forms_of_jit():
    """argtypes, restype, target and bind, which Numba has dropped: their meaning is that of a signature."""
    import numpy as np
    from treadle import cuda, float32, int32, void

    def add(x, n):
        x[0] += n

    made = [
        cuda.jit(argtypes=[float32[:], int32])(add),
        cuda.jit(restype=void, argtypes=(float32[:], int32), target="gpu", bind=True)(add),
        cuda.jit("void(float32[:], int32)", target="cuda")(add),
        cuda.jit(void, float32[:], int32)(add),
    ]
    for kernel in made:
        assert kernel.signatures == [(float32[:], int32)]
        x = np.ones(1, np.float32)
        kernel[1, 1](x, 2)
        assert x[0] == 3
    with pytest.raises(TypeError, match="must have void return type"):
        cuda.jit(restype=int32, argtypes=[float32[:]])(lambda x: None)
    with pytest.raises(ValueError, match="unknown option 'argtype'"):
        cuda.jit(argtype=[float32[:]])(add)


def test_to_host_is_told_what_it_is_called_now():
    import numpy as np
    from treadle import cuda

    x = np.zeros(3, np.float32)
    with pytest.raises(AttributeError, match="copy_to_host"):
        cuda.to_device(x).to_host(x)
