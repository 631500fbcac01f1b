"""Records on the host: device arrays of records, single records, their types, and rejected operations."""

import pickle

import numpy as np
import pytest
from treadle import cuda, errors, float32, from_dtype, int64, types, void

BODY = np.dtype([("mass", "f4"), ("at", "f8", (3,)), ("spin", [("up", "?"), ("axis", "i2", (2, 2))])])
NAMED = np.dtype([("x", "f4"), ("name", "S5"), ("when", "M8[s]"), ("y", "f8")])
ANY_ORDER = np.dtype({"names": ["b", "a"], "formats": ["i4", "f8"], "offsets": [12, 0], "itemsize": 24})
UNION = np.dtype({"names": ["word", "low"], "formats": ["u4", "u2"], "offsets": [0, 0]})


@cuda.jit
def double_mass(r):
    i = cuda.grid(1)
    if i < r.size:
        r[i].mass *= 2


def bodies(n=5):
    r = np.zeros(n, BODY)
    r["mass"] = np.arange(n)
    r["at"] = np.arange(3 * n).reshape(n, 3)
    r["spin"]["axis"][:, 1, 0] = 7
    return r


@pytest.mark.parametrize("dtype", [BODY, NAMED, ANY_ORDER, UNION, np.dtype(BODY.descr, align=True)], ids=str)
def test_types_come_from_dtypes_and_give_them_back(dtype):
    record = from_dtype(dtype)
    assert record == from_dtype(np.dtype(dtype))
    device = cuda.to_device(np.zeros(3, dtype))
    assert device.dtype == dtype
    assert (device.itemsize, device.strides) == (dtype.itemsize, (dtype.itemsize,))
    assert device.copy_to_host().dtype == dtype
    assert pickle.loads(pickle.dumps(record)) == record
    assert pickle.loads(pickle.dumps(record[:])) == record[:]


def test_names_of_types():
    assert repr(from_dtype(BODY)) == (
        "Record(mass: float32, at: float64(3), spin: Record(up: bool, axis: int16(2, 2)))"
    )
    assert repr(from_dtype(BODY)[::1]).startswith("array(Record(mass: float32")
    assert from_dtype("f4") == float32 == from_dtype(np.float32)
    assert types.Array(from_dtype(BODY), 2, "F").dtype == from_dtype(BODY)
    with pytest.raises(TypeError):
        from_dtype("U300")


@pytest.mark.parametrize("order", ["C", "F"])
def test_copies(order):
    host = np.array(bodies(6).reshape(2, 3), order=order)
    device = cuda.to_device(host)
    assert device.copy_to_host().tobytes() == host.tobytes()
    into = np.zeros((2, 3), BODY, order=order)
    assert device.copy_to_host(into) is into
    assert (into["at"] == host["at"]).all()
    device.copy_to_device(np.zeros((2, 3), BODY))
    assert not device.copy_to_host()["at"].any()


def test_copies_of_other_dtypes_are_refused():
    device = cuda.to_device(bodies())
    for other in (np.zeros(5, "f4"), np.zeros(5, NAMED), np.zeros(5, f"V{BODY.itemsize}")):
        with pytest.raises(TypeError, match="different element types"):
            device.copy_to_host(other)
        with pytest.raises(TypeError):
            device.copy_to_device(other)
    with pytest.raises(TypeError, match="different element types"):
        cuda.to_device(np.zeros(5)).copy_to_device(bodies())
    assert device.copy_to_host().tobytes() == bodies().tobytes()


def test_fields_are_views():
    device = cuda.to_device(bodies())
    assert (device["at"].shape, device["at"].strides, device["at"].dtype) == ((5, 3), (BODY.itemsize, 8), np.float64)
    assert device["at"].copy_to_host().tolist() == bodies()["at"].tolist()
    assert device["spin"]["axis"].shape == (5, 2, 2)
    assert device["spin"]["axis"][2].copy_to_host().tolist() == [[0, 0], [7, 0]]
    assert device["spin"].dtype == BODY["spin"]
    assert device[1:4]["mass"].copy_to_host().tolist() == [1, 2, 3]
    device["mass"][2:] = 9
    assert device.copy_to_host()["mass"].tolist() == [0, 1, 9, 9, 9]
    with pytest.raises(KeyError, match="weight"):
        device["weight"]
    with pytest.raises(IndexError, match="only arrays of records have fields"):
        device["mass"]["x"]
    names = cuda.to_device(np.zeros(3, NAMED))["name"]
    assert (names.dtype, names.copy_to_host().tolist()) == (NAMED["name"], [b""] * 3)


