# Arrays of NumPy in libraries written in C, C++ and Rust, which run kernels written in Python: nothing is copied.
import ctypes

import numpy as np

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]
_USED = b"used_dltensor_versioned"  # must live as long as the capsules


def tensor_of(array):
    """The address of an array's DLPack tensor, which the library that gets it has to delete."""
    capsule = array.__dlpack__(max_version=(1, 0))
    address = _capsule_pointer(capsule, b"dltensor_versioned")
    _set_name(capsule, _USED)
    return address


def _tensors(*arrays):
    return (ctypes.c_void_p * len(arrays))(*map(tensor_of, arrays))


def _done(result):
    if result != 0:
        raise RuntimeError("the library has failed; stderr says why")


def saxpy(library, image, a, x, y):
    """By c/saxpy.c, built as a library: float32 arrays of one length."""
    out = np.empty_like(x)
    _done(ctypes.CDLL(library).saxpy_tensors(str(image).encode(), ctypes.c_float(a), _tensors(x, y, out)))
    return out


def spread(library, image, plate, steps):
    """By cpp/heat.cpp, built as a library: in place, an even number of steps."""
    _done(ctypes.CDLL(library).heat_tensor(str(image).encode(), ctypes.c_void_p(tensor_of(plate)), steps))


def triad(library, image, x, y, factor):
    """By the library of rust/: float64 arrays of one length."""
    out = np.empty_like(x)
    _done(ctypes.CDLL(library).triad_tensors(str(image).encode(), ctypes.c_double(factor), _tensors(x, y, out)))
    return out
