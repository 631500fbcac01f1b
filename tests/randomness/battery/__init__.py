"""Ten statistical tests of random numbers, after SmallCrush: each takes a stream and gives p-values by name.

A stream is a function `take(count)` that gives the next float64 numbers in [0, 1), of which the upper 24 bits count.
"""

from randomness.battery.bits import hamming_independence, matrix_rank, random_walk
from randomness.battery.values import (
    birthday_spacings,
    collision,
    coupon_collector,
    gap,
    max_of_t,
    simple_poker,
    weight_distribution,
)

TESTS = [
    birthday_spacings, collision, gap, simple_poker, coupon_collector, max_of_t, weight_distribution, matrix_rank,
    hamming_independence, random_walk,
]  # fmt: skip


class Stream:
    """Numbers in [0, 1), one after the other, from a function that gives arrays of them."""

    def __init__(self, more):
        self.more, self.left = more, more()[:0]

    def __call__(self, count):
        import numpy as np

        parts, missing = [self.left], count - self.left.size
        while missing > 0:
            parts.append(self.more())
            missing -= parts[-1].size
        whole = np.concatenate(parts)
        self.left = whole[count:]
        return whole[:count]


def p_values(take):
    """{test: its p-values}, of consecutive parts of the stream."""
    return {test.__name__: test(take) for test in TESTS}


def suspicious(found, limit):
    """Which tests of `p_values` have a p-value nearer than `limit` to 0 or 1."""
    return sorted(name for name, values in found.items() if any(not limit <= value <= 1 - limit for value in values))
