"""Example programs: voices of a synthesiser, prices of options, histograms of directions, estimates of densities."""

from __future__ import division

import math

import numba
import numpy as np
from formulas import normal_below, sector_of
from numba import cuda, float32, float64, guvectorize, vectorize

# --- voices -----------------------------------------------------------------------------------------------------------


@numba.vectorize(["(int16, int16)", "(float32, float32)", "(float64, float64)"], target="cuda")
def soft_knee(value, limit):
    excess = abs(value) - limit
    if excess <= 0:
        return value
    return math.copysign(limit + 0.25 * excess, value)


def soft_knee_numpy(value, limit):
    excess = np.abs(value) - limit
    return np.where(excess <= 0, value, np.copysign(limit + 0.25 * excess.astype(np.float64), value))


@cuda.jit(device=True)
def triangle(phase):
    return 4 * abs(phase - 0.5) - 1


@cuda.jit(device=True)
def pulse(phase):
    return 1.0 if phase < 0.25 else -1.0


@cuda.jit(device=True)
def bell(phase):
    return math.exp(-((8 * phase - 4) ** 2))


def triangle_numpy(phase):
    return 4 * np.abs(phase - 0.5) - 1


def pulse_numpy(phase):
    return np.where(phase < 0.25, 1.0, -1.0)


def bell_numpy(phase):
    return np.exp(-((8 * phase - 4) ** 2))


OSCILLATORS = {"triangle": (triangle, triangle_numpy), "pulse": (pulse, pulse_numpy), "bell": (bell, bell_numpy)}


def make_synthesiser(oscillator):
    """A kernel whose threads go over the samples of all voices; a voice is (cycles per sample, level, first phase)."""

    @cuda.jit
    def synthesise(voices, out):
        for k in range(cuda.grid(1), out.size, cuda.gridsize(1)):
            voice, t = divmod(k, out.shape[1])
            pitch, level, start = voices[voice]
            out[voice, t] = level * oscillator((start + pitch * t) % 1.0)

    return synthesise


def synthesised(voices, samples, name):
    out = cuda.device_array((len(voices), samples))
    make_synthesiser(OSCILLATORS[name][0])[3, 64](voices, out)
    return out.copy_to_host()


def synthesised_numpy(voices, samples, name):
    pitch, level, start = voices.T[:, :, None]
    return level * OSCILLATORS[name][1]((start + pitch * np.arange(samples)) % 1.0)


NONE, SOME, MORE = 0, 1, 2  # rises of a wave: MORE than were asked for


@cuda.jit
def find_crossings(waves, level, times, kinds):
    """Where each wave first rises through a level: the time between samples, and how the search ended."""
    row = cuda.grid(1)
    if row >= len(waves):
        return
    wave = waves[row]
    found, before = 0, wave[0]
    for t, value in enumerate(wave[1:]):
        if before < level <= value:
            if found == times.shape[-1]:
                kinds[row] = MORE
                break
            times[row, found] = t + (level - before) / (value - before)
            found += 1
        before = value
    else:
        kinds[row] = SOME if found else NONE


def crossings(waves, level, most=3):
    times = np.full((len(waves), most), np.inf)
    kinds = np.zeros(len(waves), np.uint8)
    find_crossings.forall(len(waves), tpb=32)(waves, level, times, kinds)
    return times, kinds


def crossings_numpy(waves, level, most=3):
    times, kinds = np.full((len(waves), most), np.inf), []
    for row, wave in enumerate(waves.astype(np.float64)):
        rises = np.flatnonzero((wave[:-1] < level) & (level <= wave[1:]))
        kinds.append(MORE if len(rises) > most else SOME if len(rises) else NONE)
        rises = rises[:most]
        times[row, : len(rises)] = rises + (level - wave[rises]) / (wave[rises + 1] - wave[rises])
    return times, kinds


# --- options: that pay 1 above or below the strike; calls that end where the price falls to a barrier -----------------

below = cuda.jit("float64(float64)", device=True, inline=True)(normal_below)


@cuda.jit(device=True)
def distances(spot, strike, years, rate, spread):
    """How many deviations the expected price is above the strike, for the one who holds the share, and who does not."""
    deviation = spread * math.sqrt(years)
    ahead = (math.log(spot / strike) + rate * years) / deviation
    return ahead + deviation / 2, ahead - deviation / 2


