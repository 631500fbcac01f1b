"""cuda.random under the ten tests of the folder battery, along one state and across many; and bad generators, which
fail."""

import numpy as np
import pytest
from randomness import battery
from scipy import special, stats
from treadle import cuda
from treadle.cuda import random

pytestmark = pytest.mark.deep

LIMIT, CERTAIN = 1e-4, 1e-9
TOP = 1 - 2.0**-24  # the largest float32 below 1
DRAWS = 1 << 20


@cuda.jit
def draw_uniform(states, out):
    i = cuda.grid(1)
    if i < out.shape[1]:
        for k in range(out.shape[0]):
            out[k, i] = random.xoroshiro128p_uniform_float32(states, i)


@cuda.jit
def draw_uniform64(states, out):
    i = cuda.grid(1)
    if i < out.shape[1]:
        for k in range(out.shape[0]):
            out[k, i] = random.xoroshiro128p_uniform_float64(states, i)


@cuda.jit
def draw_normal(states, out):
    i = cuda.grid(1)
    if i < out.shape[1]:
        for k in range(out.shape[0]):
            out[k, i] = random.xoroshiro128p_normal_float32(states, i)


@cuda.jit
def draw_normal64(states, out):
    i = cuda.grid(1)
    if i < out.shape[1]:
        for k in range(out.shape[0]):
            out[k, i] = random.xoroshiro128p_normal_float64(states, i)


KERNELS = {
    "uniform_float32": (draw_uniform, np.float32),
    "uniform_float64": (draw_uniform64, np.float64),
    "normal_float32": (draw_normal, np.float32),
    "normal_float64": (draw_normal64, np.float64),
}


def drawn(kind, states):
    """A function that gives the next numbers: those of all states, then the next of all states."""
    kernel, dtype = KERNELS[kind]
    out = cuda.device_array((DRAWS // states.size, states.size), dtype)

    def more():
        kernel[-(-states.size // 128), 128](states, out)
        return out.copy_to_host().ravel().astype(np.float64)

    return more


def uniforms(kind, states):
    """The numbers as a stream of the battery: normal ones by their distribution function."""
    more = drawn(kind, states)
    if kind.startswith("normal"):
        return battery.Stream(lambda: np.minimum(special.ndtr(more()), TOP))
    return battery.Stream(lambda: np.minimum(more(), TOP))


@pytest.mark.parametrize("count", [1, 1 << 14])
@pytest.mark.parametrize("kind", KERNELS)
def test_numbers_pass(kind, count):
    states = random.create_xoroshiro128p_states(count, seed=20)
    found = battery.p_values(uniforms(kind, states))
    assert battery.suspicious(found, LIMIT) == [], found


@pytest.mark.parametrize("kind", ["normal_float32", "normal_float64"])
def test_normal_numbers(kind):
    """Moments up to the fourth, the whole distribution, and the tails."""
    numbers = drawn(kind, random.create_xoroshiro128p_states(1 << 12, seed=4))()
    count = numbers.size
    assert abs(numbers.mean()) < 4 / count**0.5
    assert abs(numbers.var() - 1) < 4 * (2 / count) ** 0.5
    assert abs((numbers**3).mean()) < 4 * (15 / count) ** 0.5
    assert abs((numbers**4).mean() - 3) < 4 * (96 / count) ** 0.5
    assert stats.kstest(numbers, "norm").pvalue > LIMIT
    assert stats.kstest(numbers * 1.02, "norm").pvalue < CERTAIN
    beyond = (np.abs(numbers) > 4).sum()
    assert LIMIT < stats.poisson.cdf(beyond, count * 2 * special.ndtr(-4.0)) < 1 - LIMIT


def numpy_uniforms(change):
    """Good numbers, spoilt by a function of arrays."""
    generator = np.random.Generator(np.random.PCG64(3))
    return battery.Stream(lambda: change(generator.random(DRAWS)))


def randu():
    """IBM's congruential generator, many steps at once."""
    powers = np.array([pow(65539, k, 1 << 31) for k in range(1, (1 << 16) + 1)], np.int64)
    last = [1]

    def more():
        found = powers * last[0] % (1 << 31)
        last[0] = int(found[-1])
        return found / (1 << 31)

    return battery.Stream(more)


def repeated(x):
    """One number in 50 is the one before it."""
    again = np.flatnonzero(np.arange(x.size) % 50 == 7)
    x[again] = x[again - 1]
    return x


def balanced(x):
    """Each half of 15 numbers is followed by its complement: bits are balanced over 600."""
    pairs = x[: x.size // 30 * 30].reshape(-1, 2, 15)
    pairs[:, 1] = TOP - pairs[:, 0]
    return pairs.ravel()


def unseeded(count):
    """States with small words, as one might set by hand, a number of each."""
    states = np.zeros(count, random.xoroshiro128p_dtype)
    states["s0"] = np.arange(1, count + 1)
    return uniforms("uniform_float32", cuda.to_device(states))


BAD = {
    "RANDU": (randu, {"birthday_spacings", "matrix_rank", "random_walk"}),
    "skewed": (lambda: numpy_uniforms(lambda x: x**1.02), {"gap", "max_of_t", "weight_distribution"}),
    "repeated": (lambda: numpy_uniforms(repeated), {"collision", "simple_poker", "coupon_collector"}),
    "balanced": (lambda: numpy_uniforms(balanced), {"hamming_independence"}),
    "states that are not seeded": (lambda: unseeded(1 << 14), {"birthday_spacings", "matrix_rank", "collision"}),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_numbers_fail(name):
    make, caught = BAD[name]
    found = battery.p_values(make())
    assert caught <= set(battery.suspicious(found, CERTAIN)), found


def test_each_test_of_the_battery_can_fail():
    assert set().union(*(caught for _, caught in BAD.values())) == {test.__name__ for test in battery.TESTS}
