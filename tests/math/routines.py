# The routines under test, called on NumPy arrays through libtreadle-math-test.so.
"""Vector routines of the CPU device, and the functions of the PTX generator, compiled for this machine."""

import ctypes
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build/dev/treadle/libtreadle-math-test.so"
LEVELS = ["sse", "avx2", "avx512"]

# Operations whose name in dumps differs from the function's name.
_TEXTS = {"pow": "powf"}

_library = None


def library():
    global _library
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY.name} is not built: ./dev build")
    if _library is None:
        _library = ctypes.CDLL(str(LIBRARY))
        for name in ("routine", "own"):
            getattr(_library, f"treadle_test_{name}").restype = ctypes.c_void_p
        _library.treadle_test_time.restype = ctypes.c_double
    return _library


def levels():
    """The routines that this machine can run."""
    return LEVELS[: library().treadle_test_isa() + 1]


def routine(operation, kind, level, fast=False):
    """(address, stated distance) of the routine that the CPU device calls; `kind` is f32, f64, i32, u32, i64 or u64."""
    stated = ctypes.c_uint()
    text = _TEXTS.get(operation, operation) if kind[0] == "f" else operation
    address = library().treadle_test_routine(
        text.encode(), kind.encode(), LEVELS.index(level), fast, ctypes.byref(stated)
    )
    assert address, f"no routine for {operation} of {kind} on {level}"
    return address, stated.value


def bounds(function, kind):
    """(CUDA's bound, distance of our own device function) of the math table."""
    bound, own = ctypes.c_uint(), ctypes.c_uint()
    found = library().treadle_test_bounds(function.encode(), int(kind[1:]), ctypes.byref(bound), ctypes.byref(own))
    assert found, f"the math table lacks {function}"
    return bound.value, own.value


def _pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def _padded(array):
    """Contiguous, padded with ones to whole vectors."""
    return np.concatenate([array, np.ones(-len(array) % 64, array.dtype)])


def call(address, level, *operands):
    sides = [_padded(side) for side in operands]
    results = np.empty_like(sides[0])
    library().treadle_test_call(
        ctypes.c_void_p(address), LEVELS.index(level), len(sides), _pointer(sides[0]), _pointer(sides[-1]),
        _pointer(results), ctypes.c_size_t(results.nbytes),
    )  # fmt: skip
    return results[: len(operands[0])]


def time_per_element(address, level, *operands):
    """In nanoseconds; the operands fill whole vectors."""
    results = np.empty_like(operands[0])
    best = library().treadle_test_time(
        ctypes.c_void_p(address), LEVELS.index(level), len(operands), _pointer(operands[0]), _pointer(operands[-1]),
        _pointer(results), ctypes.c_size_t(results.nbytes),
    )  # fmt: skip
    return best / len(results)


def call_device(function, kind, *operands):
    symbol = getattr(library(), f"__nv_{function}" + ("f" if kind == "f32" else ""))
    sides = [np.ascontiguousarray(side) for side in operands]
    results = np.empty_like(sides[0])
    library().treadle_test_call_scalar(
        symbol, int(kind[1:]), len(sides), _pointer(sides[0]), _pointer(sides[-1]), _pointer(results),
        ctypes.c_size_t(results.nbytes),
    )  # fmt: skip
    return results
