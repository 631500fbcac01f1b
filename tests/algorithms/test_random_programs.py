"""Programs that draw from cuda.random, as users write them: pi, walks, Metropolis, shuffles; with cuda.reduce."""

import math

import numpy as np
import pytest
import xoroshiro
from treadle import cuda, float32, int32
from treadle.cuda.random import (
    create_xoroshiro128p_states,
    xoroshiro128p_normal_float32,
    xoroshiro128p_normal_float64,
    xoroshiro128p_type,
    xoroshiro128p_uniform_float32,
    xoroshiro128p_uniform_float64,
)


@cuda.jit
def compute_pi(rng_states, iterations, out):
    """The program of Numba's manual: the share of points in the quarter of a circle, for each thread."""
    thread_id = cuda.grid(1)
    inside = 0
    for _ in range(iterations):
        x = xoroshiro128p_uniform_float32(rng_states, thread_id)
        y = xoroshiro128p_uniform_float32(rng_states, thread_id)
        if x**2 + y**2 <= 1.0:
            inside += 1
    out[thread_id] = 4.0 * inside / iterations


@cuda.jit
def fill_volume(arr, rng_states):
    """The other program of the manual: threads of three dimensions share states by strides."""
    startx, starty, startz = cuda.grid(3)
    stridex, stridey, stridez = cuda.gridsize(3)
    tid = (startz * stridey * stridex) + (starty * stridex) + startx
    for i in range(startz, arr.shape[0], stridez):
        for j in range(starty, arr.shape[1], stridey):
            for k in range(startx, arr.shape[2], stridex):
                arr[i, j, k] = xoroshiro128p_uniform_float32(rng_states, tid)


@cuda.jit(device=True)
def direction(rng_states, i):
    return int(xoroshiro128p_uniform_float32(rng_states, i) * 4)


@cuda.jit
def walk(rng_states, steps, ends):
    """Walks on a grid of two dimensions; each writes where it ends."""
    i = cuda.grid(1)
    if i >= ends.shape[0]:
        return
    x, y = 0, 0
    for _ in range(steps):
        way = direction(rng_states, i)
        if way == 0:
            x += 1
        elif way == 1:
            x -= 1
        elif way == 2:
            y += 1
        else:
            y -= 1
    ends[i, 0] = x
    ends[i, 1] = y


@cuda.jit
def diffuse(rng_states, steps, drift, sigma, paths):
    """Paths with normal steps, all of whose points are kept."""
    i = cuda.grid(1)
    if i < paths.shape[1]:
        position = 0.0
        for k in range(steps):
            position += drift + sigma * xoroshiro128p_normal_float64(rng_states, i)
            paths[k, i] = position


@cuda.jit
def metropolis(rng_states, beta, sweeps, energies):
    """A chain for each thread, of the harmonic oscillator: accepts by the ratio of the weights, with a loop that
    leaves early where the proposal is downhill."""
    i = cuda.grid(1)
    if i >= energies.size:
        return
    x = xoroshiro128p_normal_float32(rng_states, i)
    total = 0.0
    for _ in range(sweeps):
        proposal = x + float32(2) * (xoroshiro128p_uniform_float32(rng_states, i) - float32(0.5))
        change = 0.5 * (proposal * proposal - x * x)
        if change <= 0 or xoroshiro128p_uniform_float64(rng_states, i) < math.exp(-beta * change):
            x = proposal
        total += 0.5 * x * x
    energies[i] = total / sweeps


@cuda.jit
def ising(rng_states, spins, beta, colour):
    """Half of a sweep over a lattice: the sites of one colour. A state for each site."""
    i, j = cuda.grid(2)
    n, m = spins.shape
    if i < n and j < m and (i + j) % 2 == colour:
        around = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % m] + spins[i, j - 1]
        change = 2 * spins[i, j] * around
        if change <= 0 or xoroshiro128p_uniform_float32(rng_states, i * m + j) < math.exp(-beta * change):
            spins[i, j] = -spins[i, j]


@cuda.jit
def shuffle(rng_states, out):
    """A permutation of each thread's own, by Fisher and Yates, in a local array."""
    i = cuda.grid(1)
    if i < out.shape[0]:
        deck = cuda.local.array(13, int32)
        for k in range(13):
            deck[k] = k
        for k in range(12, 0, -1):
            other = int(xoroshiro128p_uniform_float64(rng_states, i) * (k + 1))
            deck[k], deck[other] = deck[other], deck[k]
        for k in range(13):
            out[i, k] = deck[k]


PTX = [
    (compute_pi, (xoroshiro128p_type[::1], cuda.int64, cuda.float32[::1])),
    (fill_volume, (cuda.float32[:, :, ::1], xoroshiro128p_type[::1])),
    (walk, (xoroshiro128p_type[::1], cuda.int64, cuda.int32[:, ::1])),
    (diffuse, (xoroshiro128p_type[::1], cuda.int64, cuda.float64, cuda.float64, cuda.float64[:, ::1])),
    (metropolis, (xoroshiro128p_type[::1], cuda.float64, cuda.int64, cuda.float64[::1])),
    (ising, (xoroshiro128p_type[::1], cuda.int8[:, ::1], cuda.float64, cuda.int64)),
    (shuffle, (xoroshiro128p_type[::1], cuda.int32[:, ::1])),
]

