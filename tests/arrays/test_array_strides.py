"""Strides given by the user, and those of broadcast arrays: used as they are."""

import numpy as np
import pytest
from treadle import cuda

MANAGER = cuda.current_context().memory_manager
HOST_ARRAYS = [cuda.pinned_array, cuda.mapped_array, cuda.managed_array]


@pytest.mark.parametrize("make", [*HOST_ARRAYS, cuda.device_array])
@pytest.mark.parametrize(
    ("shape", "strides"),
    [((3, 4), (64, 8)), ((3, 4), (8, 24)), (5, (24,)), (5, 16), ((2, 3, 2), (-8, 48, 16)), ((4,), (-24,)), ((), ()),
     ((2, 5), (0, 8)), ((0, 3), (999, -7)), ((1, 3), (12345, 8))],
    ids=str,
)  # fmt: skip
def test_strides_are_taken_as_they_are(make, shape, strides):
    before = MANAGER.figures()["live_bytes"]
    array = make(shape, np.float64, strides=strides)
    shape = shape if isinstance(shape, tuple) else (shape,)
    strides = strides if isinstance(strides, tuple) else (strides,)
    assert (array.shape, array.strides) == (shape, strides)
    reach = 0 if 0 in shape else 8 + sum(abs(s) * (n - 1) for n, s in zip(shape, strides, strict=True))
    assert MANAGER.figures()["live_bytes"] - before <= max(256, reach * 9 / 8)
    values = np.broadcast_to(np.arange(float(shape[-1] if shape else 1)), shape) if shape else np.array(7.0)
    array[...] = values
    assert np.array_equal(np.asarray(array), values)

    @cuda.jit
    def add(a, amount):
        i = cuda.grid(1)
        if i < a.shape[0]:
            a[i] += amount

    if len(shape) == 1:
        add[1, 32](array, 10)
        cuda.synchronize()
        assert np.array_equal(np.asarray(array), values + 10)
    if make is cuda.device_array:
        assert array.alloc_size == reach
        array._view(array._type, 0, shape, strides)  # raises if it is not within its buffer


def test_strides_that_no_array_has():
    for shape, strides, error in [
        ((3, 4), (8,), ValueError),
        ((3, 4), (8, 8, 8), ValueError),
        (3, ("8",), TypeError),
        (3, (8.0,), TypeError),
        ((3, 3), (2**62, 2**62), ValueError),
        ((3, 3), (2**62, -(2**62)), ValueError),
        (3, (2**63,), OverflowError),
    ]:
        with pytest.raises(error):
            cuda.device_array(shape, np.float64, strides=strides)


ROW, TABLE = np.arange(3.0), np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    "host",
    [np.broadcast_to(ROW, (4, 3)), np.broadcast_to(TABLE[:, None], (2, 5, 3)), np.broadcast_to(7.0, (3, 2)),
     np.broadcast_to(TABLE.T, (4, 3, 2)), np.broadcast_to(5, 10**12)],
    ids=lambda host: f"{host.shape}{host.strides}",
)  # fmt: skip
def test_broadcast_arrays_keep_their_zero_strides(host):
    device = cuda.to_device(host)
    assert (device.shape, device.strides, device.dtype) == (host.shape, host.strides, host.dtype)
    assert device.alloc_size <= 48
    back = device.copy_to_host()
    assert (back.shape, back.strides) == (host.shape, host.strides)
    first = tuple(slice(0, 2) for _ in host.shape)
    assert np.array_equal(back[first], host[first])
    device.copy_to_device(host)
    assert np.array_equal(np.asarray(device)[first], host[first])
    assert cuda.to_device(host, to=device) is device


def test_kernels_read_broadcast_arrays():
    @cuda.jit
    def total(a, out):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                out[0] += a[i, j] * (i + 1)

    out = np.zeros(1)
    total[1, 1](cuda.to_device(np.broadcast_to(ROW, (4, 3))), out)
    assert out[0] == 30
    full, device = np.ones((4, 3)), cuda.to_device(np.broadcast_to(ROW, (4, 3)))
    with pytest.raises(ValueError, match="different shapes"):
        device.copy_to_device(full)  # rows that may differ, copied to one row


def test_a_broadcast_array_without_order_is_not_contiguous():
    with pytest.raises(ValueError, match="must be contiguous"):
        cuda.to_device(np.broadcast_to(np.arange(6.0)[::2], (4, 3)))