def test_one_record():
    device = cuda.to_device(bodies())
    one = device[3]
    assert isinstance(one, cuda.DeviceRecord)
    assert (one.dtype, one.shape) == (BODY, ())
    assert one["mass"] == 3 == one[0]
    assert isinstance(one["mass"], np.float32)
    assert type(one["at"]) is cuda.DeviceNDArray
    assert one["at"].copy_to_host().tolist() == [9, 10, 11]
    assert isinstance(one["spin"], cuda.DeviceRecord)
    assert one["spin"]["axis"][1, 0] == 7
    one["mass"] = 4.5
    one["at"] = [1, 2, 3]
    one["spin"]["up"] = True
    host = device.copy_to_host()
    assert host["at"][3].tolist() == [1, 2, 3]
    assert (host["mass"][3], host["spin"]["up"].tolist()) == (4.5, [False, False, False, True, False])
    with pytest.raises(KeyError):
        one["weight"]
    with pytest.raises(IndexError):
        one[3]
    device[0] = host[3]
    assert device[0].copy_to_host() == host[3]


def test_numpy_records_go_to_the_device_and_back():
    host = bodies()[2]
    device = cuda.to_device(host)
    assert isinstance(device, cuda.DeviceRecord)
    assert device["mass"] == 2
    back = device.copy_to_host()
    assert isinstance(back, np.void)
    assert back == host
    other = np.zeros(1, BODY)[0]
    assert device.copy_to_host(other) is other
    assert other == host
    device["mass"] = 8
    assert host["mass"] == 2
    device.copy_to_device(host)
    assert device["mass"] == 2
    with pytest.raises(TypeError):
        device.copy_to_host(np.zeros(1, NAMED)[0])


def test_a_record_keeps_its_array_alive():
    one = cuda.to_device(bodies())[4]
    cuda.to_device(np.ones(1000))
    assert one["at"].copy_to_host().tolist() == [12, 13, 14]


def test_signatures():
    kernel = cuda.jit(void(from_dtype(BODY)[:]))(double_mass.py_func)
    device = cuda.to_device(bodies())
    kernel[1, 32](device)
    assert device.copy_to_host()["mass"].tolist() == [0, 2, 4, 6, 8]
    host = bodies()
    kernel[1, 32](host[::-2])
    assert host["mass"].tolist() == [0, 1, 4, 3, 8]
    with pytest.raises(TypeError):
        kernel[1, 32](np.zeros(3, NAMED))


def test_one_compilation_for_equal_dtypes():
    kernel = cuda.jit(double_mass.py_func)
    for _ in range(3):
        kernel[1, 32](np.zeros(4, np.dtype(BODY.descr)))
    kernel[1, 32](cuda.to_device(bodies()))
    assert len(kernel.overloads) == 1


def test_read_only_records_stay():
    host = bodies()
    host.flags.writeable = False
    with pytest.raises(errors.TypingError, match="read-only"):
        double_mass[1, 32](host)
    with pytest.raises(errors.TypingError, match="read-only"):
        double_mass[1, 32](host[1:])


OBJECTS = [
    np.dtype([("a", "f4"), ("b", "O")]),
    np.dtype([("a", "f4"), ("inner", [("b", "O"), ("c", "i4")])]),
    np.dtype([("a", "f4"), ("many", "O", (2,))]),
]


@pytest.mark.parametrize("dtype", OBJECTS, ids=str)
def test_records_with_python_objects_are_refused(dtype):
    @cuda.jit
    def number(r):
        r[0].a = 1

    @cuda.jit
    def captured(out):
        out[0] = host[0].a

    host = np.zeros(3, dtype)
    address = cuda.to_device(np.array([12345678, 2, 3], "i8"))
    device = cuda.to_device(np.zeros(3))
    for attempt in (
        lambda: cuda.to_device(host),
        lambda: cuda.to_device(host[0]),
        lambda: cuda.device_array(3, dtype),
        lambda: cuda.device_array(3, dtype.descr),
        lambda: cuda.device_array_like(host),
        lambda: cuda.pinned_array(3, dtype),
        lambda: cuda.mapped_array(3, dtype),
        lambda: cuda.managed_array(3, dtype),
        lambda: address.view([("b", "O")]),
        lambda: device.copy_to_device(host),
        lambda: device.copy_to_host(host),
        lambda: from_dtype(dtype),
        lambda: number[1, 1](host),
        lambda: number[1, 1](cuda.In(host)),
        lambda: number[1, 1](host[0]),
        lambda: captured[1, 1](np.zeros(1)),
    ):
        with pytest.raises((TypeError, errors.CompileError)):
            attempt()


def test_a_record_by_no_index_is_itself():
    device = cuda.to_device(bodies(3)[1])
    for record in (device, device[...], device[()], cuda.to_device(bodies(3))[1][()]):
        assert type(record) is type(device) and float(record["mass"]) == 1
    device[...]["mass"] = 8
    assert float(device["mass"]) == 8