mean_of = cuda.reduce(lambda a, b: a + b)


def generators(count, seed):
    return xoroshiro.Generators(xoroshiro.states(count, seed))


@pytest.mark.parametrize("threads", [32, 64])
def test_pi_to_the_last_point(threads):
    count, iterations = 192, 50
    out = cuda.device_array(count, np.float32)
    compute_pi[count // threads, threads](create_xoroshiro128p_states(count, seed=1), iterations, out)
    model, inside = generators(count, 1), np.zeros(count)
    for _ in range(iterations):
        x, y = model.uniform32(), model.uniform32()
        inside += x**2 + y**2 <= 1
    np.testing.assert_array_equal(out.copy_to_host(), (4 * inside / iterations).astype(np.float32))
    pi = mean_of(out) / count
    assert abs(pi - math.pi) < 5 * math.sqrt(math.pi * (4 - math.pi) / count / iterations)


def test_volumes_by_strides():
    """Threads in three dimensions, more elements than threads."""
    grid, block, shape = (2, 1, 2), (4, 4, 2), (5, 9, 13)
    arr = np.zeros(shape, np.float32)
    size = tuple(blocks * threads for blocks, threads in zip(grid, block, strict=True))
    fill_volume[grid, block](arr, create_xoroshiro128p_states(math.prod(size), seed=6))
    model = generators(math.prod(size), 6)
    draws = [model.uniform32() for _ in range(100)]
    seen = np.zeros(math.prod(size), int)
    for i in range(shape[0]):
        for j in range(shape[1]):
            for k in range(shape[2]):
                tid = (i % size[2]) * size[1] * size[0] + (j % size[1]) * size[0] + k % size[0]
                assert arr[i, j, k] == draws[seen[tid]][tid]
                seen[tid] += 1


def test_walks_step_by_step():
    count, steps = 150, 40
    ends = np.zeros((count, 2), np.int32)
    walk[3, 64](create_xoroshiro128p_states(count, seed=2), steps, ends)
    model, expected = generators(count, 2), np.zeros((count, 2), int)
    for _ in range(steps):
        way = (model.uniform32() * np.float32(4)).astype(int)
        expected[:, 0] += (way == 0).astype(int) - (way == 1)
        expected[:, 1] += (way == 2).astype(int) - (way >= 3)
    np.testing.assert_array_equal(ends, expected)


def test_diffusion():
    count, steps, drift, sigma = 200, 25, 0.1, 0.5
    paths = np.zeros((steps, count))
    diffuse[7, 32](create_xoroshiro128p_states(count, seed=3), steps, drift, sigma, paths)
    model, position = generators(count, 3), np.zeros(count)
    for row in paths:
        position += drift + sigma * model.normal64()
        np.testing.assert_allclose(row, position, atol=1e-5)
    ends = paths[-1]
    assert abs(ends.mean() - drift * steps) < 5 * sigma * math.sqrt(steps / count)
    assert abs(ends.var() / (sigma**2 * steps) - 1) < 5 * math.sqrt(2 / count)


def test_metropolis_has_the_energy_of_the_oscillator():
    """The mean energy is half the temperature."""
    chains, beta = 256, 2.0
    energies = cuda.device_array(chains, np.float64)
    metropolis[4, 64](create_xoroshiro128p_states(chains, seed=4), beta, 300, energies)
    mean, host = mean_of(energies) / chains, energies.copy_to_host()
    assert abs(mean - 0.5 / beta) < 5 * host.std() / math.sqrt(chains) + 0.01
    assert host.std() > 0.001


def test_ising_on_two_sides_of_its_transition():
    """Cold and hot lattices of 16 x 16: the magnetisation that stays, and that which goes."""
    sides = {}
    for beta in (0.8, 0.1):
        states = create_xoroshiro128p_states(256, seed=5)
        spins = cuda.to_device(np.ones((16, 16), np.int8))
        for _ in range(60):
            for colour in (0, 1):
                ising[(2, 2), (8, 8)](states, spins, beta, colour)
        sides[beta] = abs(spins.copy_to_host().mean())
    assert sides[0.8] > 0.9 and sides[0.1] < 0.4


def test_shuffles():
    decks = np.zeros((300, 13), np.int32)
    shuffle[5, 64](create_xoroshiro128p_states(300, seed=7), decks)
    model, expected = generators(300, 7), np.tile(np.arange(13), (300, 1))
    rows = np.arange(300)
    for k in range(12, 0, -1):
        other = (model.uniform64() * (k + 1)).astype(int)
        expected[rows, k], expected[rows, other] = expected[rows, other], expected[rows, k].copy()
    np.testing.assert_array_equal(decks, expected)
