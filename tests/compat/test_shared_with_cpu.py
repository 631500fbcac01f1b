"""Kernels that call functions under numba.jit: what those functions give on the CPU, compiled by Numba."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def examples(program):
    return program("shared_with_cpu")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n, sectors", [(1000, 64), (333, 7)])
def test_directions(examples, dtype, n, sectors):
    arrows = np.random.default_rng(sectors).normal(0, 1000, (n, 2)).astype(dtype)
    arrows[::50], arrows[1] = 0, (-3, 0)
    found, wanted = examples.directions(arrows, sectors), examples.directions_on_cpu(arrows, sectors)
    assert (found[0] == wanted[0]).all()
    assert found[0].sum() == n - len(arrows[::50])  # null vectors have no direction
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-15)


def test_energy(examples):
    places, energy = np.random.default_rng(1).uniform(0, 5, (50, 3)), np.zeros(1)
    examples.energy_on_device[1, 64](places, energy)
    np.testing.assert_allclose(energy[0], examples.energy_on_cpu(places), rtol=1e-12)


@pytest.mark.parametrize("dtype, rtol", [(np.float64, 1e-13), (np.float32, 1e-5)])
def test_functions_of_elements(examples, dtype, rtol):
    north, other_north = np.random.default_rng(2).uniform(-1.5, 1.5, (2, 30)).astype(dtype)
    east, other_east = np.random.default_rng(3).uniform(-3, 3, (2, 30)).astype(dtype)
    places = north, east, other_north, other_east
    found, wanted = examples.arc_on_device(*places), examples.arc_on_cpu(*places)
    assert found.dtype == wanted.dtype == dtype
    np.testing.assert_allclose(found, wanted, rtol)


def test_burning_ship(examples):
    found, wanted = np.zeros((40, 60), np.uint8), np.zeros((40, 60), np.uint8)
    examples.draw[(3, 4), (16, 16)]((-0.45, -0.5), 2.6, found, 30)
    examples.draw_on_cpu((-0.45, -0.5), 2.6, wanted, 30)
    assert (found != wanted).mean() < 0.01  # at the border of the set rounding decides
    assert len(np.unique(found)) > 5
