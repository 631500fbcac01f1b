"""cuda.random: states and numbers against a model in NumPy, bit by bit; where states may live; wrong arguments."""

import numpy as np
import pytest
import xoroshiro
from treadle import cuda, float32, float64, uint64, void
from treadle.cuda import random
from treadle.cuda.random import (
    create_xoroshiro128p_states,
    init_xoroshiro128p_state,
    init_xoroshiro128p_states,
    xoroshiro128p_dtype,
    xoroshiro128p_jump,
    xoroshiro128p_next,
    xoroshiro128p_normal_float32,
    xoroshiro128p_normal_float64,
    xoroshiro128p_type,
    xoroshiro128p_uniform_float32,
    xoroshiro128p_uniform_float64,
)

DRAWS = 20


def drawing(function):
    """A kernel that draws the rows of `out` by a function of cuda.random, a column for each state."""

    @cuda.jit
    def draw(states, out):
        i = cuda.grid(1)
        if i < out.shape[1]:
            for k in range(out.shape[0]):
                out[k, i] = function(states, i)

    return draw


def drawn(function, states, dtype, draws=DRAWS):
    """(the numbers, the states afterwards)."""
    device, out = cuda.to_device(states), np.zeros((draws, states.size), dtype)
    drawing(function)[-(-states.size // 64), 64](device, out)
    return out, device.copy_to_host()


# --- arrays of states ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "seed", "start"),
    [
        (1, 0, 0), (2, 1, 0), (7, 42, 3), (8, 42, 0), (9, 42, 1), (63, -1, 0), (64, 2**63, 5), (65, 2**64 - 1, 2),
        (300, 12345, 17), (1030, -(2**63), 0),
    ],
)  # fmt: skip
def test_states_are_those_of_jumps_one_by_one(count, seed, start):
    states = create_xoroshiro128p_states(count, seed, start)
    assert isinstance(states, cuda.DeviceNDArray) and states.dtype == xoroshiro128p_dtype
    np.testing.assert_array_equal(states.copy_to_host(), xoroshiro.states(count, seed, start))


def test_long_runs_of_states():
    """So many states that a thread fills a run of more than 8: single ones against shorter arrays that start there."""
    count = 8 * random._MOST_RUNS + 77
    states = create_xoroshiro128p_states(count, 3)
    for place in (0, 8, 9, 10, 12345, count // 2, count - 1):
        np.testing.assert_array_equal(
            states[place : place + 1].copy_to_host(), create_xoroshiro128p_states(1, 3, place).copy_to_host()
        )
    assert len(np.unique(states.copy_to_host())) == count


def test_states_far_ahead():
    states = create_xoroshiro128p_states(9, 1, 2**64 - 1).copy_to_host()
    generators = xoroshiro.Generators(states[:1])
    for state in states:
        assert state == generators.states[0]
        generators.jump()


@pytest.mark.parametrize("squares", [5, 40, 63])
def test_states_far_ahead_by_a_matrix(squares):
    states = create_xoroshiro128p_states(1, 1, 1 << squares)
    np.testing.assert_array_equal(states.copy_to_host(), jumped_by_squares(1, squares))


def jumped_by_squares(seed, squares):
    """The state after 2^squares jumps, by a matrix of 128 x 128 bits that is squared."""

    def applied(matrix, bits):
        return np.bitwise_xor.reduce(matrix[bits.astype(bool)], axis=0)

    def bits_of(states):
        return np.unpackbits(states.view(np.uint8).reshape(len(states), 16), axis=1, bitorder="little")

    unit = np.packbits(np.eye(128, dtype=np.uint8), axis=1, bitorder="little").view(xoroshiro.DTYPE)[:, 0]
    generators = xoroshiro.Generators(unit)
    generators.jump()
    matrix = bits_of(generators.states)
    for _ in range(squares):
        matrix = np.array([applied(matrix, row) for row in matrix])
    state = np.zeros(1, xoroshiro.DTYPE)
    state["s0"], state["s1"] = xoroshiro.first_state(seed)
    found = applied(matrix, bits_of(state)[0])
    return np.packbits(found, bitorder="little").view(xoroshiro.DTYPE)


def test_states_of_arrays_that_share_a_seed():
    whole = create_xoroshiro128p_states(100, 9).copy_to_host()
    parts = [create_xoroshiro128p_states(30, 9), create_xoroshiro128p_states(70, 9, subsequence_start=30)]
    np.testing.assert_array_equal(np.concatenate([part.copy_to_host() for part in parts]), whole)


def test_states_are_set_in_place():
    states = cuda.device_array(20, xoroshiro128p_dtype)
    assert init_xoroshiro128p_states(states, seed=5, subsequence_start=2) is None
    np.testing.assert_array_equal(states.copy_to_host(), xoroshiro.states(20, 5, 2))
    init_xoroshiro128p_states(states[::2], 6)
    np.testing.assert_array_equal(states[::2].copy_to_host(), xoroshiro.states(10, 6))
    np.testing.assert_array_equal(states[1::2].copy_to_host(), xoroshiro.states(20, 5, 2)[1::2])


def test_states_on_a_stream():
    stream = cuda.stream()
    states = create_xoroshiro128p_states(50, 4, stream=stream)
    out = cuda.device_array((1, 50), np.uint64, stream=stream)
    drawing(xoroshiro128p_next)[1, 64, stream](states, out)
    init_xoroshiro128p_states(states, 8, stream=stream)
    expected = xoroshiro.Generators(xoroshiro.states(50, 4)).next()
    np.testing.assert_array_equal(out.copy_to_host(stream=stream)[0], expected)
    np.testing.assert_array_equal(states.copy_to_host(stream=stream), xoroshiro.states(50, 8))


def test_no_states():
    assert create_xoroshiro128p_states(0, 1).shape == (0,)


def test_numbers_for_seeds():
    """A float counts without its fraction, as in Numba; time.time() is a common seed."""
    expected = xoroshiro.states(2, 1700000000)
    for seed in (1700000000, 1700000000.75, np.int64(1700000000), np.float64(1700000000.2), np.uint32(1700000000)):
        np.testing.assert_array_equal(create_xoroshiro128p_states(2, seed).copy_to_host(), expected)


# --- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 33, 200])
@pytest.mark.parametrize(
    ("function", "model", "dtype"),
    [
        (xoroshiro128p_next, "next", np.uint64),
        (xoroshiro128p_uniform_float32, "uniform32", np.float32),
        (xoroshiro128p_uniform_float64, "uniform64", np.float64),
    ],
    ids=["next", "uniform_float32", "uniform_float64"],
)
def test_bits(function, model, dtype, count):
    states = xoroshiro.any_states(count, count)
    out, after = drawn(function, states, dtype)
    generators = xoroshiro.Generators(states)
    for row in out:
        np.testing.assert_array_equal(row, getattr(generators, model)())
    np.testing.assert_array_equal(after, generators.states)


@pytest.mark.parametrize(
    ("function", "model", "dtype", "bound"),
    [
        (xoroshiro128p_normal_float32, "normal32", np.float32, 2e-6),
        (xoroshiro128p_normal_float64, "normal64", np.float64, 3e-7),
    ],
    ids=["float32", "float64"],
)
def test_normal_numbers_within_the_error_of_logarithm_and_cosine(function, model, dtype, bound):
    states = xoroshiro.any_states(500)
    out, after = drawn(function, states, dtype)
    generators = xoroshiro.Generators(states)
    for row in out:
        np.testing.assert_allclose(row, getattr(generators, model)(), rtol=bound, atol=bound)
    np.testing.assert_array_equal(after, generators.states)


def test_normal_float64_has_a_logarithm_of_float32():
    """One in float64 would differ by more than its rounding."""
    states = xoroshiro.any_states(2000)
    out, _ = drawn(xoroshiro128p_normal_float64, states, np.float64, 1)
    generators = xoroshiro.Generators(states)
    radius, turn = generators.uniform32().astype(np.float64), generators.uniform32().astype(np.float64)
    exact = np.sqrt(-2 * np.log(radius)) * np.cos(2 * np.pi * turn)
    relative = np.abs(out[0] / exact - 1)
    assert 1e-9 < np.median(relative) < 3e-8


def extreme(total):
    """A state whose next number is `total`."""
    state = np.zeros(1, xoroshiro.DTYPE)
    state["s0"], state["s1"] = xoroshiro.word(total - 12345), 12345
    return state


def test_numbers_at_the_ends():
    top = 2**64 - 1
    cases = {0: (0.0, 0.0), 2**11 - 1: (0.0, 0.0), 2**11: (2.0**-53, 2.0**-53), 2**63: (0.5, 0.5)}
    cases |= {top: (1.0, 1 - 2.0**-53), top - 2**39: (1 - 2.0**-24, 1 - 2.0**-25 - 2.0**-53)}
    states = np.concatenate([extreme(total) for total in cases])
    narrow, _ = drawn(xoroshiro128p_uniform_float32, states, np.float32, 1)
    wide, _ = drawn(xoroshiro128p_uniform_float64, states, np.float64, 1)
    assert narrow[0].tolist() == [float32 for float32, _ in cases.values()]
    assert wide[0].tolist() == [float64 for _, float64 in cases.values()]


def test_a_normal_number_of_zero_is_infinite():
    normal, _ = drawn(xoroshiro128p_normal_float32, extreme(0), np.float32, 1)
    assert np.isinf(normal[0, 0])


@cuda.jit
def jump_once(states):
    i = cuda.grid(1)
    if i < states.size:
        xoroshiro128p_jump(states, i)


def test_jumps_in_kernels():
    states = xoroshiro.any_states(70)
    device = cuda.to_device(states)
    jump_once[2, 64](device)
    generators = xoroshiro.Generators(states)
    generators.jump()
    np.testing.assert_array_equal(device.copy_to_host(), generators.states)


@cuda.jit
def seed_each(states, seed):
    i = cuda.grid(1)
    if i < states.size:
        init_xoroshiro128p_state(states, i, seed + i)


@pytest.mark.parametrize("seed", [0, 77, -3, 2**62])
def test_seeds_in_kernels(seed):
    device = cuda.device_array(40, xoroshiro128p_dtype)
    seed_each[2, 32](device, seed)
    expected = [xoroshiro.first_state(seed + i) for i in range(40)]
    assert device.copy_to_host().tolist() == [tuple(map(int, state)) for state in expected]


# --- where states live -----------------------------------------------------------------------------------------------


def one_draw(kernel, states, grid=(2, 32)):
    out = np.zeros(64, np.float32)
    kernel[grid](states, out)
    return out


def expected_draw(seed):
    return xoroshiro.Generators(xoroshiro.states(64, seed)).uniform32()


def test_a_signature_with_states():
    @cuda.jit(void(xoroshiro128p_type[:], float32[:]))
    def draw(states, out):
        i = cuda.grid(1)
        out[i] = cuda.random.xoroshiro128p_uniform_float32(states, i)

    assert (one_draw(draw, create_xoroshiro128p_states(64, 1)) == expected_draw(1)).all()


def test_states_in_local_and_shared_memory():
    @cuda.jit
    def draw(states, out):
        i = cuda.grid(1)
        tid = cuda.threadIdx.x
        block = cuda.shared.array(32, xoroshiro128p_dtype)
        mine = cuda.local.array(2, xoroshiro128p_type)
        block[tid] = states[i]
        mine[1] = states[i]
        here = random.xoroshiro128p_uniform_float32(block, tid)
        there = random.xoroshiro128p_uniform_float32(mine, 1)
        out[i] = here if here == there else float32(-1)

    assert (one_draw(draw, create_xoroshiro128p_states(64, 2)) == expected_draw(2)).all()


def test_states_within_records():
    particle = np.dtype([("at", "f4"), ("generators", xoroshiro128p_dtype, (2,))], align=True)

    @cuda.jit
    def draw(particles, out):
        i = cuda.grid(1)
        out[i] = xoroshiro128p_uniform_float32(particles[i].generators, 1)

    particles = np.zeros(64, particle)
    particles["generators"][:, 1] = xoroshiro.states(64, 3)
    assert (one_draw(draw, cuda.to_device(particles)) == expected_draw(3)).all()


def test_host_arrays_of_states():
    states = xoroshiro.states(64, 4)
    out = one_draw(drawing_one, states)
    generators = xoroshiro.Generators(xoroshiro.states(64, 4))
    assert (out == generators.uniform32()).all()
    np.testing.assert_array_equal(states, generators.states)


@cuda.jit
def drawing_one(states, out):
    i = cuda.grid(1)
    out[i] = xoroshiro128p_uniform_float32(states, i)


def test_kernels_by_the_other_rules():
    @cuda.jit(rules="cuda-python")
    def draw(states, out):
        i = cuda.grid(1)
        out[i] = xoroshiro128p_uniform_float32(states, i)

    assert (one_draw(draw, create_xoroshiro128p_states(64, 5)) == expected_draw(5)).all()


def test_types_of_the_functions():
    array = xoroshiro128p_type[::1]
    for function, result in [
        (xoroshiro128p_next, uint64),
        (xoroshiro128p_uniform_float32, float32),
        (xoroshiro128p_uniform_float64, float64),
        (xoroshiro128p_normal_float32, float32),
        (xoroshiro128p_normal_float64, float64),
    ]:
        assert function.compile_device((array, cuda.int64)).signature.return_type == result, function


# --- wrong arguments -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((-1, 1), ValueError, "-1"),
        ((4, "one"), TypeError, "seed must be an integer, found 'one'"),
        ((4, None), TypeError, "seed must be an integer, found None"),
        ((4, float("nan")), TypeError, "seed must be an integer, found nan"),
        ((4, 2**64), OverflowError, r"seed must be from -9223372036854775808 to 2\*\*64 - 1, found 18446744"),
        ((4, -(2**63) - 1), ValueError, "seed must be from"),
        ((4, 1, -1), ValueError, r"subsequence_start must be from 0 to 2\*\*64 - 1, found -1"),
        ((4, 1, 2**64), OverflowError, "subsequence_start"),
        ((4, 1, [0]), TypeError, r"subsequence_start must be an integer, found \[0\]"),
    ],
    ids=str,
)  # fmt: skip
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        create_xoroshiro128p_states(*arguments)


def test_wrong_arrays_of_states():
    with pytest.raises(TypeError, match="states must be an array of xoroshiro128p_dtype, found float64"):
        init_xoroshiro128p_states(cuda.device_array(3), 1)
    with pytest.raises(TypeError, match="states must be an array of xoroshiro128p_dtype, found list"):
        init_xoroshiro128p_states([1, 2], 1)
    with pytest.raises(ValueError, match=r"states must be an array of one dimension, found shape \(2, 3\)"):
        init_xoroshiro128p_states(cuda.device_array((2, 3), xoroshiro128p_dtype), 1)
