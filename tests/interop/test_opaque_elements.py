"""Elements that arrays hold and exchange, and kernels do not have: dates, texts, plain bytes, small numbers. And
float16, which kernels have."""

import ctypes
import pickle

import ml_dtypes
import numpy as np
import pytest
import treadle
from interop.producers import PADDED, LegacyProducer, Producer, managed_in
from treadle import cuda

HOST = {
    "float16": np.array([0.5, -2, np.inf, np.nan], np.float16),
    "datetime64[ns]": np.array(["2026-11-25", "NaT", "1970-01-01", "1066-10-14"], "M8[ns]"),
    "timedelta64[25s]": np.arange(4).astype("m8[25s]"),
    "S5": np.array([b"warp", b"", b"lanes", b"a"]),
    "U3": np.array(["grid"[:3], "", "ß", "日本"]),
    "V7": np.frombuffer(bytes(range(28)), "V7"),
    "bfloat16": np.array([0.5, -2, np.inf, 3], ml_dtypes.bfloat16),
    "complex32": np.array([0.5, -2j, 1 + 65504j, 0], ml_dtypes.complex32),
    "float8_e4m3fn": np.array([0.5, -2, 3, 448], ml_dtypes.float8_e4m3fn),
}
# DLPack's codes, 1.1 and later.
NARROW = {
    "float8_e3m4": (7, 8), "float8_e4m3": (8, 8), "float8_e4m3b11fnuz": (9, 8), "float8_e4m3fn": (10, 8),
    "float8_e4m3fnuz": (11, 8), "float8_e5m2": (12, 8), "float8_e5m2fnuz": (13, 8), "float8_e8m0fnu": (14, 8),
    "float6_e2m3fn": (15, 6), "float6_e3m2fn": (16, 6), "float4_e2m1fn": (17, 4),
}  # fmt: skip
TENSOR = {"float16": (2, 16), "bfloat16": (4, 16), "complex32": (5, 32), **NARROW}


@cuda.jit
def first(x, out):
    out[0] = x[0]


def same(host, other):
    assert host.dtype == other.dtype and host.shape == other.shape
    assert host.tobytes() == other.tobytes()


class Shown:
    """Another library's array, by the CUDA Array Interface."""

    def __init__(self, array, **fields):
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **fields}


@pytest.mark.parametrize("name", HOST)
def test_copies_views_and_elements(name):
    host = HOST[name]
    x = cuda.to_device(host)
    assert x.dtype == host.dtype and x.itemsize == host.itemsize and (x._type._dtype_name or x._type.name) == name
    same(x.copy_to_host(), host)
    same(x[::2].copy_to_host(), host[::2].copy())
    same(x.reshape(2, 2).T.copy_to_host(), host.reshape(2, 2).T.copy("F"))
    same(np.asarray(x), host)
    assert x[1].tobytes() == host[1].tobytes()
    x[0] = host[2]
    x[1:3] = host[2:]
    same(x.copy_to_host(), host[[2, 2, 3, 3]])
    empty = cuda.device_array(4, host.dtype)
    empty.copy_to_device(x)
    same(empty.copy_to_host(), host[[2, 2, 3, 3]])
    same(x.host_view(), host[[2, 2, 3, 3]])
    assert cuda.device_array_like(x).dtype == cuda.device_array_like(host).dtype == host.dtype
    assert pickle.loads(pickle.dumps(x._type)) is x._type


@pytest.mark.parametrize("name", [name for name in HOST if name not in ("float16", "datetime64[ns]", "S5", "U3")])
def test_kernels_do_not_have_them(name):
    host, out = HOST[name], np.zeros(1)
    for x in (host, cuda.to_device(host), (host,), Shown(cuda.to_device(host))):
        with pytest.raises(TypeError, match=r"kernels do not have it") as found:
            first[1, 1](x, out)
        assert "argument 1 ('x')" in str(found.value)


def test_bytes_of_them_are_what_kernels_work_on():
    for name in ("float16", "bfloat16"):
        x = cuda.to_device(HOST[name])

        @cuda.jit
        def negate(bits):
            bits[cuda.grid(1)] ^= 0x8000

        negate[1, 4](x.view("uint16"))
        same(x.copy_to_host(), -HOST[name])
        bits = np.arange(4, dtype="u2")
        same(cuda.to_device(bits).view(name).copy_to_host(), bits.view(HOST[name].dtype))