@cuda.jit(device=True)
def call_price(spot, strike, years, rate, spread):
    share, cash = distances(spot, strike, years, rate, spread)
    return spot * below(share) - strike * math.exp(-rate * years) * below(cash)


@cuda.jit
def barrier_calls(prices, chances, spot, strike, years, barrier, rate, spread):
    """By reflection: paths that touch the barrier, at most the strike, weigh as those from its mirror image."""
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i >= prices.shape[0]:
        return
    if spot[i] <= barrier:
        prices[i] = chances[i] = 0
        return
    tilt = 2 * rate / spread**2 - 1
    weight = (spot[i] / barrier) ** -tilt
    mirrored = barrier * barrier / spot[i]
    direct = call_price(spot[i], strike[i], years[i], rate, spread)
    prices[i] = direct - weight * call_price(mirrored, strike[i], years[i], rate, spread)
    _, above = distances(spot[i], barrier, years[i], rate, spread)
    _, reflected = distances(mirrored, barrier, years[i], rate, spread)
    chances[i] = below(above) - weight * below(reflected)


def barrier_options(spot, strike, years, barrier, rate, spread):
    """What each call is worth, and the chance that it lives to its end."""
    stream = cuda.stream()
    threads = 96, 1
    blocks = int(math.ceil(float(len(spot)) / threads[0])), 1
    with cuda.pinned(spot, strike, years):
        on_device = [cuda.to_device(each, stream) for each in (spot, strike, years)]
        prices = cuda.device_array_like(spot, stream)
        chances = cuda.device_array_like(spot, stream)
        barrier_calls[blocks, threads, stream](prices, chances, *on_device, barrier, rate, spread)
        results = prices.copy_to_host(stream=stream), chances.copy_to_host(stream=stream)
        stream.synchronize()
    return results


@vectorize([float32(*5 * [float32]), float64(*5 * [float64])], target="cuda")
def digital_call(spot, strike, years, rate, spread):
    _, cash = distances(spot, strike, years, rate, spread)
    return math.exp(-rate * years) * below(cash)


@guvectorize(
    [(float64[:], float64[:], float64[:], float64, float64, float64[:], float64[:], float64[:])],
    "(n),(n),(n),(),()->(n),(n),()",
    target="cuda",
)
def digital_portfolio(spot, strike, years, rate, spread, call, put, total):
    total[0] = 0
    for i in range(spot.shape[0]):
        discount = math.exp(-rate * years[i])
        _, cash = distances(spot[i], strike[i], years[i], rate, spread)
        call[i], put[i] = discount * below(cash), discount * below(-cash)
        total[0] += call[i] - put[i]


def _numpy_distances(spot, strike, years, rate, spread):
    deviation = spread * np.sqrt(years)
    middle = (np.log(spot / strike) + rate * years) / deviation
    return middle + deviation / 2, middle - deviation / 2


def _numpy_call(spot, strike, years, rate, spread):
    chance = np.vectorize(normal_below)
    share, cash = _numpy_distances(spot, strike, years, rate, spread)
    return spot * chance(share) - strike * np.exp(-rate * years) * chance(cash)


def barrier_options_numpy(spot, strike, years, barrier, rate, spread):
    spot, strike, years = (each.astype(np.float64) for each in (spot, strike, years))
    chance, mirrored = np.vectorize(normal_below), barrier**2 / spot
    weight = (spot / barrier) ** (1 - 2 * rate / spread**2)
    prices = _numpy_call(spot, strike, years, rate, spread)
    prices -= weight * _numpy_call(mirrored, strike, years, rate, spread)
    chances = chance(_numpy_distances(spot, barrier, years, rate, spread)[1])
    chances -= weight * chance(_numpy_distances(mirrored, barrier, years, rate, spread)[1])
    return tuple(np.where(spot > barrier, each, 0) for each in (prices, chances))


def digital_options_numpy(spot, strike, years, rate, spread):
    """Calls, and puts."""
    cash = _numpy_distances(spot, strike, years, rate, spread)[1]
    chance, discount = np.vectorize(normal_below), np.exp(-rate * years)
    return discount * chance(cash), discount * chance(-cash)


# --- directions -------------------------------------------------------------------------------------------------------

