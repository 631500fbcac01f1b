"""`__cuda_array_interface__` of arrays on the CPU device."""

import ctypes
import gc
import sys

import numpy as np
import pytest
import treadle
from interop.producers import READ_ONLY, Producer
from treadle import cuda

NUMBERS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]


def shown(array):
    return array.__cuda_array_interface__


def test_the_dictionary():
    x = cuda.to_device(np.zeros((2, 3), np.float32))
    assert hasattr(x, "__cuda_array_interface__") and hasattr(x[1:].T, "__cuda_array_interface__")
    found = shown(x)
    assert type(found) is dict
    assert found == {
        "shape": (2, 3), "typestr": "<f4", "data": (x.device_ctypes_pointer.value, False), "strides": None,
        "version": 3, "mask": None, "stream": None,
    }  # fmt: skip
    assert type(found["data"]) is tuple and type(found["data"][1]) is bool
    assert all(type(extent) is int for extent in found["shape"])


KEYS = {
    "3": {"version": 3, "mask": None, "stream": None},
    "unordered": {"version": 3, "mask": None, "stream": None},
    "2": {"version": 2, "mask": None},
    "1": {"version": 1, "mask": None},
    "0": {"version": 0},
}


@pytest.mark.parametrize("setting", KEYS)
def test_older_versions(setting, run_python):
    found = run_python(
        "from treadle import cuda\n"
        "shown = cuda.device_array(3).__cuda_array_interface__\n"
        "always = {'shape', 'typestr', 'data', 'strides'}\n"
        "print(sorted((key, value) for key, value in shown.items() if key not in always))\n"
        "assert always <= shown.keys()",
        TREADLE_CUDA_ARRAY_INTERFACE=setting,
    )
    assert eval(found) == sorted(KEYS[setting].items())


def test_settings_that_hide_it_or_are_none(run_python):
    run_python(
        "from treadle import cuda\nassert not hasattr(cuda.device_array(3), '__cuda_array_interface__')",
        TREADLE_CUDA_ARRAY_INTERFACE="off",
    )
    run_python(
        "from treadle import cuda\n"
        "for _ in range(2):\n"
        "    try:\n"
        "        cuda.device_array(3).__cuda_array_interface__\n"
        "    except ValueError as error:\n"
        "        assert \"must be 0, 1, 2, 3, unordered or off, found '4'\" in str(error), error\n"
        "    else:\n"
        "        raise AssertionError\n",
        TREADLE_CUDA_ARRAY_INTERFACE="4",
    )


def test_arrays_without_axes():
    assert shown(cuda.to_device(np.float64(3)).reshape(()))["shape"] == ()


@pytest.mark.parametrize("dtype", NUMBERS)
def test_typestrings_are_numpys(dtype):
    assert shown(cuda.device_array(3, dtype))["typestr"] == np.dtype(dtype).str


RECORDS = [
    [("a", "<i4"), ("b", "<f8")],
    {"names": ["a", "b"], "formats": ["<i1", "<f8"], "offsets": [0, 8], "itemsize": 24},
    [("m", "<f4"), ("p", [("x", "<f4"), ("y", "<i2")]), ("v", "<f8", (2, 3))],
]


@pytest.mark.parametrize("fields", RECORDS, ids=["packed", "padded", "nested"])
def test_records_and_back(fields):
    dtype = np.dtype(fields)
    host = np.frombuffer(bytes(range(dtype.itemsize)) * 2, dtype)
    x = cuda.to_device(host)
    found = shown(x)
    assert found["typestr"] == f"|V{dtype.itemsize}"
    assert np.lib.format.descr_to_dtype(found["descr"]) == dtype
    again = cuda.as_cuda_array(type("Object", (), {"__cuda_array_interface__": found})())
    assert again.dtype == x.dtype == dtype
    assert again.copy_to_host().tobytes() == host.tobytes()


NO_DESCR = {
    "exchanged": {"names": ["a", "b"], "formats": ["<f4", "<i2"], "offsets": [8, 0], "itemsize": 16},
    "exchanged inside": {
        "names": ["p", "a"],
        "formats": [{"names": ["x", "y"], "formats": ["<f4", "<f4"], "offsets": [4, 0]}, ("<i2", (2,))],
        "offsets": [4, 0],
    },
}


