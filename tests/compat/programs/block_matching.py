"""Where the parts of one picture are in another: depth from two eyes, and the motion between two frames.

A part of the first picture is compared with parts of the second that are moved by each of some candidates, pairs of a
step down and a step to the right; the candidate of the least cost is taken, and of several such the one that stands
first. Candidates are ordered by length, so that nothing moves without a reason.

A cost is either the sum of absolute differences, or the correlation of the two parts, with its sign turned: -1 where
they differ by a factor and an offset only. At the rim of a picture windows see its outermost pixels repeated.
"""

import math
from functools import lru_cache

import numpy as np
from numba import cuda, float64, int32, int64, vectorize

SIDE = 8  # pixels of a macroblock's side; the last ones in a row and a column are cut
TEAM = 32  # threads that search for a macroblock together
FAR = 1 << 30  # more than the difference of any two macroblocks
UNKNOWN = -1

CROSS = np.array([[-1, 0], [0, -1], [0, 1], [1, 0]])


@vectorize(["uint8(uint8, uint8, uint8)"], target="cuda")
def brightness(red, green, blue):
    return (2 * red + 5 * green + blue) >> 3


# --- a thread for each pixel, or for each pixel and candidate ---------------------------------------------------------


@cuda.jit(device=True)
def pixel(picture, i, j):
    """A pixel, or the nearest one within the picture."""
    rows, columns = picture.shape
    return float64(picture[min(max(i, 0), rows - 1), min(max(j, 0), columns - 1)])


def differing(radius):
    """A function for devices: the sum of absolute differences of two windows."""

    @cuda.jit(device=True)
    def cost(first, second, at, to):
        total = 0.0
        for a in range(-radius, radius + 1):
            for b in range(-radius, radius + 1):
                total += abs(pixel(first, at[0] + a, at[1] + b) - pixel(second, to[0] + a, to[1] + b))
        return total

    return cost


def unlike(radius):
    """A function for devices: the correlation of two windows times -1, and 0 where one of them has a single shade."""
    size = (2 * radius + 1) ** 2

    @cuda.jit(device=True)
    def cost(first, second, at, to):
        x = y = xx = yy = xy = 0.0
        for a in range(-radius, radius + 1):
            for b in range(-radius, radius + 1):
                one = pixel(first, at[0] + a, at[1] + b)
                other = pixel(second, to[0] + a, to[1] + b)
                x += one
                y += other
                xx += one * one
                yy += other * other
                xy += one * other
        spread = (size * xx - x * x) * (size * yy - y * y)
        if spread <= 0:
            return 0.0
        return (x * y - size * xy) / math.sqrt(spread)

    return cost


@lru_cache
def pixel_kernel(radius, measure):
    """found[i, j]: the best candidate's number for each pixel. A candidate that leaves the picture does not count."""
    cost_of = measure(radius)

    @cuda.jit
    def kernel(first, second, moves, found):
        j, i = cuda.grid(2)
        rows, columns = first.shape
        if i >= rows or j >= columns:
            return
        least, best = math.inf, UNKNOWN
        for n in range(len(moves)):
            to = i + moves[n, 0], j + moves[n, 1]
            if to[0] < 0 or to[1] < 0 or to[0] >= rows or to[1] >= columns:
                continue
            cost = cost_of(first, second, (i, j), to)
            if cost < least:
                least, best = cost, n
        found[i, j] = best

    return kernel


@lru_cache
def candidate_kernel(radius, measure):
    """costs[i, j, n]: a candidate's cost for a pixel, infinite where it leaves the picture."""
    cost_of = measure(radius)

    @cuda.jit
    def kernel(first, second, moves, costs):
        n, j, i = cuda.grid(3)
        if i >= costs.shape[0] or j >= costs.shape[1] or n >= costs.shape[2]:
            return
        to = i + moves[n, 0], j + moves[n, 1]
        inside = 0 <= to[0] < costs.shape[0] and 0 <= to[1] < costs.shape[1]
        costs[i, j, n] = cost_of(first, second, (i, j), to) if inside else math.inf

    return kernel


