"""Arrays whose elements lie at other addresses than multiples of their sizes: of the host they are arguments like all
others, on every device; in the memory of a device whose kernels cannot load them they are refused."""

import numpy as np
import pytest
from treadle import cuda

PACKED = np.dtype([("flag", np.uint8), ("x", np.float32), ("y", np.float64), ("z", np.complex64)])
ALIGNED = np.dtype([("flag", np.uint8), ("x", np.float32), ("y", np.float64)], align=True)


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def assign(to, source):
    i = cuda.grid(1)
    if i < to.size:
        to[i] = source[i] + 1


@cuda.jit
def add_all(out, first, second):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = first[i] + second[i]


@cuda.jit
def double_table(x):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] *= 2


@cuda.jit
def double_fields(records):
    i = cuda.grid(1)
    if i < records.size:
        records[i].x *= 2
        records[i].y *= 2


def offset_by(offset, dtype, count):
    """Numbers that begin so many bytes after a multiple of 64."""
    memory = np.zeros(64 + offset + np.dtype(dtype).itemsize * count, np.uint8)
    first = -memory.ctypes.data % 64 + offset
    array = memory[first : first + np.dtype(dtype).itemsize * count].view(dtype)
    array[:] = np.arange(count)
    return array


def records(count, dtype=PACKED):
    made = np.zeros(count, dtype)
    for name in dtype.names:
        made[name] = np.arange(count)
    return made


@pytest.mark.parametrize("dtype", [np.float16, np.int16, np.float32, np.int64, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("offset", [1, 2, 4, 7])
def test_of_the_host_behind_a_header(dtype, offset):
    x = offset_by(offset, dtype, 8)
    double[1, 32](x)
    assert x.tolist() == list(range(0, 16, 2))


@pytest.mark.parametrize("name", ["x", "y", "z"])
def test_one_field_of_packed_records_of_the_host(name):
    all_records = records(9)
    before = all_records.copy()
    double[1, 32](all_records[name])
    double[1, 32](all_records[name][::-2])
    expected = before[name] * np.where(np.arange(9) % 2 == 0, 4, 2)
    assert all_records[name].tolist() == expected.tolist()
    for other in set(PACKED.names) - {name}:
        assert all_records[other].tolist() == before[other].tolist()


def test_several_fields_of_packed_records_of_the_host():
    all_records = records(9)
    assign[1, 32](all_records["y"], all_records["x"])
    assert all_records["y"].tolist() == list(range(1, 10))
    add_all[1, 32](all_records["x"], all_records["x"], all_records["y"])
    assert all_records["x"].tolist() == [2 * n + 1 for n in range(9)]
    table = records(12).reshape(3, 4)
    double_table[(1, 1), (8, 8)](table["y"].T)
    assert table["y"].tolist() == (2 * np.arange(12.0)).reshape(3, 4).tolist()
    assert table["x"].tolist() == np.arange(12.0).reshape(3, 4).tolist()


def test_arrays_of_the_host_that_share_memory_go_on_sharing_it():
    memory = np.zeros(33, np.uint8)
    floats = memory[1:].view(np.float32)
    floats[:] = range(8)

    @cuda.jit
    def copy_bytes(memory, floats):
        if cuda.grid(1) == 0:
            for i in range(4):
                memory[1 + i] = memory[9 + i]  # the third number becomes the first
            floats[1] = floats[0]

    copy_bytes[1, 1](memory, floats)
    assert floats.tolist() == [2, 2, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("is_written", [False, True])
def test_arrays_of_the_host_that_no_copy_can_hold_together(is_written):
    """They overlap, one and two bytes after a multiple of four."""
    memory = np.zeros(64, np.uint8)
    first, second = memory[1:33].view(np.float32), memory[2:34].view(np.float32)
    first[:] = range(8)
    out, kept = np.zeros(8, np.float32), second.copy()
    if not is_written:
        add_all[1, 32](out, first, second)
        assert out.tolist() == (first + kept).tolist()
        return
    if cuda.device_array(1)._is_host_visible:
        return  # there kernels work on the arrays themselves
    with pytest.raises(BufferError, match="arrays of the host share memory in such a way"):
        assign[1, 32](first, second)
    assert second.tolist() == kept.tolist()


def test_records_whose_type_is_aligned_at_an_odd_address():
    memory = np.zeros(1 + 5 * ALIGNED.itemsize, np.uint8)
    x = memory[1:].view(ALIGNED)
    x[:] = records(5, ALIGNED)
    double_fields[1, 32](x)
    assert x["x"].tolist() == x["y"].tolist() == [0, 2, 4, 6, 8]
    assert x["flag"].tolist() == [0, 1, 2, 3, 4]


def test_in_the_memory_of_a_device():
    all_records, memory = cuda.to_device(records(9)), cuda.to_device(np.zeros(33, np.uint8))
    double_fields[1, 32](all_records)
    assert all_records.copy_to_host()["y"].tolist() == list(range(0, 18, 2))
    views = [all_records["y"], memory[1:].view(np.float32)]
    for view in views:
        if view._is_host_visible:
            double[1, 32](view)
            continue
        with pytest.raises(
            BufferError, match=r"double: argument 1 \('x'\) has elements at addresses that are no multip"
        ):
            double[1, 32](view)
        double[1, 32](view[:0])
    if all_records._is_host_visible:
        assert all_records.copy_to_host()["y"].tolist() == list(range(0, 36, 4))
    double[1, 32](memory[1:])
    double[1, 32](cuda.to_device(np.zeros(9, np.float32))[1:])
    cuda.synchronize()
