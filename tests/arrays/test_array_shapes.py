"""Shapes and strides of views, compared with NumPy's."""

import itertools
import math
import random

import numpy as np
import pytest
from treadle import cuda

SHAPES = [(), (0,), (1,), (6,), (2, 3), (4, 6), (1, 6, 1), (2, 3, 4), (2, 1, 3, 4), (0, 3), (3, 0, 2)]


def views(shape):
    whole = np.arange(2 * math.prod(shape) + 1, dtype="i8")
    plain = whole[: math.prod(shape)].reshape(shape)
    yield plain
    yield np.asfortranarray(plain)
    yield plain.T
    if shape:
        yield plain[::-1]
        yield np.repeat(plain, 2, axis=0)[::2]
        yield np.repeat(plain, 2, axis=-1)[..., ::2]


def device_array_as(array):
    return cuda.device_array(array.shape, array.dtype, strides=array.strides)


def factors(size, axes, random_source):
    left, shape = size, []
    for _ in range(axes):
        divisors = [d for d in range(1, left + 1) if left % d == 0] if left else [0, 1, 3]
        shape.append(random_source.choice(divisors))
        left = left // shape[-1] if shape[-1] else 0
    return (*shape, left) if size else (*shape, 0)


def numpys(array, shape, order):
    """None where NumPy needs a copy."""
    view = array.reshape(shape, order=order)
    return view if array.size == 0 or np.shares_memory(view, array) else None


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reshaped(shape, order):
    source = random.Random(f"{shape}{order}")
    outcomes = set()
    for array, axes in itertools.product(views(shape), range(4)):
        for _ in range(12):
            wanted = factors(array.size, axes, source)
            expected = numpys(array, wanted, order)
            outcomes.add(expected is None)
            if expected is None:
                with pytest.raises(NotImplementedError, match="would take a copy"):
                    device_array_as(array).reshape(wanted, order=order)
                continue
            found = device_array_as(array).reshape(wanted, order=order)
            assert found.shape == wanted
            if array.size:
                view = np.lib.stride_tricks.as_strided(array, found.shape, found.strides)
                assert view.tolist() == expected.tolist()
    assert False in outcomes


def test_one_unknown_extent():
    device = cuda.device_array((4, 6))
    assert (device.reshape(-1, 3).shape, device.reshape(-1, 3).strides) == ((8, 3), (24, 8))
    for wanted, message in [
        ((-1, -1), "one extent"),
        ((5, -1), "24 elements"),
        ((-2, 12), "negative"),
        ((5,), "24 elements, not 5"),
        ((0, -1), "24 elements"),
        ((2**40, 2**40), "24 elements"),
    ]:
        with pytest.raises(ValueError, match=message):
            device.reshape(wanted)
    with pytest.raises(ValueError, match="order"):
        device.reshape(24, order="K")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_permuted(shape):
    for array in views(shape):
        for axes in [None, *(itertools.permutations(range(len(shape))) if shape else ())]:
            expected = array.transpose(axes)
            found = device_array_as(array).transpose(axes)
            assert (found.shape, found.strides) == (expected.shape, expected.strides)
    for axes in [(0, 0), (5,), tuple(range(len(shape) + 1)), (-9,)]:
        with pytest.raises(ValueError):
            cuda.device_array(shape).transpose(axes)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_squeezed(shape):
    for array in views(shape):
        for axis in [None, 0, -1, (0, 2), (1,), 7] if shape else [None, 7]:
            try:
                expected = array.squeeze(axis)
            except ValueError:
                with pytest.raises(ValueError):
                    device_array_as(array).squeeze(axis)
            else:
                found = device_array_as(array).squeeze(axis)
                assert (found.shape, found.strides) == (expected.shape, expected.strides)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_order_a_is_fortran_for_arrays_that_are_only_that(shape):
    for array in views(shape):
        device = cuda.device_array(array.shape, "i8", strides=array.strides)
        device[...] = array
        for wanted in {(array.size,), (array.size, 1), array.shape[::-1]}:
            expected = numpys(array, wanted, "A")
            if expected is None:
                with pytest.raises(NotImplementedError, match="would take a copy"):
                    device.reshape(wanted, order="A")
                continue
            assert np.asarray(device.reshape(wanted, order="A")).tolist() == expected.tolist()
        if numpys(array, (array.size,), "A") is not None:
            assert np.asarray(device.ravel("A")).tolist() == array.ravel("A").tolist()
    with pytest.raises(ValueError, match="order must be 'C' or 'F', found 'A'"):
        cuda.device_array(shape, order="A")


