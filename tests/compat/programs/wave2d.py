"""Waves on water of uneven depth, in small steps of time: by three arrays in turns, by tiles, in batches, in a ring.

The height u of the water obeys `u_tt + s u_t = c**2 (u_xx + u_yy)`, where the speed c and the friction s depend on the
place: a rim of growing friction, a sponge, swallows waves before they come back from the edge. Centred differences at
the spacing h and the step of time k turn that into

    (1 + q) after = 2 now - (1 - q) before + p bend(now)        with p = (c k / h)**2, q = s k / 2

where `bend` is h**2 times a Laplacian. The edge of the water is held at zero: one row of points, or as many as a
Laplacian reaches. Without friction a sum over the points stays the same from step to step (`energy`), as each Laplacian
here is symmetric.
"""

import math
from functools import lru_cache

import numpy as np
from numba import cuda, float64, int64

TILE_ROWS, TILE_COLUMNS = 6, 16
THREADS = (TILE_COLUMNS, TILE_ROWS)
DRUM = 11  # points of a drum's side, which a block of threads keeps in shared memory
SHOTS_AT_ONCE = 3

# The second differences along the rows, X, and along the columns, Y, give X + Y + X Y / 6: the same in all directions
# up to the fourth power of the wave number.
NINE = np.array([[1, 4, 1], [4, -20, 4], [1, 4, 1]]) / 6


@lru_cache
def arm_weights(reach):
    """The weights of a second difference over `reach` points on either side, the middle one first.

    It is exact for all polynomials up to the power 2 * reach + 1: the weighted sum of n**2 is 1, that of n**4 zero, ...
    """
    n = np.arange(1.0, reach + 1)
    powers = n ** (2 * np.arange(1, reach + 1)[:, None])
    arm = np.linalg.solve(powers, np.eye(reach)[0])
    return np.append(-2 * arm.sum(), arm)


@cuda.jit(device=True)
def leap(before, now, bend, p, q):
    return (2 * now - (1 - q) * before + p * bend) / (1 + q)


@cuda.jit(device=True)
def bend_five(u, i, j):
    return u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]


@cuda.jit
def step_five(before, now, after, p, q):
    j, i = cuda.grid(2)
    rows, columns = now.shape
    if i == 0 or j == 0 or i >= rows - 1 or j >= columns - 1:
        return
    after[i, j] = leap(before[i, j], now[i, j], bend_five(now, i, j), p[i, j], q[i, j])


@cuda.jit(device=True)
def fill_tile(tile, u, top, left):
    """Copies to a tile, by all threads of a block, the part of a field that begins at a row and a column."""
    height, width = tile.shape
    rows, columns = u.shape
    first = cuda.threadIdx.y * TILE_COLUMNS + cuda.threadIdx.x
    for n in range(first, height * width, TILE_ROWS * TILE_COLUMNS):
        a, b = n // width, n % width
        if top + a < rows and left + b < columns:
            tile[a, b] = u[top + a, left + b]
    cuda.syncthreads()


@cuda.jit
def step_nine(before, now, after, p, q):
    """`after` may be `before`: no thread reads another point of it than the one that it writes."""
    tile = cuda.shared.array((TILE_ROWS + 2, TILE_COLUMNS + 2), float64)
    fill_tile(tile, now, cuda.blockIdx.y * TILE_ROWS, cuda.blockIdx.x * TILE_COLUMNS)
    j, i = cuda.grid(2)
    if i + 2 >= now.shape[0] or j + 2 >= now.shape[1]:
        return
    a, b = cuda.threadIdx.y, cuda.threadIdx.x
    bend = 0.0
    for down in range(3):
        for right in range(3):
            bend += NINE[down, right] * tile[a + down, b + right]
    at = i + 1, j + 1
    after[at] = leap(before[at], now[at], bend, p[at], q[at])


@lru_cache
def step_arms(reach):
    """A kernel as the two above, whose Laplacian has four arms of `reach` points."""
    weights = arm_weights(reach)
    height, width = TILE_ROWS + 2 * reach, TILE_COLUMNS + 2 * reach

    @cuda.jit
    def step(before, now, after, p, q):
        weight = cuda.const.array_like(weights)
        tile = cuda.shared.array((height, width), float64)
        fill_tile(tile, now, cuda.blockIdx.y * TILE_ROWS, cuda.blockIdx.x * TILE_COLUMNS)
        j, i = cuda.grid(2)
        i, j = i + reach, j + reach
        if i < now.shape[0] - reach and j < now.shape[1] - reach:
            a, b = cuda.threadIdx.y + reach, cuda.threadIdx.x + reach
            bend = 2 * weight[0] * tile[a, b]
            for n in range(1, reach + 1):
                bend += weight[n] * (tile[a - n, b] + tile[a + n, b] + tile[a, b - n] + tile[a, b + n])
            after[i, j] = leap(before[i, j], now[i, j], bend, p[i, j], q[i, j])

    return step


