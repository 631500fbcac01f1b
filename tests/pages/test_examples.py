# Every example at a small size, against its NumPy twin or an exact answer.
import sys
from pathlib import Path

import numpy as np
import pytest
import stand_in

pytest.importorskip("scipy", reason="the examples need SciPy: pip install -r examples/requirements.txt")
pytest.importorskip("matplotlib", reason="the examples need matplotlib: pip install -r examples/requirements.txt")

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import attention  # noqa: E402
import black_scholes  # noqa: E402
import dask_cluster  # noqa: E402
import heat  # noqa: E402
import heat_grid_sync  # noqa: E402
import mandelbrot  # noqa: E402
import matmul  # noqa: E402
import nbody  # noqa: E402
import option_monte_carlo  # noqa: E402
import radix_sort  # noqa: E402
import reduction  # noqa: E402
import saxpy  # noqa: E402
import terrain  # noqa: E402


def test_saxpy():
    a, x, y = saxpy.make_input(1000)
    np.testing.assert_allclose(saxpy.saxpy(a, x, y), saxpy.saxpy_numpy(a, x, y), rtol=1e-6)


def test_what_the_processes_of_a_cluster_do():
    """On a cluster: tests/adopters/test_task_libraries.py."""
    x = np.linspace(1, 2, 1000)
    found = dask_cluster.run_partition(dask_cluster.make_kernel(20), x)
    np.testing.assert_allclose(found, dask_cluster.fraction_numpy(x, 20), rtol=1e-13)


def test_mandelbrot_differs_from_numpy_in_a_few_pixels_only():
    steps = mandelbrot.mandelbrot(70, 50, 64)
    expected = mandelbrot.mandelbrot_numpy(70, 50, 64)
    assert len(np.unique(steps)) > 20
    assert np.count_nonzero(steps != expected) <= 0.01 * steps.size


def test_mandelbrot_picture(tmp_path):
    from matplotlib import image

    path = tmp_path / "mandelbrot.png"
    mandelbrot.write_picture(path, mandelbrot.mandelbrot(70, 50, 64), 64)
    assert image.imread(path).shape[:2] == (50, 70)


def test_terrain(tmp_path):
    from matplotlib import image

    heights, cell = terrain.load_terrain()
    assert heights.shape == (344, 403)
    part = np.ascontiguousarray(heights[100:140, 200:230])
    picture = terrain.relief(part, cell, scale=2)
    expected = terrain.relief_numpy(part, cell, scale=2)
    assert picture.std() > 10
    assert np.abs(picture.astype(int) - expected).max() <= 1
    terrain.write_picture(tmp_path / "terrain.png", picture)
    assert image.imread(tmp_path / "terrain.png").shape[:2] == (80, 60)


@pytest.mark.parametrize("count", [256, 300])
def test_nbody_agrees_with_numpy_and_keeps_its_energy(count):
    bodies, velocity = nbody.make_cluster(count)
    moved, faster = nbody.simulate(bodies, velocity, 3)
    np.testing.assert_allclose(moved, nbody.simulate_numpy(bodies, velocity, 3)[0], rtol=1e-4, atol=1e-5)
    before, after = nbody.total_energy(bodies, velocity), nbody.total_energy(moved, faster)
    assert abs(after / before - 1) < 1e-3


def test_black_scholes_against_scipy():
    portfolio = black_scholes.make_portfolio(2000)
    np.testing.assert_allclose(
        black_scholes.price(*portfolio), black_scholes.price_numpy(*portfolio), rtol=0, atol=1e-10
    )


def test_heat_against_the_exact_solution():
    plate = heat.make_plate(40)
    exact = plate * heat.cooling_factor(40) ** 25
    np.testing.assert_allclose(heat.simulate(plate, 25), exact, rtol=0, atol=1e-12)
    np.testing.assert_allclose(heat.simulate_numpy(plate, 25), exact, rtol=0, atol=1e-12)


def test_matmul_of_shapes_that_are_no_multiple_of_the_tile():
    rng = np.random.default_rng(1)
    a, b = rng.random((37, 50), dtype=np.float32), rng.random((50, 21), dtype=np.float32)
    np.testing.assert_allclose(matmul.matmul(a, b), a @ b, rtol=1e-5)


@pytest.mark.parametrize("way", reduction.KERNELS)
@pytest.mark.parametrize("size", [1, 5000])
def test_reduction(size, way):
    x = reduction.make_numbers(size)
    np.testing.assert_allclose(reduction.total(x, way, blocks=3), reduction.total_numpy(x), rtol=1e-5)


@pytest.mark.parametrize("size", [1, 1024, 5000])
def test_radix_sort(size):
    keys = radix_sort.make_keys(size) >> np.uint32(18)
    np.testing.assert_array_equal(radix_sort.sort(keys), radix_sort.sort_numpy(keys))


def test_heat_grid_sync_against_the_exact_solution(monkeypatch):
    size = 12
    if stand_in.is_under_test():  # its machine takes minutes for the threads of the example and the steps of this size
        size = 8
        monkeypatch.setattr(heat_grid_sync, "BLOCKS", 2)
        monkeypatch.setattr(heat_grid_sync, "THREADS", 64)
    plate = heat_grid_sync.make_plate(size)
    found, steps = heat_grid_sync.solve(plate)
    expected, steps_numpy = heat_grid_sync.solve_numpy(plate)
    assert abs(steps - steps_numpy) <= 1
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found, heat_grid_sync.exact_rest(size), rtol=0, atol=1e-7)


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal):
    heads = attention.make_heads(rows=37, heads=2)
    expected = attention.attention_numpy(*heads, causal)
    np.testing.assert_allclose(attention.attention(*heads, causal), expected, rtol=1e-3, atol=1e-4)


def test_option_monte_carlo_against_numpy_and_the_closed_form():
    option = option_monte_carlo.make_option()
    found, error = option_monte_carlo.price(option, generators=1000, paths=40)
    expected = option_monte_carlo.price_numpy(option, generators=1000, paths=40)
    np.testing.assert_allclose((found, error), expected, rtol=1e-9)
    assert abs(found - option_monte_carlo.exact_price(*option)) < 4 * error
