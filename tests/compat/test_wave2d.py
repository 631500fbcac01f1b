"""Waves on water, in several ways of writing: as by NumPy, as standing waves go, and with the energy that stays."""

import numpy as np
import pytest

KINDS = ["five", "nine", 2, 3]


@pytest.fixture(scope="module")
def waves(program):
    return program("wave2d")


def beginning(waves, shape, kind, dtype=np.float64):
    edge = kind if isinstance(kind, int) else 1
    return waves.hump(shape, (shape[0] / 2, shape[1] / 3), 3, edge).astype(dtype)


@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-13), (np.float32, 2e-5)])
@pytest.mark.parametrize("shape", [(7, 9), (32, 18), (21, 45)])
@pytest.mark.parametrize("kind", KINDS)
def test_fields(waves, kind, shape, dtype, tolerance):
    """With sources, of which two push at the same place, and a sponge."""
    start = beginning(waves, shape, kind, dtype)
    basin = waves.water(shape, dtype, sponge=4)
    forces = np.random.default_rng(1).normal(0, 0.1, (3, 15)).astype(dtype)
    sources = np.array([[3, 3], [3, 5], [3, 3]]), forces
    found = waves.run(kind, start, basin, 15, sources)
    assert found[1].dtype == dtype
    np.testing.assert_allclose(found, waves.run_numpy(kind, start, basin, 15, sources)[-2:], atol=tolerance)


@pytest.mark.parametrize("shape", [(3, 3), (8, 18), (20, 33)])
@pytest.mark.parametrize("steps", [0, 1, 8])
def test_fields_over_those_before(waves, shape, steps):
    start, basin = beginning(waves, shape, "nine"), waves.water(shape, sponge=3)
    found = waves.run_over_itself(start, basin, steps)
    np.testing.assert_array_equal(found, waves.run("nine", start, basin, steps))


@pytest.mark.parametrize("kind", ["five", "nine"])
@pytest.mark.parametrize("shape, humps", [((9, 9), (1, 1)), ((14, 31), (3, 5)), ((24, 10), (22, 8))])
def test_standing_waves(waves, kind, shape, humps):
    basin = np.full(shape, 0.23), np.zeros(shape)
    start, wanted = waves.standing(shape, humps, 0.23, kind, 40)
    np.testing.assert_allclose(waves.run(kind, start, basin, 40)[1], wanted, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_energy(waves, kind):
    """It stays over uneven ground, and a sponge takes most of it away, never giving back."""
    shape = (26, 30)
    start, basin = beginning(waves, shape, kind), waves.water(shape)
    first = waves.energy(start, start, basin[0], kind)
    for steps in (1, 20, 60):
        assert waves.energy(*waves.run(kind, start, basin, steps), basin[0], kind) == pytest.approx(first, rel=1e-12)
    soft = waves.water(shape, sponge=10)
    left = [waves.energy(*waves.run(kind, start, soft, steps), soft[0], kind) for steps in (0, 20, 40, 120)]
    assert left == sorted(left, reverse=True) and left[-1] < 0.05 * first


@pytest.mark.parametrize("reach", [1, 2, 3, 4])
def test_weights_of_arms(waves, reach):
    """Exact for powers of the place, and for one point on each side the common 1, -2, 1."""
    weights = waves.arm_weights(reach)
    n = np.arange(-reach, reach + 1.0)
    both = np.concatenate((weights[:0:-1], weights))
    sums = [(both * n**power).sum() for power in range(2 * reach + 2)]
    np.testing.assert_allclose(sums, [2 * (power == 2) for power in range(2 * reach + 2)], atol=1e-11)


@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-13), (np.float32, 1e-5)])
@pytest.mark.parametrize("shots", [1, 5])
def test_shots(waves, shots, dtype, tolerance):
    shape, force = (15, 22), waves.pulse(24, 6).astype(dtype)
    basin = waves.water(shape, dtype, sponge=4, seed=2)
    places = np.column_stack((np.arange(3, 3 + shots), np.arange(5, 5 + 3 * shots, 3)))
    ears = np.array([[1, 1], [7, 11], [13, 20], [3, 5]])
    found = waves.shoot(basin, places, force, ears)
    for place, heard in zip(places, found):
        fields = waves.run_numpy("five", np.zeros(shape), basin, 24, (place[None], force[None]))
        np.testing.assert_allclose(heard, fields[2:, ears[:, 0], ears[:, 1]].T, atol=tolerance)


def test_shots_and_ears_change_places(waves):
    """What comes from a to b comes from b to a, weighted by the square of the speed."""
    p, q = waves.water((16, 19), seed=3)
    points = np.array([[3, 4], [12, 13], [8, 2], [5, 15]])
    found = waves.shoot((p, q), points, waves.pulse(40, 5), points)
    weighted = found * p[points[:, 0], points[:, 1]][:, None, None]
    np.testing.assert_allclose(weighted, weighted.swapaxes(0, 1), atol=1e-14)
    assert (abs(found).max(2) > 1e-3).all()


@pytest.mark.parametrize("slots, steps", [(3, 0), (3, 7), (5, 12), (8, 4)])
def test_ring(waves, slots, steps):
    shape = (13, 20)
    start, basin = beginning(waves, shape, "five"), waves.water(shape, sponge=3)
    wanted = waves.run_numpy("five", start, basin, steps)
    wanted = np.concatenate((np.repeat(start[None], slots, axis=0), wanted[2:]))[-slots:]
    np.testing.assert_allclose(waves.run_in_ring(start, basin, steps, slots), wanted, atol=1e-14)


def test_drums(waves):
    """Each drum has its tension; the first one's tone is a single standing wave."""
    side, p = waves.DRUM, np.array([0.2, 0.1, 0.24])
    starts = np.stack([waves.standing((side, side), humps, 0.2, "five", 0)[0] for humps in [(1, 1), (3, 1), (1, 5)]])
    starts[1] += waves.hump((side, side), (4, 6), 2)
    found = waves.drum_centers(starts, p, 30)
    for start, tension, centers in zip(starts, p, found):
        basin = np.full((side, side), tension), np.zeros((side, side))
        fields = waves.run_numpy("five", start, basin, 30)
        np.testing.assert_allclose(centers, fields[2:, side // 2, side // 2], atol=1e-13)
    tone = [waves.standing((side, side), (1, 1), 0.2, "five", step)[1][5, 5] for step in range(1, 31)]
    np.testing.assert_allclose(found[0], tone, atol=1e-13)
