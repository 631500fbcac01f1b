"""Arrays of other libraries that tests can make right or wrong in every detail: DLPack tensors made by ctypes, and
dictionaries of the CUDA Array Interface."""

import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

import numpy as np

# NumPy before 2.1 speaks DLPack of before 1.0: it sees every array as read-only, and takes no wishes.
ASKS_FOR_1_0 = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 1)

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
READ_ONLY, IS_COPIED, PADDED = 1, 2, 4


class Device(ctypes.Structure):
    _fields_ = [("type", c_int32), ("id", c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Version(ctypes.Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p), ("device", Device), ("ndim", c_int32), ("dtype", DataType), ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)), ("byte_offset", c_uint64),
    ]  # fmt: skip


Deleter = ctypes.CFUNCTYPE(None, c_void_p)


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", c_void_p), ("deleter", Deleter)]
    name, used = b"dltensor", b"used_dltensor"


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", Version), ("context", c_void_p), ("deleter", Deleter), ("flags", c_uint64), ("tensor", Tensor),
    ]  # fmt: skip
    name, used = b"dltensor_versioned", b"used_dltensor_versioned"


api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
api.PyCapsule_GetName.restype = c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, c_char_p]
api.PyCapsule_GetPointer.restype = c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, c_char_p]
api.PyCapsule_SetDestructor.argtypes = [ctypes.py_object, c_void_p]


def name_of(capsule):
    return api.PyCapsule_GetName(capsule)


def managed_in(capsule):
    """The struct in a capsule, whatever it is called."""
    name = name_of(capsule)
    kind = Versioned if b"versioned" in name else Legacy
    return kind.from_address(api.PyCapsule_GetPointer(capsule, name))


def take(capsule):
    """Consumes the capsule as DLPack asks, and returns its struct, whose deleter the caller has to call."""
    managed = managed_in(capsule)
    api.PyCapsule_SetName(capsule, type(managed).used)
    return managed


def delete(managed):
    managed.deleter(ctypes.addressof(managed))


given = []  # what consumers may still hold: the memory and the deleters of producers are ctypes' own


class Producer:
    """An object with DLPack's protocol over memory of its own. `deleted` counts calls of the deleter."""

    kind = Versioned

    def __init__(self, values=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0), shape=(6,), strides=(1,), **fields):
        self.memory = (ctypes.c_float * len(values))(*values)
        self.shape = (c_int64 * max(len(shape), 1))(*shape)
        self.strides = strides if strides is None else (c_int64 * max(len(strides), 1))(*strides)
        self.deleted = 0
        self.asked = []
        self.has_deleter = fields.pop("has_deleter", True)
        self.name = fields.pop("name", None)
        self.version = fields.pop("version", (1, 3))
        self.flags = fields.pop("flags", 0)
        self.device = fields.pop("device", (CPU, 0))
        self.fields = {"data": ctypes.addressof(self.memory), "ndim": len(shape), "dtype": (2, 32, 1), **fields}
        self.managed = None

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **asked):
        self.asked.append(asked)
        return self.capsule()

    def _delete(self, _):
        self.deleted += 1

    def capsule(self):
        managed = self.kind()
        tensor = managed.tensor
        tensor.data, tensor.ndim = self.fields["data"], self.fields["ndim"]
        tensor.dtype = DataType(*self.fields["dtype"])
        tensor.device = Device(*self.fields.get("tensor_device", self.device))
        tensor.shape = ctypes.cast(self.shape, POINTER(c_int64)) if self.fields.get("has_shape", True) else None
        tensor.strides = None if self.strides is None else ctypes.cast(self.strides, POINTER(c_int64))
        tensor.byte_offset = self.fields.get("byte_offset", 0)
        self.deleter = Deleter(self._delete)
        if self.has_deleter:
            managed.deleter = self.deleter
        if self.kind is Versioned:
            managed.version, managed.flags = Version(*self.version), self.flags
        self.managed = managed
        given.append((self, managed, self.deleter))
        return api.PyCapsule_New(ctypes.addressof(managed), self.name or self.kind.name, None)


class LegacyProducer(Producer):
    """Of before DLPack 1.0: knows `stream` alone."""

    kind = Legacy

    def __dlpack__(self, stream=None):
        self.asked.append({"stream": stream})
        return self.capsule()


LEFT_OUT = object()


class Foreign:
    """An array of another library, as far as its dictionary says."""

    def __init__(self, host, **fields):
        self.host = host
        self.fields = {**described(host), **fields}
        self.reads = 0

    @property
    def __cuda_array_interface__(self):
        self.reads += 1
        return {key: value for key, value in self.fields.items() if value is not LEFT_OUT}


def described(host):
    return {
        "shape": host.shape, "typestr": host.dtype.str, "data": (host.ctypes.data, not host.flags.writeable),
        "strides": host.strides, "version": 3,
    }  # fmt: skip
