"""Example programs of voices, options, directions and densities: the results of NumPy."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def examples(program):
    return program("estimates")


@pytest.mark.parametrize("dtype", [np.int16, np.float32, np.float64])
def test_soft_knee(examples, dtype):
    waves = np.random.default_rng(0).normal(0, 40, (7, 300)).astype(dtype)
    found = examples.soft_knee(waves, dtype(30))
    assert found.dtype == np.float64  # what a number of the wave and a float64 have in common
    np.testing.assert_allclose(found, examples.soft_knee_numpy(waves, dtype(30)), rtol=1e-15)
    from_device = examples.soft_knee(examples.cuda.to_device(waves), dtype(30))
    assert (from_device.copy_to_host() == found).all()


@pytest.mark.parametrize("name", ["triangle", "pulse", "bell"])
@pytest.mark.parametrize("voices, samples", [(1, 500), (7, 33)])
def test_voices(examples, name, voices, samples):
    voices = np.random.default_rng(samples).uniform(0, 1, (voices, 3)) * [0.1, 4, 1]
    found = examples.synthesised(voices, samples, name)
    np.testing.assert_allclose(found, examples.synthesised_numpy(voices, samples, name), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.int16, np.float64])
@pytest.mark.parametrize("level, kinds", [(0, {2}), (45, {0, 1, 2}), (1000, {0})])
def test_crossings(examples, dtype, level, kinds):
    waves = np.random.default_rng(level).normal(0, 25, (70, 61)).astype(dtype)
    (found, ends), (wanted, wanted_ends) = (f(waves, level) for f in (examples.crossings, examples.crossings_numpy))
    assert ends.tolist() == wanted_ends
    assert set(wanted_ends) == kinds
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


def market(n, dtype=np.float64, seed=0):
    """Prices of shares, strikes, years."""
    random = np.random.default_rng(seed)
    return tuple(random.uniform(*span, n).astype(dtype) for span in ((18, 80), (25, 60), (0.1, 4)))


@pytest.mark.parametrize("n", [1, 96, 1001])
@pytest.mark.parametrize("dtype, atol", [(np.float64, 1e-11), (np.float32, 1e-4)])
def test_barrier_options(examples, n, dtype, atol):
    terms = (*market(n, dtype, seed=n), 22.0, 0.03, 0.35)
    for found, wanted in zip(examples.barrier_options(*terms), examples.barrier_options_numpy(*terms)):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, wanted, rtol=atol, atol=atol)


@pytest.mark.parametrize("dtype, atol", [(np.float64, 1e-13), (np.float32, 1e-5)])
def test_digital_options(examples, dtype, atol):
    spot, strike, years = (each.reshape(60, 5) for each in market(300, dtype))
    found = examples.digital_call(spot, strike, years, dtype(0.03), dtype(0.3))
    assert found.dtype == dtype
    wanted, _ = examples.digital_options_numpy(spot, strike, years, 0.03, 0.3)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=atol)


def test_portfolios(examples):
    terms = tuple(each.reshape(6, 5) for each in market(30))
    rates = np.linspace(0.01, 0.06, 6)
    call, put, total = examples.digital_portfolio(*terms, rates, 0.3)
    calls, puts = examples.digital_options_numpy(*terms, rates[:, None], 0.3)
    np.testing.assert_allclose(call, calls, atol=1e-14)
    np.testing.assert_allclose(put, puts, atol=1e-14)
    np.testing.assert_allclose(total, (calls - puts).sum(1), atol=1e-13)


def test_barriers_far_away(examples):
    """Such calls are worth what calls without a barrier are: the mean over the final prices."""
    spot, strike, years = np.full(5, 50.0), np.linspace(30, 70, 5), np.linspace(0.5, 3, 5)
    prices, chances = examples.barrier_options(spot, strike, years, 1e-3, 0.02, 0.25)
    z = np.linspace(-9, 9, 20001)
    weights = np.exp(-(z**2) / 2)
    ends = 50 * np.exp((0.02 - 0.25**2 / 2) * years[:, None] + 0.25 * np.sqrt(years[:, None]) * z)
    paid = np.maximum(ends - strike[:, None], 0) @ weights / weights.sum() * np.exp(-0.02 * years)
    np.testing.assert_allclose(prices, paid, rtol=1e-5)
    np.testing.assert_allclose(chances, 1, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize("n, sectors", [(1000, 64), (333, 7), (513, 100)])
@pytest.mark.parametrize("in_blocks", [False, True])
def test_directions(examples, dtype, n, sectors, in_blocks):
    random = np.random.default_rng(sectors)
    arrows = random.normal(0, 1000, (n, 2)).astype(dtype)
    arrows[::50], arrows[1] = 0, (-3, 0)  # null vectors, and one on the border where a turn ends
    weights = random.integers(-5, 100, n).astype(np.int32)
    rose, ends, turns = examples.directions(arrows, weights, sectors, in_blocks)
    dx, dy = arrows.T.astype(np.float64)
    places = (sectors * (np.arctan2(dy, dx) / (2 * np.pi) + 0.5)).astype(int) % sectors
    present = (dx != 0) | (dy != 0)
    assert (rose == np.bincount(places[present], weights[present], sectors)).all()
    assert ends.tolist() == [weights.min(), weights.max()]
    assert turns == n % 8


@pytest.mark.parametrize("name", ["tricube", "logistic"])
@pytest.mark.parametrize("dims", [1, 3])
@pytest.mark.parametrize("dtype, rtol", [(np.float64, 1e-6), (np.float32, 1e-4)])
def test_density(examples, name, dims, dtype, rtol):
    random = np.random.default_rng(dims)
    places, points = random.normal(size=(2, 90, dims)).astype(dtype)
    reach = np.linspace(0.5, 1.9, 90)
    found = examples.density(places, points, reach, name)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, examples.density_numpy(places, points, reach, name), rtol, atol=1e-7)