@pytest.mark.parametrize("fields", NO_DESCR.values(), ids=NO_DESCR)
def test_fields_in_another_order_than_in_memory(fields):
    """NumPy describes no such dtype; where each field is, a `descr` can say."""
    dtype = np.dtype(fields)
    host = np.frombuffer(bytes(range(1, dtype.itemsize + 1)) * 3, dtype)
    x = cuda.to_device(host)
    assert hasattr(x, "__cuda_array_interface__")
    found = shown(x)
    again = cuda.as_cuda_array(type("Object", (), {"__cuda_array_interface__": found})())
    assert sorted(again.dtype.names) == sorted(dtype.names)
    for name in dtype.names:
        assert again.dtype.fields[name][1] == dtype.fields[name][1]
        assert again[name].copy_to_host().tobytes() == host[name].tobytes()


@pytest.mark.parametrize(
    "fields",
    [
        {"names": ["a", "b"], "formats": ["<f4", "<i4"], "offsets": [0, 0]},
        [("u", {"names": ["a", "b"], "formats": ["<f4", "<i4"], "offsets": [0, 2]}), ("v", "<f4")],
    ],
    ids=["union", "union inside"],
)
def test_fields_that_share_memory_are_bytes(fields):
    host = np.zeros(3, np.dtype(fields))
    x = cuda.to_device(host)
    assert shown(x)["descr"] == host.__array_interface__["descr"] == [("", shown(x)["typestr"])]
    assert x.dtype == host.dtype  # the array itself has them


def test_pointers_of_views():
    host = np.arange(24.0).reshape(4, 6)
    x = cuda.to_device(host)
    base = shown(x)["data"][0]
    f = cuda.to_device(np.asfortranarray(host))
    for array, origin, twin in ((x, base, host), (f, shown(f)["data"][0], np.asfortranarray(host))):
        for key in (np.s_[1:3, 2:], np.s_[::-1, ::-2], np.s_[2], np.s_[:, 3], np.s_[1:1], np.s_[...]):
            found, view = shown(array[key]), twin[key]
            assert found["shape"] == view.shape
            if view.size == 0:
                assert found["data"][0] == 0
                continue
            assert found["data"][0] - origin == view.ctypes.data - twin.ctypes.data
            assert found["strides"] == (None if view.flags.c_contiguous else view.strides)


def test_broadcast_arrays():
    x = cuda.to_device(np.broadcast_to(np.arange(3.0), (4, 3)))
    assert shown(x)["strides"] == (0, 8)
    assert shown(x[:1])["strides"] is None


def test_arrays_without_elements_have_no_address():
    for shape in ((0,), (0, 3), (3, 0)):
        assert shown(cuda.device_array(shape))["data"] == (0, False)
        assert shown(cuda.device_array(shape))["strides"] is None


def test_axes_of_one_element_do_not_matter():
    x = cuda.device_array((4, 6))
    assert shown(x[1:2, :])["strides"] is None
    assert shown(x[:, 1:2])["strides"] == (48, 8)
    assert shown(x[2:3, 3:4])["strides"] is None


def test_read_only_arrays():
    x = treadle.from_dlpack(Producer(flags=READ_ONLY))
    assert shown(x)["data"][1] is True and shown(x[1:])["data"][1] is True
    again = cuda.as_cuda_array(type("Object", (), {"__cuda_array_interface__": shown(x)})())
    with pytest.raises(ValueError, match="read-only"):
        again[0] = 1


def test_reading_leaves_nothing():
    x = cuda.to_device(np.arange(10.0))[::2]
    first = shown(x)
    references = sys.getrefcount(x)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(1000):
        assert shown(x) == first
    assert sys.getrefcount(x) == references
    assert sys.getallocatedblocks() - before < 50


def test_pending_work_is_waited_for():
    """Memory of the host has no streams that others know."""

    @cuda.jit
    def slow(x, turns):
        for _ in range(turns):
            x[0] += 1

    stream = cuda.stream()
    mapped = cuda.mapped_array(1)
    mapped[0] = 0
    for x in (cuda.to_device(np.zeros(1)), mapped):
        for _ in range(20):
            slow[1, 1, stream](x, 100000)
        found = shown(x)
        assert ctypes.c_double.from_address(found["data"][0]).value == 2e6
        assert found["stream"] is None


def test_mapped_and_managed_arrays_show_it_too():
    for array in (cuda.mapped_array(4), cuda.managed_array(4)):
        array[:] = 3
        assert shown(array[1:])["data"] == (array[1:].ctypes.data, False)
        for computed in (array + 1, array.copy()):
            assert not hasattr(computed, "__cuda_array_interface__")
    assert not hasattr(cuda.pinned_array(4), "__cuda_array_interface__")