def test_kernels_work_on_the_parts_of_complex32():
    x = cuda.to_device(HOST["complex32"])
    assert x._type is treadle.types.complex32 is cuda.complex32 and x._type.name == "complex32"

    @cuda.jit
    def conjugate(parts):
        i = cuda.grid(1)
        parts[i, 1] = -parts[i, 1]

    conjugate[1, 4](x.view("float16").reshape(4, 2))
    assert x.copy_to_host().astype(np.complex64).tolist() == HOST["complex32"].astype(np.complex64).conj().tolist()
    with pytest.raises(TypeError, match="complex32 converts no values: use float16, float32 or complex64"):
        treadle.types.complex32(1)

    @cuda.jit
    def converts(parts):
        parts[0] = cuda.complex32(1).real

    with pytest.raises(treadle.CompileError, match="kernels do not have complex32: use float16, float32 or complex64"):
        converts[1, 1](np.zeros(1))


@pytest.mark.parametrize("place", [np.asarray, cuda.to_device])
@pytest.mark.parametrize("name", ["bfloat16", "complex32", "S5", "timedelta64[25s]"])
def test_they_cannot_be_captured(name, place):
    array = place(HOST[name])

    @cuda.jit
    def captures(out):
        out[0] = array[0]

    with pytest.raises(treadle.CompileError):
        captures[1, 1](np.zeros(1))


def test_types_of_kernels_are_numbers_and_records():
    for dtype in ("M8[7ns]", "S500", ml_dtypes.bfloat16):
        with pytest.raises(TypeError, match="kernels have no"):
            treadle.from_dtype(np.dtype(dtype))
        with pytest.raises(TypeError, match="a signature is made of types, found"):
            cuda.jit((np.dtype(dtype),))(first)


@pytest.mark.parametrize("dtype", [">f2", ">M8[ns]", "O", "longdouble", ">U2", "int4"])
def test_what_arrays_do_not_have_either(dtype):
    dtype = np.dtype(ml_dtypes.int4 if dtype == "int4" else dtype)
    with pytest.raises(TypeError, match="no device array can be made"):
        cuda.to_device(np.zeros(3, dtype))
    with pytest.raises(TypeError, match="arrays hold numbers, dates, durations, records, strings and bytes"):
        cuda.device_array(3, dtype)


def test_records_have_fields_of_them():
    records = np.zeros(
        3, [("when", "M8[s]"), ("half", "f2", (2,)), ("word", "V3"), ("swapped", ">i4"), ("weight", "f4")]
    )
    records["when"] = np.arange(3)
    records["half"] = np.arange(6).reshape(3, 2)
    records["swapped"] = 258
    x = cuda.to_device(records)
    assert x.dtype == records.dtype
    same(x["when"].copy_to_host(), records["when"].copy())
    same(x["half"][1].copy_to_host(), records["half"][1])
    with pytest.raises(TypeError, match="field 'swapped' has a dtype that arrays do not have"):
        x["swapped"]
    assert x[1]["when"] == records["when"][1]

    @cuda.jit
    def weigh(records):
        records[cuda.grid(1)].weight = 2

    weigh[1, 3](x)
    assert x.copy_to_host()["weight"].tolist() == [2, 2, 2]

    @cuda.jit
    def read(records):
        records[0].weight = records[2].half[1]

    read[1, 1](x)
    assert x.copy_to_host()["weight"].tolist() == [5, 2, 2]

    @cuda.jit
    def text(records):
        records[0].weight = records[0].word

    with pytest.raises(treadle.CompileError, match="field 'word' has dtype V3, which kernels do not have"):
        text[1, 1](x)


# DLPack.


@pytest.mark.parametrize("name", TENSOR)
def test_tensors_of_them(name):
    code, bits = TENSOR[name]
    flags = PADDED if bits < 8 else 0
    producer = Producer(dtype=(code, bits, 1), flags=flags)
    x = treadle.from_dlpack(producer)
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    assert x.dtype == dtype and x.shape == (6,)
    assert x.copy_to_host().tobytes() == ctypes.string_at(ctypes.addressof(producer.memory), 6 * dtype.itemsize)
    exported = managed_in(x.__dlpack__(max_version=(1, 3)))
    found = exported.tensor.dtype
    assert (found.code, found.bits, found.lanes, exported.flags) == (code, bits, 1, flags)
    if name == "float16":
        first[1, 1](producer, out := np.zeros(1))
        assert out[0] == x[0]
        return
    with pytest.raises(TypeError, match=f"arrays can hold {name}, but kernels do not have it"):
        first[1, 1](producer, np.zeros(1))


