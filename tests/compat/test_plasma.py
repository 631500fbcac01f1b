"""A plasma on a grid, as arrays and as records: the results of NumPy, charge, energy and frequencies."""

import numpy as np
import pytest

MASS = 25.0
TURNING = 0.4


@pytest.fixture(scope="module")
def plasma(program):
    settings = program("plasma_settings")
    settings.CELLS, settings.TIME_STEP, settings.ION_MASS, settings.TURN_RATE = 24, 0.08, MASS, TURNING
    return program("plasma")


@pytest.fixture(scope="module")
def rippled(plasma):
    """A cold plasma over half an oscillation and more: the charge's first wave and the energies after each step."""
    one = plasma.Plasma(96, ripple=0.15)
    waves, energies = [], []
    for _ in range(70):
        waves.append(np.fft.rfft(one.grid.rho.copy_to_host())[1].real)
        energies.append(one.energies())
        one.run(1)
    return np.array(waves), np.array(energies)


def check_bodies(found, wanted):
    assert (found["number"] == wanted["number"]).all() and (found["kind"] == wanted["kind"]).all()
    np.testing.assert_allclose(found["x"], wanted["x"], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found["v"], wanted["v"], rtol=0, atol=1e-8)


@pytest.mark.parametrize("walls", [False, True])
@pytest.mark.parametrize("n, steps", [(1, 3), (130, 1), (200, 7)])
def test_arrays(plasma, walls, n, steps):
    one = plasma.Plasma(n, walls, ripple=0.3, deviation=1.5, seed=n)
    wanted, hits, units = plasma.run_numpy(one.records(), walls, steps)
    one.run(steps)
    there = wanted["place"] == plasma.FLYING
    check_bodies(one.records(), wanted[there])
    assert [list(s.hits.copy_to_host()) for s in one.species] == hits.tolist()
    np.testing.assert_allclose(one.grid.units.copy_to_host(), units, rtol=0, atol=1e-7 * plasma.WHOLE)
    signed = np.where(wanted["kind"] == plasma.ELECTRON, -1, 1)
    assert one.grid.units.copy_to_host().sum() == signed[there].sum() * plasma.WHOLE
    mass = np.where(wanted["kind"] == plasma.ELECTRON, 1.0, MASS)
    motion = 0.5 * (mass[:, None] * wanted["v"] ** 2)[there].sum() * one.weight
    np.testing.assert_allclose(one.energies()[0], motion, rtol=1e-7)


@pytest.mark.parametrize("walls", [False, True])
@pytest.mark.parametrize("n, steps", [(1, 3), (150, 6)])
def test_records(plasma, walls, n, steps):
    bodies = plasma.Plasma(n, walls, ripple=0.3, deviation=1.5, seed=n).records()
    found, hits, units = plasma.run_records(bodies, walls, steps)
    wanted, wanted_hits, _ = plasma.run_numpy(bodies, walls, steps)
    check_bodies(found, wanted)
    assert (found["place"] == wanted["place"]).all() and (hits == wanted_hits).all()
    signed = np.where(found["kind"] == plasma.ELECTRON, -1, 1)[found["place"] == plasma.FLYING]
    assert units.sum() == signed.sum() * plasma.WHOLE
    assert plasma.body.itemsize == 32


def test_walls_take_what_is_lost(plasma):
    one = plasma.Plasma(160, walls=True, deviation=4.0)
    one.run(8)
    for s in one.species:
        assert s.n + s.hits.copy_to_host().sum() == 160
    hits = one.species[plasma.ELECTRON].hits.copy_to_host()
    assert hits[plasma.AT_LEFT] > 0 and hits[plasma.AT_RIGHT] > 0


@pytest.mark.parametrize("n", [1, 64, 250])
def test_sorting_by_cells(plasma, n):
    one = plasma.Species(plasma.ELECTRON, n, ripple=2.0, deviation=1.0, seed=n)
    x = np.random.default_rng(n).permutation(one.x.copy_to_host())
    x[1::5] = -1.0
    one.x.copy_to_device(x)
    before = one.records()
    counts = one.sort()
    kept = before[x >= 0]
    wanted = np.bincount(plasma.locate_numpy(kept["x"])[0], minlength=24)
    assert counts.tolist() == [*wanted, n - kept.size]
    assert one.n == kept.size and (one.records() == kept).all()
    assert (np.diff(plasma.locate_numpy(one.x.copy_to_host()[: one.n])[0]) >= 0).all()


def test_velocities(plasma):
    one, again, other = (
        plasma.Species(plasma.ION, 3000, deviation=2.0, seed=seed).records()["v"] for seed in (5, 5, 6)
    )
    assert (one == again).all() and (one != other).any()
    np.testing.assert_allclose(one.mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(one.std(0), 2.0 / MASS**0.5, rtol=0.06)
    assert abs((one[:, 0] * one[:, 1]).mean()) < 0.06 * one.var()


def test_frequency(rippled):
    """Across a magnetic field the squares of the plasma's frequency and of the electrons' turning add up."""
    waves, _ = rippled
    slope, _ = np.polyfit(waves[1:-1], np.diff(waves, 2), 1)  # of a sine wave about any mean: 2 cos(frequency * h) - 2
    found = np.arccos(1 + slope / 2) / 0.08
    wanted = np.cos(np.pi / 24) ** 2 * (1 + 1 / MASS) + TURNING**2  # cos: the field between nodes is a mean of two
    assert abs(found / wanted**0.5 - 1) < 0.003


def test_energy(rippled):
    _, energies = rippled
    total = energies.sum(1)
    assert energies[:, 1].min() < 0.1 * total[0] < energies[:, 1].max()
    assert np.abs(total / total[0] - 1).max() < 0.02