@cuda.jit
def between_candidates(costs, best, places):
    """places[i, j]: where the parabola through the best candidate's cost and those beside it has its vertex."""
    j, i = cuda.grid(2)
    if i >= best.shape[0] or j >= best.shape[1]:
        return
    n = best[i, j]
    places[i, j] = n
    if n == 0 or n == costs.shape[2] - 1:
        return
    before, here, after = costs[i, j, n - 1], costs[i, j, n], costs[i, j, n + 1]
    bend = before - 2 * here + after
    if bend > 0 and bend < math.inf:
        places[i, j] = n + (before - after) / (2 * bend)


@cuda.jit
def keep_agreed(from_left, from_right, slack, agreed):
    """agreed[i, j]: the left eye's disparity where the right eye's at the place seen is the same, or nearly."""
    j, i = cuda.grid(2)
    if i >= agreed.shape[0] or j >= agreed.shape[1]:
        return
    agreed[i, j] = UNKNOWN
    there = j - from_left[i, j]
    if there < 0:
        return
    if abs(from_right[i, there] - from_left[i, j]) > slack:
        return
    agreed[i, j] = from_left[i, j]


# --- macroblocks ------------------------------------------------------------------------------------------------------


@cuda.jit(device=True)
def part(number, shape):
    """A macroblock's first row and column, and those after its last."""
    across = (shape[1] + SIDE - 1) // SIDE
    top, left = number // across * SIDE, number % across * SIDE
    return top, left, min(top + SIDE, shape[0]), min(left + SIDE, shape[1])


@cuda.jit(device=True)
def difference(frame, former, area, move, limit):
    """How much an area of a frame differs from where it was: at most the limit, which a place out of the frame has."""
    top, left, bottom, right = area
    down, aside = move
    if top + down < 0 or left + aside < 0:
        return limit
    if bottom + down > frame.shape[0] or right + aside > frame.shape[1]:
        return limit
    total = 0
    for i in range(top, bottom):
        for j in range(left, right):
            total += abs(int32(frame[i, j]) - int32(former[i + down, j + aside]))
        if total >= limit:
            return limit
    return total


@cuda.jit
def search_alone(frame, former, moves, best, least):
    """A thread for each macroblock tries all candidates."""
    number = cuda.grid(1)
    if number >= len(best):
        return
    area = part(number, frame.shape)
    lowest = FAR
    for n in range(len(moves)):
        found = difference(frame, former, area, (moves[n, 0], moves[n, 1]), lowest)
        if found < lowest:
            lowest = found
            best[number] = n
    least[number] = lowest


@cuda.jit
def search_in_teams(frame, former, moves, best, least):
    """A block of threads for each macroblock: each thread tries some of the candidates, then the best are compared."""
    lowest = cuda.shared.array(TEAM, int32)
    numbers = cuda.shared.array(TEAM, int32)
    me, number = cuda.threadIdx.x, cuda.blockIdx.x
    area = part(number, frame.shape)
    lowest[me] = FAR
    numbers[me] = len(moves)
    for n in range(me, len(moves), TEAM):
        found = difference(frame, former, area, (moves[n, 0], moves[n, 1]), FAR)
        if found < lowest[me]:
            lowest[me], numbers[me] = found, n
    cuda.syncthreads()
    half = TEAM // 2
    while half > 0:
        if me < half:
            other = me + half
            equal = lowest[other] == lowest[me]
            if lowest[other] < lowest[me] or (equal and numbers[other] < numbers[me]):
                lowest[me], numbers[me] = lowest[other], numbers[other]
        cuda.syncthreads()
        half //= 2
    if me == 0:
        best[number], least[number] = numbers[0], lowest[0]


