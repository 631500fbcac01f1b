"""Example programs of particles, clusters, a fractal, images and sorting: the results of NumPy and of Python."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def examples(program):
    return program("models_and_images")


def grid_of_particles(n, seed):
    places = np.stack(np.meshgrid(*3 * [np.arange(n)], indexing="ij"), axis=-1).reshape(-1, 3)
    return 1.3 * places + np.random.default_rng(seed).normal(0, 0.1, places.shape)


@pytest.mark.parametrize("n, seed", [(2, 0), (3, 1), (4, 2)])
def test_energy(examples, n, seed):
    places = grid_of_particles(n, seed)
    np.testing.assert_allclose(examples.energy_on_device(places), examples.energy(places), rtol=1e-12)


@pytest.mark.parametrize("n, seed", [(2, 0), (3, 1)])
def test_forces(examples, n, seed):
    places = grid_of_particles(n, seed)
    out = np.empty_like(places)
    examples.forces[2, 16](places, out)
    wanted = examples.forces_by_differences(places)
    np.testing.assert_allclose(out, wanted, rtol=0, atol=1e-7 * np.abs(wanted).max())


@pytest.mark.parametrize("n, seed", [(32, 0), (77, 1), (5, 2)])
def test_vortices(examples, n, seed):
    random = np.random.default_rng(seed)
    vortices = examples.Vortices(random.normal(size=(n, 2)), random.uniform(-1, 1, n))
    strengths, wanted = vortices.state[:, 2].copy(), vortices.moved_on_host(5)
    vortices.move(5)
    np.testing.assert_allclose(vortices.state[:, :2], wanted, rtol=0, atol=2e-5)
    assert (vortices.state[:, 2] == strengths).all()
    assert vortices.seconds > 0


@pytest.mark.parametrize("n, k, dims", [(300, 4, 2), (129, 7, 3)])
@pytest.mark.parametrize("seed", [0, 1])
def test_clusters(examples, n, k, dims, seed):
    random = np.random.default_rng(seed)
    points = random.normal(size=(n, dims)) + 4 * random.integers(0, 3, (n, dims))
    starts = points[random.choice(n, k, replace=False)]
    found, wanted = (f(points, starts) for f in (examples.clusters, examples.clusters_numpy))
    assert (found[0] == wanted[0]).all()
    assert (found[1] == wanted[1]).all()  # medians are coordinates of points
    np.testing.assert_allclose(found[2], wanted[2], rtol=1e-12)
    assert found[3] == wanted[3] > 2


@pytest.mark.parametrize("rows, columns, pixel", [(20, 30, 0.11), (37, 70, 0.043)])
def test_basins(examples, rows, columns, pixel):
    left, top = -1.51, 1.02
    x, y = left + pixel * np.arange(columns), top - pixel * np.arange(rows)
    found = examples.basins(rows, columns, left, top, pixel)
    wanted = np.array([[examples.newton(float(a), float(b), 40) for a in x] for b in y])
    assert set(np.unique(found % 3)) == {0, 1, 2}
    assert (found != wanted).mean() < 0.01  # between the basins rounding decides
    steps = examples.steps_to_root(x + 1j * y[:, None], 40)
    assert (np.abs(steps - wanted // 3) > 1).mean() < 0.01  # what is near a root is measured in another way


@pytest.mark.parametrize("shape", [(16, 24), (33, 17), (3, 2)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_smoothing(examples, shape, dtype):
    image = np.random.default_rng(sum(shape)).integers(0, 256, (*shape, 3)).astype(dtype)
    found = examples.smoothed(image, 30.0)
    assert found.dtype == dtype
    assert np.abs(found - examples.smoothed_numpy(image, 30.0)).max() < 0.5 + 1e-9  # it is rounded


@pytest.mark.parametrize("shape", [(16, 24), (33, 17), (3, 2)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_relief(examples, shape, dtype):
    image = np.random.default_rng(sum(shape)).integers(0, 256, (*shape, 3)).astype(dtype)
    assert (examples.relief_on_device(image) == examples.relief_numpy(image)).all()


@pytest.mark.parametrize("dtype", [np.int32, np.float64, np.uint8])
@pytest.mark.parametrize("shape, threads", [((3, 40), 32), ((2, 33), 8), ((1, 1), 4), ((2, 128), 64)])
def test_sorted_rows(examples, shape, threads, dtype):
    table = np.random.default_rng(0).integers(0, 200, shape).astype(dtype)
    found = table.copy()
    examples.sort_rows[shape[0], threads](found)
    assert (found == np.sort(table)).all()
