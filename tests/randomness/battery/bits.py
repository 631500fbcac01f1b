"""Tests of the upper bits of the numbers, read one after the other."""

import numpy as np
from randomness.battery.goodness import chi_square
from scipy import stats

BITS = 20  # of each number


def bits_of(take, count, least=0):
    """The bits from the highest on: `count` of them, of which the first `least` of each number are left out."""
    each = BITS - least
    words = (take(-(-count // each)) * (1 << BITS)).astype(np.int64)
    return (words[:, None] >> np.arange(each - 1, -1, -1) & 1).astype(np.int8).reshape(-1)[:count]


def ranks(matrices):
    """Of square matrices over GF(2), given as words of up to 63 bits a row: all eliminated side by side."""
    rows = matrices.copy()
    times, size = rows.shape
    rank, everyone = np.zeros(times, int), np.arange(times)
    for column in range(size):
        has = (rows >> column & 1).astype(bool) & (np.arange(size)[None, :] >= rank[:, None])
        found, pivot = has.any(axis=1), has.argmax(axis=1)
        place = np.minimum(rank, size - 1)
        taken, other = rows[everyone, pivot], rows[everyone, place]
        rows[everyone[found], pivot[found]] = other[found]
        rows[everyone[found], place[found]] = taken[found]
        below = (rows >> column & 1).astype(bool) & (np.arange(size)[None, :] > place[:, None]) & found[:, None]
        rows ^= np.where(below, taken[:, None], 0)
        rank += found
    return rank


def matrix_rank(take):
    """Of matrices of 60 x 60 bits, made of the upper 20 bits of numbers, and of the uppermost bit alone."""
    size, times = 60, 4000
    chances = [rank_chance(size, rank) for rank in range(size + 1)]
    found = []
    for least in (0, BITS - 1):
        bits = bits_of(take, size * size * times, least).reshape(times, size, size).astype(np.int64)
        words = (bits << np.arange(size)).sum(axis=2)
        found.append(chi_square(np.bincount(ranks(words), minlength=size + 1), times * np.array(chances)))
    return found


def rank_chance(size, rank):
    """The chance that a square matrix of bits has this rank."""
    product = 2.0 ** (rank * (2 * size - rank) - size * size)
    for i in range(rank):
        product *= (1 - 2.0 ** (i - size)) ** 2 / (1 - 2.0 ** (i - rank))
    return product


def hamming_independence(take):
    """The weights of one block of 300 bits and the next: below, at or above the middle, in a table of 3 x 3."""
    length, times = 300, 30_000
    weights = bits_of(take, 2 * times * length).reshape(times, 2, length).sum(axis=2)
    side = np.sign(weights - length // 2) + 1
    middle = stats.binom.pmf(length // 2, length, 0.5)
    chance = np.array([(1 - middle) / 2, middle, (1 - middle) / 2])
    table = np.bincount(side[:, 0] * 3 + side[:, 1], minlength=9)
    correlation = np.corrcoef(weights.T)[0, 1] * np.sqrt(times)
    return [chi_square(table, times * np.outer(chance, chance).ravel()), stats.norm.sf(correlation)]


def random_walk(take):
    """Walks of 128 steps by the uppermost bits: where they end, how far they get, how often they are at 0."""
    length, times = 128, 20_000
    steps = 2 * bits_of(take, length * times, BITS - 1).reshape(times, length).astype(np.int16) - 1
    paths = steps.cumsum(axis=1)
    places = stats.binom.pmf(np.arange(length + 1), length, 0.5)
    ends = chi_square(np.bincount((paths[:, -1] + length) // 2, minlength=length + 1), times * places)
    # The highest place is at least m as often as the end is at least m, and above m once more (reflection).
    end = {2 * up - length: chance for up, chance in enumerate(places)}
    tops = np.array([end.get(m, 0.0) + end.get(m + 1, 0.0) for m in range(length + 1)])
    highest = chi_square(np.bincount(np.maximum(paths.max(axis=1), 0), minlength=length + 1), times * tops)
    # Feller: the chance of r returns in 2n steps is C(2n - r, n) / 2^(2n - r).
    half = length // 2
    returns = np.array([stats.binom.pmf(half, length - r, 0.5) for r in range(half + 1)])
    back = chi_square(np.bincount((paths == 0).sum(axis=1), minlength=half + 1), times * returns)
    return [ends, highest, back]