sector_on_device = cuda.jit(sector_of, device=True)


@cuda.jit
def count_directions(arrows, weights, rose):
    """The weights of the arrows of each sector."""
    for i in range(cuda.grid(1), arrows.shape[0], cuda.gridsize(1)):
        sector = sector_on_device(arrows[i, 0], arrows[i, 1], rose.shape[0])
        if sector is not None and 0 <= sector < len(rose):
            cuda.atomic.add(rose, sector, weights[i])


@cuda.jit
def count_directions_in_blocks(arrows, weights, rose):
    """Each block adds up in memory of its own, whose size the launch gives, and counts whom it has left out."""
    sums = cuda.shared.array(0, numba.int32)
    sectors = rose.shape[0]
    for s in range(cuda.threadIdx.x, sectors + 1, cuda.blockDim.x):
        sums[s] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), len(arrows), cuda.gridsize(1)):
        sector = sector_on_device(arrows[i, 0], arrows[i, 1], sectors)
        if sector is None:
            cuda.atomic.add(sums, sectors, 1)
        else:
            cuda.atomic.add(sums, int(sector), weights[i])
    cuda.syncthreads()
    for s in range(cuda.threadIdx.x, sectors, cuda.blockDim.x):
        if sums[s]:
            cuda.atomic.add(rose, s, sums[s])


@cuda.jit
def extremes(weights, ends, turns):
    """The least and the greatest weight; and how often the threads came by, modulo 8."""
    least, greatest = weights[0], weights[0]
    for i in range(cuda.grid(1), weights.shape[0], cuda.gridsize(1)):
        least, greatest = min(least, weights[i]), max(greatest, weights[i])
        cuda.atomic.inc(turns, 0, 7)
    cuda.atomic.min(ends, 0, least)
    cuda.atomic.max(ends, 1, greatest)


def directions(arrows, weights, sectors, in_blocks=False, grid=(5, 48)):
    arrows, weights = cuda.to_device(arrows), cuda.to_device(weights)
    limits = np.iinfo(weights.dtype)
    ends = cuda.to_device(np.array([limits.max, limits.min], weights.dtype))
    turns = cuda.to_device(np.zeros(1, np.uint32))
    extremes[grid](weights, ends, turns)
    rose = cuda.to_device(np.zeros(shape=(sectors,), dtype=np.int32))
    if in_blocks:
        count_directions_in_blocks[grid[0], grid[1], 0, 4 * (sectors + 1)](arrows, weights, rose)
    else:
        count_directions[grid](arrows, weights, rose)
    return rose.copy_to_host(), ends.copy_to_host(), turns[0]


# --- densities --------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def tricube(x):
    x = abs(x)
    return float32(70 / 81) * (1 - x * x * x) ** 3 if x < 1 else 0.0


@cuda.jit(device=True)
def logistic(x):
    return 1 / (2 + math.exp(x) + math.exp(-x))


KERNELS = {
    "tricube": (tricube, lambda x: np.where(np.abs(x) < 1, 70 / 81 * (1 - np.abs(x) ** 3) ** 3, 0)),
    "logistic": (logistic, lambda x: 1 / (2 + np.exp(x) + np.exp(-x))),
}


def make_estimator(weight, dims):
    """A kernel for points of so many dimensions, around each of which density spreads as far as its reach says."""

    @cuda.jit
    def estimator(places, points, reach, result):
        at = cuda.grid(1)
        if at < places.shape[0]:
            here = cuda.local.array(dims, float64)
            for d in range(dims):
                here[d] = places[at, d]
            total = 0.0
            for j, point in enumerate(points):
                share = 1.0
                for d in range(dims):
                    share *= weight((here[d] - point[d]) / reach[j]) / reach[j]
                total += share
            result[at] = total / points.shape[0]

    return estimator


def density(places, points, reach, name):
    result = cuda.device_array(len(places), dtype=places.dtype)
    make_estimator(KERNELS[name][0], places.shape[1])[int(np.ceil(len(places) / 64)), 64](places, points, reach, result)
    return result.copy_to_host()


def density_numpy(places, points, reach, name):
    away = (places[:, None, :].astype(np.float64) - points) / reach[:, None]
    return (KERNELS[name][1](away) / reach[:, None]).prod(-1).mean(1)
