"""Libraries that need a GPU, as what their sources make of an array: dictionaries and capsules with memory of a GPU, on
the stand-in. tests/adopters has the libraries that run without one, tests/gpu those that do not."""

import pytest
import runs

# What each shows for a vector of float32, of address p, shape s, strides t, dtype d; q is (p, False).
SHOWN = {
    # cupy/_core/core.pyx: a descr always, strides where they are not C's; its current stream, 1 for the legacy one
    "CuPy": "{'shape': s, 'typestr': d.str, 'descr': d.descr, 'stream': 1, 'version': 3, 'strides': None, 'data': q}",
    "CuPy, version 2": "{'shape': s, 'typestr': d.str, 'descr': d.descr, 'version': 2, 'strides': None, 'data': q}",
    # numba_cuda/numba/cuda/cudadrv/devicearray.py
    "Numba": "{'shape': s, 'strides': None, 'data': q, 'typestr': d.str, 'stream': None, 'version': 3}",
    # torch/_tensor.py
    "PyTorch": "{'typestr': d.str, 'shape': s, 'strides': None, 'data': q, 'version': 2}",
    # cudf/core/column/column.py: version 1, and strides always
    "cuDF": "{'shape': s, 'strides': t, 'typestr': d.str, 'data': q, 'version': 1}",
    # cuml/internals/array.py; cuSignal's arrays are CuPy's
    "cuML": "{'shape': s, 'strides': t, 'typestr': d.str, 'data': q, 'version': 2}",
    # pycuda/gpuarray.py
    "PyCUDA": "{'shape': s, 'strides': t, 'data': q, 'typestr': d.str, 'stream': None, 'version': 3}",
    # dali/python/backend_impl.cc: TensorGPU
    "DALI": "{'shape': s, 'typestr': d.str, 'data': q, 'version': 2, 'strides': None}",
    # warp/_src/types.py
    "Warp": "{'data': q, 'shape': s, 'strides': t, 'typestr': d.str, 'version': 2}",
    # paddle/base/dygraph/tensor_patch_methods.py
    "Paddle": "{'shape': s, 'typestr': d.str, 'strides': None, 'data': q, 'version': 2}",
    # ArrayViews shows views of others by NumPy's rules of the time: version 0, no strides
    "ArrayViews": "{'shape': s, 'typestr': d.str, 'data': q, 'version': 0}",
}
LIBRARY = """
class Array:
    def __init__(self, shown, owner):
        self.__cuda_array_interface__, self.owner = shown, owner
def raises(call, error):
    try:
        call()
    except error as found:
        return str(found)
    raise AssertionError(f"{call} raises nothing")
memory = cuda.to_device(np.arange(6, dtype=np.float32))
p, s, t, d = memory.device_ctypes_pointer.value, (6,), (4,), np.dtype(np.float32)
q = (p, False)
"""


@pytest.mark.parametrize("library", SHOWN)
def test_what_it_shows(library):
    runs.run(LIBRARY + f"""
theirs = Array({SHOWN[library]}, memory)
add[1, 32](theirs, 1)
view = cuda.as_cuda_array(theirs)
assert (view.shape, view.strides, view.dtype) == (s, t, d)
add[1, 32](view[2:], 10)
target = zeros(6)
target.copy_to_device(theirs)
assert cuda.to_device(theirs)._address == p
for array in (view, target):
    assert array.copy_to_host().tolist() == [1, 2, 13, 14, 15, 16], array.copy_to_host()
del view, theirs
""")  # fmt: skip


