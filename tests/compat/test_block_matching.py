"""Depth and motion by comparing parts of pictures, in several ways of writing: as by NumPy, and as they were made."""

import numpy as np
import pytest

SHAPES = [(8, 8), (16, 40), (21, 30)]


@pytest.fixture(scope="module")
def matching(program):
    return program("block_matching")


def noise(shape, dtype=np.uint8, seed=0, shades=256):
    return np.random.default_rng(seed).integers(0, shades, shape).astype(dtype)


def moved(shape, motion, dtype=np.uint8, seed=0, shades=256):
    """Two frames cut from one picture: what is at a place of the first is in the second at that place plus motion."""
    down, aside = motion
    picture = noise((shape[0] + 10, shape[1] + 10), dtype, seed, shades)
    return [picture[a : a + shape[0], b : b + shape[1]].copy() for a, b in ((5 + down, 5 + aside), (5, 5))]


@pytest.mark.parametrize("measure", ["differing", "unlike"])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("shape, radius, shades", [((9, 14), 0, 256), ((12, 21), 1, 4), ((17, 7), 2, 256)])
def test_pixels(matching, shape, radius, shades, dtype, measure):
    """All sums are whole numbers, hence exact in any order. With four shades many candidates are equal."""
    frame, former = moved(shape, (1, -2), dtype, shades=shades)
    measure, moves = getattr(matching, measure), matching.moves_within(2)
    wanted = matching.costs_numpy(frame, former, moves, radius, measure)
    found = matching.costs_for_pixels(frame, former, moves, radius, measure)
    np.testing.assert_allclose(found, wanted, rtol=1e-15)
    best = matching.best_for_pixels(frame, former, moves, radius, measure)
    np.testing.assert_array_equal(best, found.argmin(2))
    if radius == 2:
        assert (moves[best[4:-4, 4:]] == (1, -2)).all(2).mean() > 0.7


def test_correlation_sees_through_other_light(matching):
    """A window that is brighter and of more contrast correlates fully, which differences do not show."""
    frame, former = moved((16, 20), (0, 2), shades=100)
    moves = matching.moves_within(2)
    found = matching.costs_for_pixels(frame, 2 * former + 30, moves, 1, matching.unlike)
    right = [n for n, move in enumerate(moves) if tuple(move) == (0, 2)]
    np.testing.assert_allclose(found[1:-1, 1:-3, right], -1, rtol=1e-14)
    assert (found[1:-1, 1:-3].argmin(2) == right).all()
    even = np.full((16, 20), 7, np.uint8)
    assert set(matching.costs_for_pixels(even, former, moves, 1, matching.unlike).flat) == {0, np.inf}


@pytest.mark.parametrize("measure", ["differing", "unlike"])
@pytest.mark.parametrize("slack", [0, 1])
def test_disparities(matching, measure, slack):
    """A near square before a far wall, with some noise of the right eye."""
    measure = getattr(matching, measure)
    wall, square = noise((24, 50), shades=250), noise((10, 12), seed=1)
    left, right = wall[:, :40].copy(), wall[:, 2:42] + noise((24, 40), seed=2, shades=3)
    left[6:16, 20:32] = square
    right[6:16, 14:26] = square
    from_left, from_right, agreed = matching.disparities(left, right, 8, 2, measure, slack)
    costs = [
        matching.costs_numpy(*eyes, matching.moves_aside(8, toward), 2, measure)
        for eyes, toward in (((left, right), -1), ((right, left), 1))
    ]
    np.testing.assert_array_equal(from_left, costs[0].argmin(2))
    np.testing.assert_array_equal(from_right, costs[1].argmin(2))
    there = np.arange(40) - from_left
    same = (there >= 0) & (abs(np.take_along_axis(from_right, there.clip(0), 1) - from_left) <= slack)
    np.testing.assert_array_equal(agreed, np.where(same, from_left, matching.UNKNOWN))
    assert (agreed[8:14, 22:30] == 6).all() and (agreed[18:, 6:36] == 2).all()
    assert (agreed[6:16, 14:20] == matching.UNKNOWN).mean() > 0.5  # the square hides this part of the wall from one eye


def test_between_candidates(matching):
    """The vertex of a parabola, except at the ends and beside a candidate that leaves the picture."""
    n, vertex = np.arange(7.0), np.random.default_rng(3).uniform(0.5, 5.5, (9, 11))
    costs = 3 * (n - vertex[..., None]) ** 2 + 1
    costs[4, :, :] = n
    costs[5, :, 0], costs[5, :, 1:] = np.inf, n[1:]
    costs[6, :, :] = 8
    wanted = vertex.copy()
    wanted[4], wanted[5], wanted[6] = 0, 1, 0
    np.testing.assert_allclose(matching.finer(costs), wanted, rtol=1e-12)


@pytest.mark.parametrize("way", ["alone", "team", "candidates"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16])
@pytest.mark.parametrize("motion, shades", [((0, 0), 2), ((2, -3), 256), ((-1, 3), 3)])
@pytest.mark.parametrize("shape", SHAPES)
def test_macroblocks(matching, shape, motion, shades, dtype, way):
    frame, former = moved(shape, motion, dtype, shades=shades)
    moves = matching.moves_within(3)
    costs = matching.block_costs_numpy(frame, former, moves)
    motions, least = matching.search(way, frame, former, 3)
    np.testing.assert_array_equal(least, costs.min(1))
    np.testing.assert_array_equal(motions, moves[costs.argmin(1)])
    again = matching.rebuilt(former, motions)
    assert abs(again.astype(int) - frame).sum() == least.sum()
    staying = costs[:, (moves == motion).all(1).argmax()] < matching.FAR  # where the true motion is among those tried
    assert not least[staying].any() and staying.any() == (shape[1] > 8 or motion == (0, 0))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("smooth", [True, False])
def test_walks(matching, shape, smooth):
    """In a smooth picture they lead down to the motion, in noise to any place whose neighbours are worse."""
    frame, former = moved(shape, (2, 2), np.int16)
    if smooth:
        i, j = np.indices((shape[0] + 2, shape[1] + 2))
        picture = (100 * np.sin(i / 6) + 80 * np.cos(j / 7)).astype(np.int16)
        frame, former = picture[2:, 2:].copy(), picture[:-2, :-2].copy()
    ends, least = matching.walks(frame, former, 3)
    wanted = matching.walks_numpy(frame, former, 3)
    np.testing.assert_array_equal(ends, wanted[0])
    np.testing.assert_array_equal(least, wanted[1])
    if smooth and shape[1] > 8:
        assert (ends == 2).all(1).any()


def test_brightness(matching):
    red, green, blue = (noise((30, 7), seed=seed) for seed in range(3))
    found = matching.brightness(red, green, blue)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, (2 * red.astype(int) + 5 * green.astype(int) + blue) // 8)
