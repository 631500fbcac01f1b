"""Goodness of fit: chi-square with small classes merged, and Kolmogorov-Smirnov."""

import numpy as np
from scipy import stats

LEAST = 10


def chi_square(observed, expected):
    """The p-value of counts; neighbouring classes are merged until each expects LEAST or more."""
    merged = [[0.0, 0.0]]
    for seen, hoped in zip(observed, expected, strict=True):
        if merged[-1][1] >= LEAST:
            merged.append([0.0, 0.0])
        merged[-1][0] += seen
        merged[-1][1] += hoped
    if len(merged) > 1 and merged[-1][1] < LEAST:
        last = merged.pop()
        merged[-1][0] += last[0]
        merged[-1][1] += last[1]
    seen, hoped = np.array(merged).T
    statistic = ((seen - hoped) ** 2 / hoped).sum()
    return stats.chi2.sf(statistic, len(seen) - 1)


def kolmogorov_smirnov(uniforms):
    """The p-value of numbers that should be uniform."""
    return stats.kstest(uniforms, "uniform").pvalue


def poisson(count, mean):
    """The p-value of a count of rare events: near 0 for too many, near 1 for too few."""
    return stats.poisson.sf(count, mean) + stats.poisson.pmf(count, mean) / 2