@pytest.mark.parametrize("name", [name for name, (_, bits) in NARROW.items() if bits < 8])
def test_packed_elements_are_refused(name):
    """Less than a byte each, which no array here can address."""
    code, bits = NARROW[name]
    for producer in (Producer(dtype=(code, bits, 1)), LegacyProducer(dtype=(code, bits, 1))):
        with pytest.raises(BufferError, match=name):
            treadle.from_dlpack(producer)
        assert producer.deleted == 1
    x = treadle.from_dlpack(Producer(dtype=(code, bits, 1), flags=PADDED))
    with pytest.raises(BufferError, match="before 1.0"):
        x.__dlpack__()


@pytest.mark.parametrize("name", ["datetime64[ns]", "timedelta64[25s]", "S5", "U3", "V7"])
def test_what_dlpack_has_no_type_for(name):
    with pytest.raises(BufferError, match="no type for elements"):
        cuda.to_device(HOST[name]).__dlpack__()


def test_buffers_of_half_floats():
    """By the struct module's format: "e"."""
    host = HOST["float16"].copy()
    buffer = memoryview(host)
    assert buffer.format == "e"
    first[1, 1](buffer, out := np.zeros(1))
    assert out[0] == 0.5
    same(cuda.to_device(buffer).copy_to_host(), HOST["float16"])

    @cuda.jit
    def write(x):
        x[1] = 0.1

    write[1, 1](buffer)
    assert host[1] == np.float16(0.1)


def test_numpys_half_floats_there_and_back():
    host = HOST["float16"].copy()
    x = treadle.from_dlpack(host)
    host[0] = 7
    assert x[0] == 7
    back = np.from_dlpack(x)
    assert back.dtype == np.float16 and back.ctypes.data == host.ctypes.data


# CUDA Array Interface.


@pytest.mark.parametrize(
    "name, typestr",
    [
        ("float16", "<f2"), ("datetime64[ns]", "<M8[ns]"), ("timedelta64[25s]", "<m8[25s]"), ("S5", "|S5"),
        ("U3", "<U3"), ("V7", "|V7"), ("bfloat16", "<V2"), ("complex32", "|V4"), ("float8_e4m3fn", "|V1"),
    ],
)  # fmt: skip
def test_the_interface_of_them(name, typestr):
    x = cuda.to_device(HOST[name])
    shown = x.__cuda_array_interface__
    assert shown["typestr"] == typestr and "descr" not in shown
    imported = cuda.as_cuda_array(Shown(x))
    assert imported.copy_to_host().tobytes() == HOST[name].tobytes()
    is_opaque = typestr[1] == "V"
    assert imported.dtype == (np.dtype(f"V{x.itemsize}") if is_opaque else x.dtype)
    assert imported.copy_to_host(np.empty_like(HOST[name])).tobytes() == HOST[name].tobytes()


@pytest.mark.parametrize("name", ["bfloat16", *NARROW])
def test_numbers_that_numpy_has_no_typestring_for(name):
    shown = cuda.device_array(3, name).__cuda_array_interface__
    assert shown["typestr"] == ("<V2" if name == "bfloat16" else "|V1") and "descr" not in shown


class Torchs:
    """What PyTorch calls its dtypes."""

    def __repr__(self):
        return "torch.bfloat16"


@pytest.mark.parametrize("dtype", [np.dtype(ml_dtypes.bfloat16), Torchs()], ids=["ml_dtypes", "torch"])
def test_the_owner_says_what_bytes_are(dtype):
    x = cuda.to_device(HOST["bfloat16"])
    theirs = Shown(x)
    theirs.dtype = dtype
    same(cuda.as_cuda_array(theirs).copy_to_host(), HOST["bfloat16"])
    assert cuda.from_cuda_array_interface(theirs.__cuda_array_interface__).dtype == np.dtype("V2")
    theirs.dtype = np.dtype(ml_dtypes.float8_e5m2)  # of another size
    assert cuda.as_cuda_array(theirs).dtype == np.dtype("V2")


def test_without_ml_dtypes_they_are_bytes(run_python):
    program = """
import sys
sys.modules["ml_dtypes"] = None
import numpy as np
from treadle import cuda
x = cuda.device_array(3, "bfloat16")
x.copy_to_device(np.frombuffer(b"abcdef", "V2"))
print(x.dtype, x.copy_to_host().tobytes(), x)
"""
    assert run_python(program) == "|V2 b'abcdef' <DeviceNDArray bfloat16 (3,)>\n"