def test_rmms_buffers_are_bytes():
    """rmm/pylibrmm/device_buffer.pyx: version 0."""
    runs.run(LIBRARY + """
theirs = Array({"data": (p, False), "shape": (24,), "strides": None, "typestr": "|u1", "version": 0}, memory)
buffer = cuda.as_cuda_array(theirs)
assert buffer.dtype == np.uint8 and buffer.view(np.float32).copy_to_host().tolist() == [0, 1, 2, 3, 4, 5]
add[1, 32](buffer.view(np.float32), 1)
assert memory.copy_to_host().tolist() == [1, 2, 3, 4, 5, 6]
empty = Array({"data": (0, False), "shape": (0,), "strides": None, "typestr": "|u1", "version": 0}, None)
assert cuda.as_cuda_array(empty).shape == (0,)
""")  # fmt: skip


def test_cudfs_columns_with_nulls_are_refused():
    """Their mask is an array of bits."""
    runs.run(LIBRARY + """
bits = Array({"shape": (6,), "typestr": "<t1", "data": (p, True), "version": 1}, memory)
column = Array({"shape": s, "strides": t, "typestr": d.str, "data": (p, False), "version": 1, "mask": bits}, memory)
assert "mask" in raises(lambda: cuda.as_cuda_array(column), NotImplementedError)
assert "mask" in raises(lambda: add[1, 32](column, 1), NotImplementedError)
raises(lambda: cuda.as_cuda_array(bits), BufferError)
""")  # fmt: skip


def test_jaxs_arrays_are_read_only():
    """jaxlib/py_array.cc: version 2, and never to be written."""
    runs.run(LIBRARY + """
theirs = Array({"shape": s, "typestr": d.str, "data": (p, True), "version": 2, "strides": None}, memory)
target = zeros(6)
assign[1, 32](target, theirs)
assert target.copy_to_host().tolist() == [0, 1, 2, 3, 4, 5]
assert "read-only" in raises(lambda: add[1, 32](theirs, 1), errors.CompileError)
assert "read-only" in raises(lambda: cuda.as_cuda_array(theirs).__setitem__(0, 1), ValueError)
""")  # fmt: skip


TENSORS = {
    # cupy/_core/dlpack.pyx: strides always; managed memory is kDLCUDAManaged with the GPU's number
    "CuPy": "Versioned, (6,), (1,), {'device': (2, 0)}",
    "CuPy, managed": "Versioned, (6,), (1,), {'device': (13, 0)}",
    # dali/pipeline/data/dltensor.cc: legacy, without strides
    "DALI": "Legacy, (6,), None, {'device': (2, 0)}",
    # cudf/src/interop/dlpack.cpp: columns are legacy tensors of two axes, the first of them contiguous
    "cuDF": "Legacy, (3, 2), (1, 3), {'device': (2, 0)}",
    # jaxlib: strides always, and of extent-1 axes what they are
    "JAX": "Versioned, (6, 1), (1, 1), {'device': (2, 0)}",
    # Paddle and TensorFlow: a byte offset of 0 and compact strides
    "Paddle": "Legacy, (2, 3), (3, 1), {'device': (2, 0)}",
}


@pytest.mark.parametrize("library", TENSORS)
def test_its_tensors(library):
    runs.run("""
import sys, gc
sys.path.insert(0, "tests")
import treadle
from interop.producers import LegacyProducer, Producer
Versioned, Legacy = Producer, LegacyProducer
""" + LIBRARY + f"""
kind, shape, strides, fields = {TENSORS[library]}
theirs = kind(shape=shape, strides=strides, data=p, **fields)
view = treadle.from_dlpack(theirs)
expected = np.lib.stride_tricks.as_strided(
    np.arange(6, dtype=d), shape, None if strides is None else [4 * step for step in strides])
assert view.shape == shape and np.array_equal(view.copy_to_host(), expected)
assert theirs.deleted == 0 and theirs.asked[-1]["stream"] == 1
kind_of_argument = kind(shape=(6,), strides=(1,), data=p, **fields)
add[1, 32](kind_of_argument, 1)
assert memory.copy_to_host().tolist() == [1, 2, 3, 4, 5, 6]
del view
cuda.synchronize()
gc.collect()
assert theirs.deleted == 1 and kind_of_argument.deleted == 1
""")  # fmt: skip