@cuda.jit
def push(u, places, forces, step):
    """Adds the forces of a step, at places of which several may be the same."""
    n = cuda.grid(1)
    if n < len(places):
        cuda.atomic.add(u, (places[n, 0], places[n, 1]), forces[n, step])


# --- batches, a ring, and drums ---------------------------------------------------------------------------------------


@cuda.jit
def step_shots(before, now, after, p, q):
    """A field for each shot, the third axis of the grid; the water is the same for all."""
    j, i, shot = cuda.grid(3)
    if 0 < i < p.shape[0] - 1 and 0 < j < p.shape[1] - 1:
        u = now[shot]
        after[shot, i, j] = leap(before[shot, i, j], u[i, j], bend_five(u, i, j), p[i, j], q[i, j])


@cuda.jit
def push_and_listen(u, places, force, ears, step, heard):
    """A block for each shot: pushes at its place, and then writes down the heights at all ears."""
    shot = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        u[shot, places[shot, 0], places[shot, 1]] += force
    cuda.syncthreads()
    for n in range(cuda.threadIdx.x, len(ears), cuda.blockDim.x):
        heard[shot, n, step] = u[shot, ears[n, 0], ears[n, 1]]


@cuda.jit((float64[:, :, ::1], int64, float64[:, ::1], float64[:, ::1]))
def step_ring(fields, step, p, q):
    """The field of a step replaces the oldest of the ring: it comes from those of the two steps before."""
    slots, rows, columns = fields.shape
    now, before = fields[(step - 1) % slots], fields[(step - 2) % slots]
    j, i = cuda.grid(2)
    if 0 < i < rows - 1 and 0 < j < columns - 1:
        fields[step % slots, i, j] = leap(before[i, j], now[i, j], bend_five(now, i, j), p[i, j], q[i, j])


@cuda.jit
def beat_drums(starts, p, steps, centers):
    """A block for each drum takes all steps: three fields in shared memory, a thread for each point."""
    u = cuda.shared.array((3, DRUM, DRUM), float64)
    j, i = cuda.threadIdx.x, cuda.threadIdx.y
    drum = cuda.blockIdx.x
    for slot in range(3):
        u[slot, i, j] = starts[drum, i, j]
    cuda.syncthreads()
    for step in range(steps):
        before, now, after = step % 3, (step + 1) % 3, (step + 2) % 3
        if 0 < i < DRUM - 1 and 0 < j < DRUM - 1:
            u[after, i, j] = leap(u[before, i, j], u[now, i, j], bend_five(u[now], i, j), p[drum], 0.0)
        cuda.syncthreads()
        if i == DRUM // 2 and j == DRUM // 2:
            centers[drum, step] = u[after, i, j]


# --- on the host ------------------------------------------------------------------------------------------------------


def water(shape, dtype=np.float64, sponge=0, seed=0):
    """p and q of a basin: c k / h is 0.5, and less over shoals; friction grows over the last `sponge` points."""
    i, j = np.indices(shape)
    shoals = np.random.default_rng(seed).uniform(0, 1, (4, 2)) * shape
    speed = np.full(shape, 0.5)
    for y, x in shoals:
        speed -= 0.1 * np.exp(-((i - y) ** 2 + (j - x) ** 2) / 20)
    rim = np.minimum(np.minimum(i, shape[0] - 1 - i), np.minimum(j, shape[1] - 1 - j))
    friction = np.maximum(0, 1 - rim / sponge) ** 2 * 0.3 if sponge else np.zeros(shape)
    return (speed**2).astype(dtype), friction.astype(dtype)


def hump(shape, middle, width, edge=1):
    """A hump that is zero on the edge."""
    i, j = np.indices(shape)
    inside = np.zeros(shape)
    inside[edge:-edge, edge:-edge] = 1
    return inside * np.exp(-((i - middle[0]) ** 2 + (j - middle[1]) ** 2) / width**2)


def pulse(steps, period):
    """A push that swings once and dies away, a number for each step."""
    t = np.arange(steps) / period - 1
    return t * np.exp(-4 * t**2)


