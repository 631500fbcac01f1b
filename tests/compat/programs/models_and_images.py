"""Example programs: molecules, vortices, clusters by medians, a Newton fractal, filters of images, sorted rows."""
# ruff: noqa: F403, F405

import math
from time import perf_counter

import numpy as np
from formulas import DEPTH, REST, STIFFNESS, morse, separation
from numba import *
from numba import cuda

# --- molecules --------------------------------------------------------------------------------------------------------

morse_on_device = cuda.jit(device=True)(morse)
separation_on_device = cuda.jit(device=True)(separation)


@cuda.jit
def energies_of_pairs(places, energies):
    """A thread for each pair (i, j) with j < i, in the order of rows: its number says which one."""
    pair = cuda.grid(1)
    if pair >= len(energies):
        return
    i = int((1 + math.sqrt(1 + 8 * pair)) / 2)
    j = pair - i * (i - 1) // 2
    energies[pair] = morse_on_device(separation_on_device(places[i], places[j]))


add_up = cuda.reduce(lambda a, b: a + b)


@cuda.jit
def forces(places, out):
    for i in range(cuda.grid(1), places.shape[0], cuda.gridsize(1)):
        push = cuda.local.array(3, float64)
        push[:] = 0
        for j in range(places.shape[0]):
            if j == i:
                continue
            away = cuda.local.array(3, float64)
            for d in range(3):
                away[d] = places[i, d] - places[j, d]
            length = separation_on_device(places[i], places[j])
            stretch = math.exp(-STIFFNESS * (length - REST))
            strength = -2 * DEPTH * STIFFNESS * (1 - stretch) * stretch
            for d in range(3):
                push[d] += strength * length**-1 * away[d]
        out[i, :] = push


def energy_on_device(places):
    pairs = len(places) * (len(places) - 1) // 2
    energies = cuda.device_array(pairs)
    energies_of_pairs.forall(pairs)(places, energies)
    return add_up(energies)


def energy(places):
    return sum(morse(separation(one, other)) for i, one in enumerate(places) for other in places[:i])


def forces_by_differences(places, step=1e-5):
    """Against the slope of the energy."""
    result = np.zeros_like(places)
    for at in np.ndindex(places.shape):
        ends = []
        for sign in (1, -1):
            moved = places.copy()
            moved[at] += sign * step
            ends.append(energy(moved))
        result[at] = (ends[1] - ends[0]) / (2 * step)
    return result


# --- vortices in a plane, each of which carries all others around it --------------------------------------------------

CORE = np.float32(0.02)
NOTHING = np.float32(0)
PARTNERS = 32  # threads of a block, and vortices of a tile


@cuda.jit(device=True)
def carried(here, vortex, flow):
    dx, dy = here[0] - vortex[0], here[1] - vortex[1]
    turn = vortex[2] / (dx * dx + dy * dy + CORE)
    return flow[0] - turn * dy, flow[1] + turn * dx


@cuda.jit("void(float32[:,:], float32[:,:])")
def velocities(vortices, flows):
    tile = cuda.shared.array((PARTNERS, 3), float32)
    at, me = cuda.grid(1), cuda.threadIdx.x
    here = vortices[min(at, len(vortices) - 1)]
    flow = (NOTHING, NOTHING)
    for start in range(0, len(vortices), PARTNERS):
        for d in range(3):
            tile[me, d] = vortices[start + me, d] if start + me < len(vortices) else NOTHING
        cuda.syncthreads()
        for vortex in tile:
            flow = carried(here, vortex, flow)
        cuda.syncthreads()
    if at < len(flows):
        flows[at, 0], flows[at, 1] = flow


