"""Formulas of the example programs, in plain Python: they are compiled for the device, for the CPU, or not at all."""

import math

TURN = 2 * math.pi
DEPTH, STIFFNESS, REST = 2.5, 1.7, 1.2  # of the Morse potential: energy, 1 / length, length


def sector_of(dx, dy, sectors):
    """Into which of the equal sectors of a turn a direction points, counted from the left; the null vector has none."""
    if dx == 0 and dy == 0:
        return None
    sector = int(sectors * (math.atan2(float(dy), float(dx)) / TURN + 0.5))
    if sector == sectors:
        return 0  # from the left again
    return sector


def morse(length):
    """The energy of two particles so far apart: -DEPTH at REST, 0 far away."""
    return DEPTH * ((1 - math.exp(-STIFFNESS * (length - REST))) ** 2 - 1)


def separation(one, other):
    square = 0.0
    for k in range(3):
        square += (one[k] - other[k]) ** 2
    return square**0.5


def normal_below(x):
    """The probability that a number of the standard normal distribution is below x."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))
