"""Tests of the numbers as values: Knuth's and Marsaglia's."""

import math
from functools import cache

import numpy as np
from randomness.battery.goodness import chi_square, kolmogorov_smirnov, poisson
from scipy import stats


def digits(take, count, base):
    return (take(count) * base).astype(np.int64)


def birthday_spacings(take):
    """2^12 birthdays in a year of 2^33 days (two numbers each), whose spacings coincide twice on average; 200 times."""
    birthdays, days, times = 1 << 12, 1 << 33, 200
    numbers = digits(take, 2 * birthdays * times, 1 << 24).reshape(times, birthdays, 2)
    dates = np.sort((numbers[..., 0] << 9) | (numbers[..., 1] >> 15), axis=1)
    spacings = np.sort(np.diff(dates, axis=1, append=dates[:, :1] + days), axis=1)
    equal = int((np.diff(spacings, axis=1) == 0).sum())
    return [poisson(equal, times * birthdays**3 / (4 * days))]


def collision(take):
    """2^17 balls in 2^24 urns, by one number and by two; ten times each. Collisions are nearly a Poisson variable."""
    balls, urns, times = 1 << 17, 1 << 24, 10
    mean = times * (balls - urns * -math.expm1(balls * math.log1p(-1 / urns)))
    found = []
    for digits_each in (1, 2):
        bits = 24 // digits_each
        thrown = digits(take, digits_each * balls * times, 1 << bits).reshape(times, balls, digits_each)
        urn = thrown[..., 0] if digits_each == 1 else (thrown[..., 0] << bits) | thrown[..., 1]
        found.append(poisson(sum(balls - np.unique(row).size for row in urn), mean))
    return found


def gap(take):
    """How many numbers lie between those below 1/16."""
    inside, longest = 1 / 16, 150
    places = np.flatnonzero(take(1_600_000) < inside)
    gaps = np.minimum(np.diff(places) - 1, longest)
    chances = [inside * (1 - inside) ** length for length in range(longest)]
    chances.append(1 - sum(chances))
    return [chi_square(np.bincount(gaps, minlength=longest + 1), gaps.size * np.array(chances))]


@cache
def stirling(n, k):
    """In how many ways n things fall into k groups."""
    if n == 0 or k == 0:
        return int(n == k)
    return k * stirling(n - 1, k) + stirling(n - 1, k - 1)


def simple_poker(take):
    """How many different digits are in a hand: 8 of base 16, and 5 of base 64."""
    found = []
    for hand, base, times in ((8, 16, 100_000), (5, 64, 100_000)):
        cards = np.sort(digits(take, hand * times, base).reshape(times, hand), axis=1)
        different = 1 + (np.diff(cards, axis=1) != 0).sum(axis=1)
        chances = [stirling(hand, kinds) * math.perm(base, kinds) / base**hand for kinds in range(1, hand + 1)]
        found.append(chi_square(np.bincount(different, minlength=hand + 1)[1:], times * np.array(chances)))
    return found


def coupon_collector(take):
    """How many numbers it takes until each of 8 coupons has come."""
    coupons, times, longest = 8, 40_000, 90
    drawn = digits(take, times * longest, coupons).reshape(times, longest)
    first = np.full((times, coupons), longest)
    for coupon in range(coupons):
        has = drawn == coupon
        first[:, coupon] = np.where(has.any(axis=1), has.argmax(axis=1) + 1, longest + 1)
    lengths = np.minimum(first.max(axis=1), longest)
    within = [
        math.factorial(coupons) * stirling(length, coupons) / coupons**length for length in range(coupons, longest)
    ]
    chances = np.diff([0.0, *within, 1.0])
    return [chi_square(np.bincount(lengths, minlength=longest + 1)[coupons:], times * chances)]


def max_of_t(take):
    """The largest of 6 numbers, to the sixth power, is uniform; and so is the largest of 24."""
    found = []
    for t, times in ((6, 200_000), (24, 50_000)):
        largest = take(t * times).reshape(times, t).max(axis=1) ** t
        found.append(kolmogorov_smirnov(largest))
        found.append(
            chi_square(np.bincount((largest * 1000).astype(int), minlength=1000)[:1000], [times / 1000] * 1000)
        )
    return found


def weight_distribution(take):
    """How many of 256 numbers are below 1/8."""
    length, times, inside = 256, 20_000, 1 / 8
    weights = (take(length * times).reshape(times, length) < inside).sum(axis=1)
    expected = times * stats.binom.pmf(np.arange(length + 1), length, inside)
    return [chi_square(np.bincount(weights, minlength=length + 1), expected)]