def blocks_for(shape):
    return -(-shape[1] // TILE_COLUMNS), -(-shape[0] // TILE_ROWS)


def run(kind, start, basin, steps, sources=None):
    """The last two fields, from a start at rest. kind: "five", "nine", or the reach of arms."""
    kernel = {"five": step_five, "nine": step_nine}.get(kind) or step_arms(kind)
    p, q = (cuda.to_device(a) for a in basin)
    before, now, after = (cuda.to_device(start) for _ in range(3))
    places, forces = (cuda.to_device(a) for a in sources) if sources else (None, None)
    for step in range(steps):
        kernel[blocks_for(start.shape), THREADS](before, now, after, p, q)
        if sources:
            push.forall(len(places))(after, places, forces, step)
        before, now, after = now, after, before
    return before.copy_to_host(), now.copy_to_host()


def run_over_itself(start, basin, steps):
    """The same as run("nine", ...) with two arrays: each field is written over the one before the last."""
    u = [cuda.to_device(start), cuda.to_device(start)]
    for step in range(steps):
        old, new = u[step % 2], u[1 - step % 2]
        step_nine[blocks_for(start.shape), THREADS](old, new, old, *basin)
    return u[steps % 2].copy_to_host(), u[1 - steps % 2].copy_to_host()


def shoot(basin, places, force, ears):
    """heard[shot, ear, step]: a shot pushes still water at its place. As many as fit are on the way together."""
    shots, steps = len(places), len(force)
    heard = np.empty((shots, len(ears), steps), basin[0].dtype)
    stream = cuda.stream()
    with stream.auto_synchronize():
        p, q, ears = (cuda.to_device(a, stream=stream) for a in (*basin, ears))
        for begin in range(0, shots, SHOTS_AT_ONCE):
            some = cuda.to_device(places[begin : begin + SHOTS_AT_ONCE], stream=stream)
            still = np.zeros((len(some), *p.shape), p.dtype)
            before, now, after = (cuda.to_device(still, stream=stream) for _ in range(3))
            traces = cuda.device_array((len(some), *heard.shape[1:]), heard.dtype, stream=stream)
            blocks = (*blocks_for(p.shape), len(some))
            for step in range(steps):
                step_shots[blocks, (*THREADS, 1), stream](before, now, after, p, q)
                push_and_listen[len(some), 32, stream](after, some, force[step], ears, step, traces)
                before, now, after = now, after, before
            traces.copy_to_host(heard[begin : begin + SHOTS_AT_ONCE], stream=stream)
    return heard


def run_in_ring(start, basin, steps, slots):
    """The fields of the last `slots` steps, the oldest first; those before the start are the start."""
    fields = cuda.to_device(np.repeat(start[None], slots, axis=0))
    p, q = (cuda.to_device(a) for a in basin)
    for step in range(steps):
        step_ring[blocks_for(start.shape), THREADS](fields, step, p, q)
    return np.roll(fields.copy_to_host(), -steps, axis=0)


def drum_centers(starts, p, steps):
    centers = np.zeros((len(starts), steps))
    beat_drums[len(starts), (DRUM, DRUM)](starts, p, steps, centers)
    return centers


# --- on the CPU, and what is known of the waves -----------------------------------------------------------------------


def bend_numpy(u, kind):
    """`bend` at all points, zero at the edge."""
    reach = kind if isinstance(kind, int) else 1
    weights = np.zeros((2 * reach + 1, 2 * reach + 1))
    if kind == "nine":
        weights[:] = NINE
    else:
        arms = np.array([-2, 1]) if kind == "five" else arm_weights(reach)
        line = np.concatenate((arms[:0:-1], arms))
        weights[reach] += line
        weights[:, reach] += line
    windows = np.lib.stride_tricks.sliding_window_view(u.astype(np.float64), weights.shape)
    return np.pad(np.tensordot(windows, weights, 2), reach)


def run_numpy(kind, start, basin, steps, sources=None):
    """All fields in float64, with the start before them, which counts twice."""
    p, q = (a.astype(np.float64) for a in basin)
    fields = [start.astype(np.float64)] * 2
    for step in range(steps):
        after = (2 * fields[-1] - (1 - q) * fields[-2] + p * bend_numpy(fields[-1], kind)) / (1 + q)
        if sources:
            np.add.at(after, tuple(sources[0].T), sources[1][:, step])
        fields.append(after)
    return np.array(fields)


def energy(before, now, p, kind):
    """Twice the energy: of the motion, and of the slopes at the two times."""
    return ((now - before) ** 2 / p - now * bend_numpy(before, kind)).sum()


def standing(shape, humps, p, kind, steps):
    """A standing wave with so many humps along each axis, at rest at first, and its height after so many steps.

    Products of sines are vectors that second differences only multiply, here by -y and -x; a step of time turns the
    phase by an angle whose half has the sine sqrt(p * bend) / 2.
    """
    waves = [np.sin(math.pi * n * np.arange(size) / (size - 1)) for n, size in zip(humps, shape)]
    y, x = (4 * math.sin(math.pi * n / (size - 1) / 2) ** 2 for n, size in zip(humps, shape))
    factor = x + y - x * y / 6 if kind == "nine" else x + y
    half = math.asin(math.sqrt(p * factor) / 2)
    start = np.outer(*waves)
    return start, start * math.cos((2 * steps + 1) * half) / math.cos(half)