@cuda.jit
def try_candidates(frame, former, moves, keys):
    """A thread for each macroblock and candidate. A key has the difference, and below it the candidate's number."""
    n, number = cuda.grid(2)
    if n >= len(moves) or number >= len(keys):
        return
    found = difference(frame, former, part(number, frame.shape), (moves[n, 0], moves[n, 1]), FAR)
    if found == FAR:
        return
    cuda.atomic.min(keys, number, int64(found) * len(moves) + n)


@cuda.jit
def walk(frame, former, reach, ends, least):
    """A thread for each macroblock goes from standing still to the best neighbour, as long as one is better."""
    number = cuda.grid(1)
    if number >= len(ends):
        return
    area = part(number, frame.shape)
    down = aside = 0
    lowest = difference(frame, former, area, (0, 0), FAR)
    better = True
    while better:
        better = False
        from_down, from_aside = down, aside
        for k in range(4):
            to = from_down + CROSS[k, 0], from_aside + CROSS[k, 1]
            if max(abs(to[0]), abs(to[1])) > reach:
                continue
            found = difference(frame, former, area, to, lowest)
            if found < lowest:
                lowest, better = found, True
                down, aside = to
    ends[number, 0], ends[number, 1] = down, aside
    least[number] = lowest


@cuda.jit
def put_together(former, motions, frame):
    """Each pixel of a frame from the one before: blocks of threads are macroblocks."""
    i, j = cuda.blockIdx.y * SIDE + cuda.threadIdx.y, cuda.blockIdx.x * SIDE + cuda.threadIdx.x
    if i >= frame.shape[0] or j >= frame.shape[1]:
        return
    motion = motions[cuda.blockIdx.y * cuda.gridDim.x + cuda.blockIdx.x]
    frame[i, j] = former[i + motion[0], j + motion[1]]


# --- on the host ------------------------------------------------------------------------------------------------------


def moves_within(reach):
    """All steps of at most `reach` down or up and to a side, the shortest first."""
    moves = np.indices((2 * reach + 1, 2 * reach + 1)).reshape(2, -1).T - reach
    return moves[np.argsort((moves**2).sum(1), kind="stable")]


def moves_aside(most, toward):
    """The steps 0, 1, ... `most` in a row, to the right (toward=1) or to the left (-1)."""
    return np.column_stack((np.zeros(most + 1, np.int64), toward * np.arange(most + 1)))


