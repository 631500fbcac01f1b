"""Time warping with a smooth minimum: distances and gradients as by loops, by all paths, by small differences."""

import numpy as np
import pytest

SIZES = [(1, 1), (1, 6), (8, 8), (33, 20), (12, 45), (70, 71)]


@pytest.fixture(scope="module")
def warp(program):
    return program("time_warp")


def series(sizes, dtype=np.float64, pairs=2):
    random = np.random.default_rng(sizes[0])
    return [random.uniform(-1, 1, (pairs, n, 3)).astype(dtype) for n in sizes]


def costs(sizes, dtype=np.float64, pairs=2):
    x, y = series(sizes, dtype, pairs)
    return ((x[:, :, None] - y[:, None]) ** 2).sum(3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [(1, 1), (9, 5), (4, 17)])
def test_costs(warp, sizes, dtype):
    found = warp.costs_of(*series(sizes, dtype, pairs=3))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, costs(sizes, dtype, pairs=3), rtol=20 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-11), (np.float32, 1e-4)])
@pytest.mark.parametrize("temperature, band", [(1.0, None), (0.05, None), (0.5, 3), (2, 1)])
@pytest.mark.parametrize("sizes", SIZES)
def test_distances_and_gradients(warp, sizes, temperature, band, dtype, tolerance):
    given = costs(sizes, dtype)
    tables = np.array([warp.table(c.astype(np.float64), temperature, band) for c in given])
    reached, shares = warp.forward(given, temperature, band)
    assert reached.dtype == shares.dtype == dtype
    np.testing.assert_allclose(reached[:, 1:, 1:], tables, tolerance, tolerance)
    np.testing.assert_allclose(warp.distances(given, temperature, band), tables[:, -1, -1], tolerance, tolerance)
    factors = np.array([1, -2], dtype)
    found = warp.backward(shares, factors)
    wanted = [f * warp.passing(c, temperature, band) for f, c in zip(factors, given)]
    np.testing.assert_allclose(found, wanted, atol=10 * tolerance)


def test_shares_are_probabilities(warp):
    """Of each cell but the first they sum to 1; in the first row all paths come from the left."""
    _, shares = warp.forward(costs((6, 9)), 0.3)
    np.testing.assert_allclose(shares[:, :-1, :-1].sum(3), 1, rtol=1e-14)
    assert (shares[:, 0, 1:-1] == (0, 1, 0)).all() and (shares[:, 1:-1, 0] == (1, 0, 0)).all()
    assert not shares[:, -1].any() and not shares[:, :, -1].any()


def test_every_diagonal_has_what_a_path_must_pass(warp):
    """A path goes through each diagonal, or steps over it from the one before to the one after."""
    given = costs((10, 7))
    _, shares = warp.forward(given, 0.2)
    through = warp.backward(shares, np.ones(2))
    over = through * shares[:, :-1, :-1, 2]
    for pair in range(2):
        on, past = (sums(a[pair]) for a in (through, over))
        np.testing.assert_allclose(on + np.append(past[1:], 0), 1, rtol=1e-13)


def sums(table):
    """The sums along the anti-diagonals."""
    return np.array([np.fliplr(table).trace(table.shape[1] - 1 - d) for d in range(sum(table.shape) - 1)])


@pytest.mark.parametrize("band", [None, 1])
@pytest.mark.parametrize("sizes", [(1, 4), (4, 4), (3, 5)])
def test_all_paths(warp, sizes, band):
    """The definition: the smooth minimum over all paths, counted one by one."""
    given, temperature = costs(sizes, pairs=1), 0.7
    inside = [np.isfinite(row) for row in warp.table(given[0], temperature, band)]
    found = [path for path in paths(sizes[0] - 1, sizes[1] - 1) if all(inside[i][j] for i, j in path)]
    weights = np.exp([-sum(given[0][cell] for cell in path) / temperature for path in found])
    wanted = np.zeros(sizes)
    for weight, path in zip(weights / weights.sum(), found):
        for cell in path:
            wanted[cell] += weight
    np.testing.assert_allclose(warp.distances(given, temperature, band), -temperature * np.log(weights.sum()))
    _, shares = warp.forward(given, temperature, band)
    np.testing.assert_allclose(warp.backward(shares, np.ones(1))[0], wanted, rtol=1e-12, atol=1e-14)


def paths(i, j):
    """All ways from the cell (0, 0) to (i, j)."""
    if i == j == 0:
        return [[(0, 0)]]
    before = [(a, b) for a, b in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if a >= 0 and b >= 0]
    return [[*path, (i, j)] for cell in before for path in paths(*cell)]


@pytest.mark.parametrize("band", [None, 2])
def test_small_differences(warp, band):
    """The gradient is the slope of the distance, of the kernel that has no tables, too."""
    given, width = costs((7, 5), pairs=1), 1e-5
    _, shares = warp.forward(given, 0.4, band)
    gradient = warp.backward(shares, np.ones(1))[0]
    steps = np.eye(35).reshape(35, 7, 5) * width
    rises = warp.distances(given + steps, 0.4, band) - warp.distances(given - steps, 0.4, band)
    np.testing.assert_allclose(rises.reshape(7, 5) / (2 * width), gradient, atol=1e-8)


def test_more_rows_than_threads_of_a_block(warp):
    given = costs((130, 40), pairs=1)
    np.testing.assert_allclose(warp.distances(given, 0.5, 4)[0], warp.table(given[0], 0.5, 4)[-1, -1], rtol=1e-12)


def test_a_low_temperature_gives_the_cheapest_path(warp):
    given = costs((9, 11), pairs=1)
    cheapest = np.full((10, 12), np.inf)
    cheapest[0, 0] = 0
    for i, j in np.ndindex(9, 11):
        cheapest[i + 1, j + 1] = given[0, i, j] + min(cheapest[i, j + 1], cheapest[i + 1, j], cheapest[i, j])
    np.testing.assert_allclose(warp.distances(given, 1e-9)[0], cheapest[-1, -1], rtol=1e-7)
    _, shares = warp.forward(given, 1e-9)
    through = warp.backward(shares, np.ones(1))
    assert set(through.round(12).flat) == {0, 1} and abs((through * given).sum() - cheapest[-1, -1]) < 1e-12
