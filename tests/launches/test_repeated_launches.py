"""Launches that are made again with the same arrays are not read again: nothing of that may show."""

import gc
import threading

import numpy as np
import pytest
from treadle import cuda, errors


@cuda.jit
def store(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = value


@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += y[i]


@pytest.mark.parametrize(
    "values",
    [
        range(-3, 9),
        [0, 2**30 - 1, 2**30, -(2**30), 2**31, -(2**31) - 1, 2**52, 5],
        [1.5, -2.0, 0.25, 3.0, 4.5],
        [1, 2.5, 1, 2.5, True, 3, False, 2.5, True],
        [np.float32(k + 0.5) for k in range(6)],
        [kind(k) for k in range(5) for kind in (np.int8, np.uint16, np.int32, np.int64, np.float64, np.bool_)],
    ],
)
def test_numbers_of_each_launch(values):
    x = cuda.to_device(np.zeros(8, np.float64))
    launcher = store[1, 8]
    for value in values:
        for _ in range(3):
            launcher(x, value)
        assert x.copy_to_host().tolist() == [float(value)] * 8


def test_an_integer_that_needs_more_than_64_bits_with_a_sign():
    x = cuda.to_device(np.zeros(4, np.uint64))
    launcher = store[1, 4]
    for _ in range(4):
        for value in (1, 2**63 + 5, 7):
            launcher(x, value)
            assert x.copy_to_host().tolist() == [value] * 4
    with pytest.raises(OverflowError, match="does not fit 64 bits"):
        launcher(x, 2**64)


@pytest.mark.parametrize("values", [(2**63, -1), (-1, 2**63), (2**64 - 1, 2**63 - 1, -(2**63), 0)])
@pytest.mark.parametrize("reads", [True, False])
def test_the_type_of_an_integer_is_that_of_a_first_launch(values, reads):
    @cuda.jit
    def kept(x, value):
        x[0] = value / 2 if reads else x.size

    def bound(value):
        launch[1] = value
        launch()

    x = cuda.to_device(np.zeros(1))
    launcher, launch = kept[1, 1], kept.bind(1, 1, 0, x, 0)
    for way in (lambda value: launcher(x, value), bound):
        for value in [values[0], *values, *values] * 2:
            for _ in range(3):
                way(value)
            assert x.copy_to_host()[0] == (value / 2 if reads else 1)
    assert len(kept.signatures) == 2


def test_numbers_that_a_signature_converts():
    @cuda.jit("(float32[::1], int16)")
    def narrow(x, value):
        x[cuda.grid(1)] = value

    x = cuda.to_device(np.zeros(4, np.float32))
    launcher = narrow[1, 4]
    for value in (1, 2, 3, 70000, -5, 7):
        launcher(x, value)
        assert x.copy_to_host().tolist() == [np.array(value).astype(np.int16)] * 4


def test_parameters_that_are_not_read():
    @cuda.jit
    def one_of_three(a, x, b):
        x[cuda.grid(1)] += 1

    x = cuda.to_device(np.zeros(4, np.int64))
    for turn in range(6):
        one_of_three[1, 4](turn, x, None if turn % 2 else 2.5)
    assert x.copy_to_host().tolist() == [6] * 4


def test_complex_numbers():
    x = cuda.to_device(np.zeros(2, np.complex128))
    for k in range(5):
        value = np.complex64(k + 1j)
        store[1, 2](x, value)
        assert x.copy_to_host().tolist() == [value] * 2


def test_sets_of_arrays_in_turn():
    arrays = [cuda.to_device(np.full(4, 10**k)) for k in range(7)]
    launcher = add[1, 4]
    expected = [10**k for k in range(7)]
    for count in (2, 3, 7):
        for turn in range(20):
            to, by = turn % count, (turn + 1) % count
            launcher(arrays[to], arrays[by])
            expected[to] += expected[by]
    assert [array.copy_to_host()[0] for array in arrays] == expected


def test_arrays_that_come_to_the_place_of_dead_ones():
    launcher = store[1, 8]
    addresses = set()
    for turn in range(40):
        x = cuda.to_device(np.zeros(8 if turn % 2 else 4, np.float64 if turn % 3 else np.float32))
        addresses.add(id(x))
        for _ in range(3):
            launcher(x, turn)
        assert x.copy_to_host().tolist() == [turn] * x.size
        del x
    assert len(addresses) < 40  # else this has tested nothing


def test_views_of_one_array():
    x = cuda.to_device(np.zeros(8))
    left, right = x[:4], x[4:]
    for turn in range(8):
        store[1, 8](left, turn)
        store[1, 8](right, -turn)
    assert x.copy_to_host().tolist() == [7.0] * 4 + [-7.0] * 4


scale = 2


@cuda.jit
def times_scale(x):
    x[0] *= scale


def test_recompiled_kernels(monkeypatch):
    # Of several types, so that no kernel that is gone has its successor in its place in memory.
    arrays = [cuda.to_device(np.ones(1, dtype)) for dtype in (np.float64, np.int32, np.float32)]
    launcher = times_scale[1, 1]
    for x in [*arrays] * 3:
        launcher(x)
    monkeypatch.setitem(globals(), "scale", 10)
    times_scale.recompile()
    for x in [*arrays] * 3:
        launcher(x)
    assert [x.copy_to_host()[0] for x in arrays] == [8 * 1000] * 3


def test_a_reset_between():
    x = cuda.to_device(np.zeros(4))
    launcher = store[1, 4]
    for _ in range(3):
        launcher(x, 1)
    cuda.get_current_device().reset()
    with pytest.raises(errors.CudaAPIError, match="reset"):
        launcher(x, 2)
    y = cuda.to_device(np.zeros(4))
    for value in (3, 4, 5):
        launcher(y, value)
    assert y.copy_to_host().tolist() == [5] * 4


def test_wrong_arguments_after_right_ones():
    x = cuda.to_device(np.zeros(4))
    launcher = store[1, 4]
    for _ in range(3):
        launcher(x, 1)
    with pytest.raises(TypeError, match="takes 2"):
        launcher(x)
    with pytest.raises(TypeError, match="takes 2"):
        launcher(x, 1, 2)
    with pytest.raises(TypeError, match="argument 2"):
        launcher(x, object())
    launcher(x, 2)
    assert x.copy_to_host().tolist() == [2] * 4


def test_defaults_and_further_arguments():
    @cuda.jit
    def store_default(x, value=5):
        x[cuda.grid(1)] = value

    x = cuda.to_device(np.zeros(4))
    for _ in range(3):
        store_default[1, 4](x)
        assert x.copy_to_host().tolist() == [5] * 4
        store_default[1, 4](x, 6)
        assert x.copy_to_host().tolist() == [6] * 4

    @cuda.jit
    def store_count(x, *more):
        x[cuda.grid(1)] = len(more)

    for count in (1, 1, 1, 3, 3, 3, 1):
        store_count[1, 4](x, *range(count))
        assert x.copy_to_host().tolist() == [count] * 4


@cuda.jit
def wait_for(flag):
    while flag[0] == 0:
        cuda.threadfence_system()


def test_memory_is_not_given_to_others_before_launches_have_run():
    """What only repeated launches use is dropped while they are queued, and must not come to another stream."""
    first, second = cuda.stream(), cuda.stream()
    store[32, 32](cuda.device_array(1024), 0.0)  # CUDA may load no kernel while another one waits
    launcher = add[32, 32, first]
    kept = cuda.to_device(np.zeros(1024), stream=first)
    for _ in range(3):
        dropped = cuda.to_device(np.ones(1024), stream=first)
        for _ in range(3):
            launcher(kept, dropped)
        first.synchronize()
        flag = cuda.mapped_array(1, np.int32)
        flag[0] = 0
        wait_for[1, 1, first](flag)
        launcher(kept, dropped)
        del dropped
        with cuda.defer_cleanup():
            pass  # what has been dropped is free now, if nothing uses it
        for _ in range(4):
            store[32, 32, second](cuda.device_array(1024), 1000.0)
        second.synchronize()
        flag[0] = 1
        first.synchronize()
    assert (kept.copy_to_host() == 12).all()


def test_the_kernel_lives_until_its_launches_have_run():
    x = cuda.to_device(np.zeros(64))
    stream = cuda.stream()

    def launch():
        @cuda.jit
        def increase(x):
            x[cuda.grid(1)] += 1

        launcher = increase[2, 32, stream]
        for _ in range(10):
            launcher(x)

    for _ in range(5):
        launch()
        gc.collect()
    stream.synchronize()
    assert (x.copy_to_host() == 50).all()


def test_many_kernels_of_one_array():
    """What is remembered of each does not stay behind in the array's memory."""
    x = cuda.to_device(np.zeros(32))
    for turn in range(40):
        launcher = store[1, 32 if turn % 2 else 16]
        for _ in range(3):
            launcher(x, turn)
    assert x.copy_to_host().tolist() == [39] * 32


def test_threads_share_a_launcher():
    launcher = store[1, 64]
    wrong = []

    def work(number):
        x = cuda.to_device(np.zeros(64))
        for turn in range(100):
            launcher(x, number * 1000 + turn)
            if turn % 10 == 0 and not (x.copy_to_host() == number * 1000 + turn).all():
                wrong.append((number, turn))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
