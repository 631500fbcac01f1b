"""Functions under numba.jit and numba.njit that the CPU and kernels call alike; types of numba in signatures."""

import math

import formulas
import numba
import numpy as np
from numba import cuda, njit, types

# --- directions -------------------------------------------------------------------------------------------------------

sector_of = numba.jit(nopython=True)(formulas.sector_of)


@numba.jit(nopython=True)
def middle(sector, sectors):
    """The angle in the middle of a sector."""
    return formulas.TURN * ((sector + 0.5) / sectors - 0.5)


@cuda.jit
def count_directions(arrows, rose, middles):
    sectors, first = rose.shape[0], cuda.grid(1)
    for i in range(first, arrows.shape[0], cuda.gridsize(1)):
        sector = sector_of(arrows[i, 0], arrows[i, 1], sectors)
        if sector is not None:
            cuda.atomic.add(rose, sector, 1)
    if first < sectors:
        middles[first] = middle(first, sectors)


@njit
def directions_on_cpu(arrows, sectors):
    rose, middles = np.zeros(sectors, dtype=np.int32), np.empty(sectors, dtype=np.float64)
    for k in range(len(arrows)):
        sector = sector_of(arrows[k, 0], arrows[k, 1], sectors)
        if sector is not None:
            rose[int(sector)] += 1
    for sector in range(sectors):
        middles[sector] = middle(sector, sectors)
    return rose, middles


def directions(arrows, sectors):
    rose, middles = np.zeros(sectors, dtype=np.int32), np.empty(sectors, dtype=np.float64)
    count_directions[4, 64](arrows, rose, middles)
    return rose, middles


# --- molecules --------------------------------------------------------------------------------------------------------

morse = njit(cache=False, fastmath=False)(formulas.morse)
separation = njit(formulas.separation)


@njit
def energy_with_later(places, i):
    energy = 0.0
    for j in range(i + 1, len(places)):
        energy += morse(separation(places[i], places[j]))
    return energy


@njit(parallel=True)
def energy_on_cpu(places):
    energy = 0.0
    for i in numba.prange(len(places)):
        energy += energy_with_later(places, i)
    return energy


@cuda.jit(types.void(types.float64[:, ::1], types.Array(types.float64, 1, "C")))
def energy_on_device(places, energy):
    i = cuda.grid(1)
    if i < len(places):
        cuda.atomic.add(energy, 0, energy_with_later(places, i))


# --- the same function of elements for both ---------------------------------------------------------------------------


def arc(north, east, other_north, other_east):
    """The angle between two places on a sphere, whose coordinates are angles."""
    near = math.sin((other_north - north) / 2) ** 2
    far = math.sin((other_east - east) / 2) ** 2
    return 2 * math.asin(math.sqrt(near + math.cos(north) * math.cos(other_north) * far))


ARCS = [numba.float32(*4 * [numba.float32]), numba.float64(*4 * [numba.float64])]
arc_on_cpu = numba.vectorize(ARCS)(arc)
arc_on_device = numba.vectorize(ARCS, target="cuda")(arc)


# --- the burning ship -------------------------------------------------------------------------------------------------


@njit
def burns_for(x, y, most):
    """How many steps the point stays near, at most `most`: of z -> (|x| + i |y|)^2 + c, downwards as ships sink."""
    here, steps = complex(0, 0), 0
    while steps < most and here.real * here.real + here.imag * here.imag < 16:
        here = complex(abs(here.real), abs(here.imag)) ** 2 + complex(x, y)
        steps += 1
    return steps


@njit
def place_of(k, size, center, span):
    return center + span * ((k + 0.5) / size - 0.5)


@njit
def draw_on_cpu(center, span, image, most):
    rows, columns = image.shape
    for row in range(rows):
        for column in range(columns):
            x, y = place_of(column, columns, center[0], span), place_of(row, rows, center[1], span)
            image[row, column] = burns_for(x, y, most)


@cuda.jit
def draw(center, span, image, most):
    row, column = cuda.grid(2)
    rows, columns = image.shape
    if row < rows and column < columns:
        x, y = place_of(column, columns, center[0], span), place_of(row, rows, center[1], span)
        image[row, column] = burns_for(x, y, most)