class Vortices:
    """Places and strengths, float32; moves with the mean of the velocities at a step's start and at its end."""

    def __init__(self, places, strengths, dt=np.float32(0.01)):
        self.state = np.column_stack([places, strengths]).astype(np.float32)
        self.dt, self.seconds = dt, 0.0

    def move(self, steps):
        dt = self.dt

        @cuda.jit
        def drift(vortices, flows, moved):
            i, d = cuda.grid(2)
            if i < vortices.shape[0] and d < 2:
                moved[i, d] = vortices[i, d] + dt * flows[i, d]
            elif i < vortices.shape[0]:
                moved[i, d] = vortices[i, d]

        @cuda.jit
        def settle(vortices, first, second):
            i, d = cuda.grid(2)
            if i < vortices.shape[0] and d < first.shape[1]:
                vortices[i, d] += dt * (first[i, d] + second[i, d]) / 2

        blocks, began = -(-len(self.state) // PARTNERS), perf_counter()
        now = cuda.to_device(self.state)
        ahead, flows = cuda.device_array_like(now), cuda.device_array((2, len(now), 2), np.float32)
        for _ in range(steps):
            velocities[blocks, PARTNERS](now, flows[0])
            drift[(blocks, 1), (PARTNERS, 3)](now, flows[0], ahead)
            velocities[blocks, PARTNERS](ahead, flows[1])
            settle[(blocks, 1), (PARTNERS, 3)](now, flows[0], flows[1])
        now.copy_to_host(self.state)
        self.seconds += perf_counter() - began

    def moved_on_host(self, steps):
        places, strengths = self.state[:, :2].astype(np.float64), self.state[:, 2].astype(np.float64)

        def flows(places):
            away = places[:, None] - places
            turn = strengths / ((away**2).sum(-1) + float(CORE))
            return np.stack([-(turn * away[..., 1]).sum(1), (turn * away[..., 0]).sum(1)], axis=1)

        for _ in range(steps):
            first = flows(places)
            places = places + float(self.dt) * (first + flows(places + float(self.dt) * first)) / 2
        return places


# --- clusters around medians ------------------------------------------------------------------------------------------


@cuda.jit
def join_nearest(points, medians, member, sizes, moves):
    i = cuda.grid(1)
    if i >= points.shape[0]:
        return
    nearest, least = -1, math.inf
    for k, median in enumerate(medians):
        way = 0.0
        for d in range(points.shape[1]):
            way += abs(points[i, d] - median[d])
        if way < least:
            nearest, least = k, way
    cuda.atomic.add(sizes, nearest, 1)
    if member[i] != nearest:
        member[i] = nearest
        cuda.atomic.add(moves, 0, 1)


@cuda.jit
def find_medians(points, member, sizes, medians):
    """The thread of the coordinate with as many smaller ones in its cluster as the median has, stores it."""
    i, d = cuda.grid(2)
    if i < len(points) and d < points.shape[1]:
        smaller, mine = 0, points[i, d]
        for j in range(len(points)):
            if member[j] == member[i] and (points[j, d] < mine or (points[j, d] == mine and j < i)):
                smaller += 1
        if smaller == (sizes[member[i]] - 1) // 2:
            medians[member[i], d] = mine


@cuda.jit
def add_spreads(points, member, medians, spreads):
    i = cuda.grid(1)
    if i < len(points):
        k = member[i]
        for d in range(points.shape[1]):
            cuda.atomic.add(spreads, (k, d), abs(points[i, d] - medians[k, d]))


def clusters(points, medians, most=50):
    """Which median each point is nearest to, the medians, distances to them summed by dimension, the rounds."""
    threads, wide = 64, (32, points.shape[1])
    blocks, narrow = math.ceil(len(points) / threads), (math.ceil(len(points) / 32), 1)
    on_device, medians = cuda.to_device(points), cuda.to_device(medians)
    member = cuda.to_device(np.full(len(points), -1, dtype=np.int32))
    for rounds in range(1, most + 1):
        sizes = cuda.to_device(np.zeros(len(medians), dtype=np.int64))
        moves = cuda.to_device(np.zeros(1, dtype=np.uint32))
        join_nearest[blocks, threads](on_device, medians, member, sizes, moves)
        if not moves[0]:
            break
        find_medians[narrow, wide](on_device, member, sizes, medians)
    spreads = cuda.to_device(np.zeros(medians.shape))
    add_spreads[blocks, threads](on_device, member, medians, spreads)
    return member.copy_to_host(), medians.copy_to_host(), spreads.copy_to_host(), rounds


def clusters_numpy(points, medians, most=50):
    member, medians = np.full(len(points), -1), medians.copy()
    for rounds in range(1, most + 1):
        before, member = member, np.abs(points[:, None] - medians).sum(-1).argmin(1)
        if (member == before).all():
            break
        for k in set(member):
            medians[k] = np.quantile(points[member == k], 0.5, axis=0, method="inverted_cdf")
    spreads = [np.abs(points[member == k] - median).sum(0) for k, median in enumerate(medians)]
    return member, medians, np.array(spreads), rounds


# --- a fractal: to which third root of 1 Newton's method leads, and how fast ------------------------------------------

TRIED = uint32(40)


def newton(re, im, most):
    """3 * steps + root, where the roots count from 1 on anticlockwise; 3 * most where none was near in time."""
    z = complex(re, im)
    for step in range(most):
        square = z * z
        miss = square * z - 1
        if miss.real * miss.real + miss.imag * miss.imag < 1e-6:
            root = 0 if z.real > 0 else 1 if z.imag > 0 else 2
            return 3 * step + root
        z -= miss / (3 * square)
    return 3 * most


newton_on_device = cuda.jit(restype=uint32, argtypes=[f8, f8, uint32], device=True)(newton)


@cuda.jit(argtypes=[f8, f8, f8, uint8[:, :], uint32])
def draw_basins(left, top, pixel, image, most):
    rows, columns = image.shape
    first_column, first_row = cuda.grid(2)
    across = cuda.blockDim.x * cuda.gridDim.x
    down = cuda.blockDim.y * cuda.gridDim.y
    for column in range(first_column, columns, across):
        for row in range(first_row, rows, down):
            image[row, column] = newton_on_device(left + column * pixel, top - row * pixel, most)


@vectorize(["int32(complex128, int32)"], target="cuda")
def steps_to_root(z, most):
    x, y, steps = z.real, z.imag, 0
    while steps < most:
        r2 = x * x + y * y
        if abs(x * x * x - 3 * x * y * y - 1) + abs(3 * x * x * y - y * y * y) < 1e-4:
            return steps
        x, y = (2 * x + (x * x - y * y) / r2**2) / 3, (2 * y - 2 * x * y / r2**2) / 3
        steps += 1
    return most


def basins(rows, columns, left, top, pixel):
    host = np.full((rows, columns), 255, dtype=np.uint8)
    image = cuda.to_device(host)
    draw_basins[(2, 3), (16, 8)](left, top, pixel, image, TRIED)
    image.copy_to_host(host)
    return host


# --- images -----------------------------------------------------------------------------------------------------------

REACH = 2
NEARNESS = np.exp(-(np.add.outer(np.arange(-REACH, REACH + 1) ** 2, np.arange(-REACH, REACH + 1) ** 2)) / 4.5)
CLOSE_BY = ((-1, 0), (0, -1), (0, 1), (1, 0))


@cuda.jit
def smooth_within_edges(image, contrast, result):
    """A bilateral filter of each channel: means of pixels that are near, and alike. None are outside the image."""
    column, row, channel = cuda.grid(3)
    rows, columns, channels = image.shape
    if row >= rows or column >= columns or channel >= channels:
        return
    nearness = cuda.const.array_like(NEARNESS)
    mine = float(image[row, column, channel])
    total = weights = 0.0
    for i in range(max(0, row - REACH), min(rows, row + REACH + 1)):
        for j in range(max(0, column - REACH), min(columns, column + REACH + 1)):
            other = float(image[i, j, channel])
            weight = nearness[i - row + REACH, j - column + REACH] / (1 + ((other - mine) / contrast) ** 2)
            total += weight * other
            weights += weight
    result[row, column, channel] = round(total / weights)


@cuda.jit
def relief(image, result):
    """Brightness of each inner pixel, and how far at most that of a neighbour is from it."""
    y, x = cuda.grid(2)
    if 0 < y < image.shape[0] - 1 and 0 < x < image.shape[1] - 1:
        red, green, blue = image[y, x]
        bright, steepest = red / 4 + green / 2 + blue / 4, 0.0
        for dy, dx in CLOSE_BY:
            red, green, blue = image[y + dy, x + dx]
            steepest = max(steepest, abs(red / 4 + green / 2 + blue / 4 - bright))
        result[y, x] = min(bright, 255.0), steepest


def smoothed(image, contrast):
    result, threads = np.zeros_like(image), (8, 8, 3)
    blocks = (math.ceil(image.shape[1] / threads[0]), math.ceil(image.shape[0] / threads[1]), 1)
    smooth_within_edges[blocks, threads](image, contrast, result)
    return result


def smoothed_numpy(image, contrast):
    padded = np.pad(image.astype(np.float64), ((REACH, REACH), (REACH, REACH), (0, 0)), constant_values=np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, NEARNESS.shape, axis=(0, 1))
    weights = NEARNESS / (1 + ((windows - image[..., None, None]) / contrast) ** 2)
    values = np.where(np.isinf(windows), 0, windows)
    return (weights * values).sum((-1, -2)) / weights.sum((-1, -2))


def relief_on_device(image):
    result = cuda.device_array((*image.shape[:2], 2))
    result.copy_to_device(np.zeros(result.shape))
    relief[(image.shape[0] // 16 + 1, image.shape[1] // 16 + 1), (16, 16)](image, result)
    return result.copy_to_host()


def relief_numpy(image):
    bright = image.astype(np.float64) @ [0.25, 0.5, 0.25]
    result = np.zeros((*bright.shape, 2))
    inner = bright[1:-1, 1:-1]
    others = np.array([bright[:-2, 1:-1], bright[1:-1, :-2], bright[1:-1, 2:], bright[2:, 1:-1]])
    result[1:-1, 1:-1, 0], result[1:-1, 1:-1, 1] = inner, np.abs(others - inner).max(0)
    return result


# --- sorted rows ------------------------------------------------------------------------------------------------------


@cuda.jit
def sort_rows(table):
    """A block sorts a row of any length by a bitonic network, as if numbers without end followed."""
    row = table[cuda.blockIdx.x]
    size = 2
    while size < 2 * len(row):
        half = size // 2
        while half > 0:
            for k in range(cuda.threadIdx.x, len(row), cuda.blockDim.x):
                partner = k ^ (size - 1) if 2 * half == size else k ^ half
                if k < partner < len(row) and row[partner] < row[k]:
                    row[k], row[partner] = row[partner], row[k]
            cuda.syncthreads()
            half >>= 1
        size <<= 1