def grid_of(shape, threads):
    return tuple(-(-n // per) for n, per in zip(shape, threads))


def best_for_pixels(first, second, moves, radius, measure):
    found = cuda.device_array(first.shape, np.int32)
    threads = 16, 4
    pixel_kernel(radius, measure)[grid_of(first.shape[::-1], threads), threads](first, second, moves, found)
    return found.copy_to_host()


def costs_for_pixels(first, second, moves, radius, measure):
    costs = np.empty((*first.shape, len(moves)))
    threads = 4, 8, 4
    candidate_kernel(radius, measure)[grid_of(costs.shape[::-1], threads), threads](first, second, moves, costs)
    return costs


def finer(costs):
    best = costs.argmin(2).astype(np.int32)
    places = np.empty(best.shape)
    between_candidates[grid_of(best.shape[::-1], (16, 4)), (16, 4)](costs, best, places)
    return places


def disparities(left, right, most, radius, measure, slack=0):
    """How far to the left the right eye sees each pixel of the left one: from either eye, and where the two agree."""
    from_left = best_for_pixels(left, right, moves_aside(most, -1), radius, measure)
    from_right = best_for_pixels(right, left, moves_aside(most, 1), radius, measure)
    agreed = np.empty_like(from_left)
    keep_agreed[grid_of(left.shape[::-1], (16, 4)), (16, 4)](from_left, from_right, slack, agreed)
    return from_left, from_right, agreed


def search(way, frame, former, reach):
    """The motions of the macroblocks, pairs, and how much each still differs. way: "alone", "team" or "candidates"."""
    moves = moves_within(reach)
    count = math.prod(grid_of(frame.shape, (SIDE, SIDE)))
    best, least = np.zeros(count, np.int32), np.zeros(count, np.int32)
    if way == "alone":
        search_alone.forall(count, tpb=64)(frame, former, moves, best, least)
    elif way == "team":
        search_in_teams[count, TEAM](frame, former, moves, best, least)
    else:
        keys = np.full(count, FAR * len(moves))
        try_candidates[grid_of((len(moves), count), (16, 8)), (16, 8)](frame, former, moves, keys)
        least, best = np.divmod(keys, len(moves))
    return moves[best], least


def walks(frame, former, reach):
    count = math.prod(grid_of(frame.shape, (SIDE, SIDE)))
    ends, least = np.zeros((count, 2), np.int32), np.zeros(count, np.int32)
    walk.forall(count, tpb=64)(frame, former, reach, ends, least)
    return ends, least


def rebuilt(former, motions):
    frame = np.empty_like(former)
    put_together[grid_of(former.shape[::-1], (SIDE, SIDE)), (SIDE, SIDE)](former, motions, frame)
    return frame


# --- on the CPU -------------------------------------------------------------------------------------------------------


def costs_numpy(first, second, moves, radius, measure):
    """costs[i, j, n], from all windows of both pictures."""
    rows, columns = first.shape
    one, other = (
        np.lib.stride_tricks.sliding_window_view(np.pad(a.astype(np.float64), radius, "edge"), (2 * radius + 1,) * 2)
        for a in (first, second)
    )
    costs = np.full((rows, columns, len(moves)), np.inf)
    for n, (down, aside) in enumerate(moves):
        i, j = np.arange(max(0, -down), rows - max(0, down)), np.arange(max(0, -aside), columns - max(0, aside))
        x, y = one[np.ix_(i, j)], other[np.ix_(i + down, j + aside)]
        costs[np.ix_(i, j, [n])] = (difference_numpy if measure is differing else unlike_numpy)(x, y)[..., None]
    return costs


def difference_numpy(x, y):
    return abs(x - y).sum((2, 3))


def unlike_numpy(x, y):
    size = x.shape[2] * x.shape[3]
    sums, both = [a.sum((2, 3)) for a in (x, y)], (x * y).sum((2, 3))
    spread = math.prod(size * (a * a).sum((2, 3)) - total**2 for a, total in zip((x, y), sums))
    known = spread > 0
    return np.where(known, (sums[0] * sums[1] - size * both) / np.sqrt(np.where(known, spread, 1)), 0)


def block_costs_numpy(frame, former, moves):
    """costs[number, n]: the differences of the macroblocks, FAR for a place out of the frame."""
    rows, columns = (np.arange(0, n, SIDE) for n in frame.shape)
    costs = np.full((len(rows), len(columns), len(moves)), FAR)
    padded = np.pad(former.astype(np.int64), abs(moves).max(), constant_values=FAR)
    reach = abs(moves).max()
    for n, (down, aside) in enumerate(moves):
        i, j = reach + down, reach + aside
        differences = abs(frame - padded[i : i + frame.shape[0], j : j + frame.shape[1]])
        costs[..., n] = np.add.reduceat(np.add.reduceat(differences, rows, 0), columns, 1)
    return np.minimum(costs, FAR).reshape(-1, len(moves))


def walks_numpy(frame, former, reach):
    """The ends of the walks and their costs, by a table of all costs."""
    moves = moves_within(reach)
    ends, least = [], []
    for costs in block_costs_numpy(frame, former, moves):
        table = {(int(down), int(aside)): cost for (down, aside), cost in zip(moves, costs)}
        here, place = None, (0, 0)
        while place != here:
            here = place
            around = [(here[0] + down, here[1] + aside) for down, aside in CROSS.tolist()]
            place = min([here, *(to for to in around if to in table)], key=table.get)
        ends.append(here)
        least.append(table[here])
    return np.array(ends), np.array(least)