def offsets(shape, strides):
    """Offsets of the corner elements, which bound all others."""
    ends = [(0, stride * (extent - 1)) for extent, stride in zip(shape, strides, strict=True)]
    return [sum(steps) for steps in itertools.product(*ends)]


def number(source, small):
    if source.random() < 0.7:
        return source.randint(-small, small)
    return source.choice([1, -1]) * (2 ** source.randrange(63) + source.randint(-1, 1))


def test_views_never_reach_beyond_their_buffer():
    source = random.Random(5)
    device = cuda.to_device(np.arange(200, dtype="u1"))[20:180]
    host = np.arange(200, dtype="u1")
    outcomes = []
    for _ in range(6000):
        axes, item = source.randrange(4), source.choice(["u1", "<u2", "<i8"])
        shape = tuple(abs(number(source, 6)) for _ in range(axes))
        strides = tuple(number(source, 50) for _ in range(axes))
        offset, size = number(source, 200), np.dtype(item).itemsize
        reached = [20 + offset + place for place in offsets(shape, strides)]
        is_inside = 0 in shape or (min(reached) >= 0 and max(reached) + size <= 200)
        # Their bytes have to be counted, too.
        is_inside = is_inside and size * math.prod(max(extent, 1) for extent in shape) < 2**63
        is_inside = is_inside and all(extent <= 2**47 for extent in shape)
        outcomes.append(is_inside)
        if not is_inside:
            with pytest.raises(ValueError):
                device._view(np.dtype(item), offset, shape, strides)
            continue
        view = device._view(np.dtype(item), offset, shape, strides)
        assert (view.shape, view.strides) == (shape, strides)
        if 0 not in shape and view.size < 10000:
            expected = np.ndarray(shape, item, host, offset=20 + offset, strides=strides)
            assert np.array_equal(np.asarray(view), expected)
    assert 500 < sum(outcomes) < 5500


def test_steps_beyond_the_axis():
    device, host = cuda.to_device(np.arange(6.0)), np.arange(6.0)
    for step in (2**62, -(2**62), 2**63 - 1, -(2**63)):
        assert np.asarray(device[::step]).tolist() == host[::step].tolist()


def test_views_of_device_arrays_share_memory():
    host = np.arange(24, dtype="i4").reshape(2, 3, 4)
    device = cuda.to_device(host)
    for view, expected in [
        (device.reshape(6, 4), host.reshape(6, 4)),
        (device.reshape((4, -1), order="C"), host.reshape(4, -1)),
        (device.T, host.T),
        (device.transpose((1, 0, 2)), host.transpose(1, 0, 2)),
        (device.ravel(), host.ravel()),
        (device.transpose().ravel("F"), host.T.ravel("F")),
        (device[:1].squeeze(), host[:1].squeeze()),
        (device.view("u1"), host.view("u1")),
        (device.view(np.float32), host.view("f4")),
        (device.view([("a", "i4"), ("b", "i4")]), host.view([("a", "i4"), ("b", "i4")])),
        (device.bind(cuda.stream()), host),
    ]:
        assert (view.shape, view.strides, view.dtype) == (expected.shape, expected.strides, expected.dtype)
        assert view.copy_to_host().tolist() == expected.tolist()
    device.T[0] = 5
    assert (device.copy_to_host()[..., 0] == 5).all()
    assert [part.copy_to_host().tolist() for part in device.ravel()[:10].split(4)] == [
        np.array(part).tolist() for part in np.split(device.copy_to_host().ravel()[:10], [4, 8])
    ]


def test_views_that_cannot_be():
    device = cuda.to_device(np.zeros((4, 6), "f4"))
    with pytest.raises(NotImplementedError):
        device.T.ravel()
    with pytest.raises(NotImplementedError):
        device[:, :3].reshape(12)
    for attempt, message in [
        (lambda: device.reshape(5, 5), "24 elements, not 25"),
        (lambda: device.squeeze(0), "axis 0 has extent 4"),
        (lambda: device.transpose((0, 0)), "axes"),
        (lambda: device.T.view("f8"), "C-contiguous"),
        (lambda: device[:, :3].copy_to_host() is None or device.reshape(8, 3).view("f8"), "12 bytes"),
        (lambda: list(device.split(2)), "one dimension"),
        (lambda: list(device[:, 0].split(2)), "stride"),
        (lambda: list(device.ravel().split(0)), "one or more"),
    ]:
        with pytest.raises(ValueError, match=message):
            attempt()
    with pytest.raises(TypeError):
        device.view(object)
    with pytest.raises(TypeError, match="a dtype, found None"):
        device.view(None)
    with pytest.raises(TypeError, match="a stream, found None"):
        device.bind(None)