def test_other_byte_orders_are_not_read():
    swapped = np.zeros(3, [("x", ">f4"), ("y", "f4")])

    @cuda.jit
    def takes_y(r):
        r[0].y = 3

    @cuda.jit
    def takes_x(r):
        r[0].x = 3

    takes_y[1, 1](swapped)
    assert swapped["y"][0] == 3
    with pytest.raises(errors.UnsupportedError, match=">f4"):
        takes_x[1, 1](swapped)


def test_fields_that_get_other_names():
    @cuda.jit
    def kernel(r):
        r[0].second = 7

    host = np.zeros(2, np.dtype([("first", "f4"), ("second", "f4")]))
    kernel[1, 1](host)
    host.dtype.names = ("second", "first")
    kernel[1, 1](host)
    assert host[0].item() == (7, 7)


def test_twenty_fields():
    dtype = np.dtype([(f"f{n}", ("f4", "i8", "u1")[n % 3]) for n in range(20)])

    @cuda.jit
    def total(r, out):
        i = cuda.grid(1)
        one = r[i]
        out[i] = one.f0 + one.f1 + one.f2 + one["f10"] + one["f19"]
        one.f7 = i

    host, out = np.ones(32, dtype), np.zeros(32)
    total[1, 32](host, out)
    assert out.tolist() == [5] * 32
    assert host["f7"].tolist() == list(range(32))
    assert (host["f6"] == 1).all()
    assert (host["f8"] == 1).all()


@pytest.mark.parametrize("rules", ["numba", "cuda-python"])
def test_unions_and_any_order(rules):
    @cuda.jit(rules=rules)
    def kernel(u, r):
        u[0].word = 0x12345678
        u[1].word = u[0].low
        r[0].a = r[0]["b"] + 0.5
        r[1] = r[0]

    u, r = np.zeros(2, UNION), np.zeros(2, ANY_ORDER)
    r["b"] = 3
    kernel[1, 1](u, r)
    assert u["word"].tolist() == [0x12345678, 0x5678]
    assert r["a"].tolist() == [3.5, 3.5]


def test_strings_known_while_compiling_name_fields():
    which = "at"

    @cuda.jit
    def kernel(r, out):
        out[0] = r[0][which][2] + r[which][1, 0]

    out = np.zeros(1)
    kernel[1, 1](bodies(), out)
    assert out[0] == 5


def test_queued_launches_keep_records():
    stream = cuda.stream()
    device = cuda.to_device(bodies())
    for _ in range(3):
        double_mass[1, 32, stream](device)
    assert device[4].copy_to_host(stream=stream)["mass"] == 32


def test_numbers_beside_records_in_one_call():
    @cuda.jit
    def kernel(one, n, rows):
        rows[n]["mass"] = one.mass + rows.shape[0]

    host = bodies()
    kernel[1, 1](host[3], int64(1), host)
    assert host["mass"][1] == 8


PACKED = np.dtype([("mark", "i1"), ("mass", "f8"), ("pair", "i2", (2,))])  # 13 bytes


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("on_device", [False, True])
def test_fields_of_packed_records_are_arrays_with_strides_of_any_number_of_bytes(on_device, captured):
    host = np.zeros((4, 6), PACKED)
    host["mass"] = np.arange(24).reshape(4, 6)
    host["pair"] = np.arange(48).reshape(4, 6, 2)
    records = cuda.to_device(host) if on_device else host
    mass, pair = records["mass"], records["pair"]

    @cuda.jit
    def reads(mass, pair, out):
        i, j = cuda.grid(2)
        part = mass[1:, ::2]
        if i < part.shape[0] and j < part.shape[1]:
            out[i, j] = part[i, j] + part.strides[1] + pair[i, j, 1]

    @cuda.jit
    def reads_captured(out):
        i, j = cuda.grid(2)
        if i < 3 and j < 3:
            out[i, j] = mass[i + 1, 2 * j] + 26 + pair[i, j, 1]

    @cuda.jit
    def adds(mass):
        i, j = cuda.grid(2)
        if i < mass.shape[0] and j < mass.shape[1]:
            cuda.atomic.add(mass, (i, j), 10)

    out = np.zeros((3, 3))
    if captured:
        reads_captured[1, (4, 8)](out)
    else:
        reads[1, (4, 8)](mass, pair, out)
    assert out.tolist() == (host["mass"][1:, ::2] + 26 + host["pair"][:3, :3, 1]).tolist()
    adds[1, (4, 8)](mass)
    after = records.copy_to_host() if on_device else host
    assert after["mass"].tolist() == (np.arange(24.0).reshape(4, 6) + 10).tolist()
    assert (after["mark"] == 0).all()
    if on_device:
        assert mass[1:3, ::2].copy_to_host().tolist() == after["mass"][1:3, ::2].tolist()
        mass[2] = 5.0
        assert records.copy_to_host()["mass"][2].tolist() == [5.0] * 6
