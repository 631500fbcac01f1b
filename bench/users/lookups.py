# Inputs and results of the kernels with tables, searches and counts.
import numpy as np

from users.common import integers, kernel, uniform


def table256(n=8_000_000):
    values, table = integers(n), uniform(256)
    arguments = (values, table, np.zeros(n, np.float32))
    return kernel("table256", arguments, extents=(n,), reference=lambda: [table[values]])


def recolour(n=8_000_000):
    wanted, palette, pixels = integers(n, high=2), integers(256, seed=2), integers(n, seed=3)

    def reference():
        return [np.where(wanted, palette[pixels], 0)]

    arguments = (wanted, palette, pixels, np.zeros(n, np.uint8))
    return kernel("recolour", arguments, extents=(n,), reference=reference)


def searchsorted(n=300_000, count=100_000):
    keys, values = np.sort(uniform(count, dtype=np.float64)), uniform(n, dtype=np.float64, seed=2)

    def reference():
        return [np.searchsorted(keys, values)]

    arguments = (keys, values, np.zeros(n, np.int32))
    return kernel("searchsorted", arguments, extents=(n, count), threads=(n,), reference=reference)


def interpolate(n=500_000, count=1000):
    knots = np.sort(uniform(count, dtype=np.float64))
    heights, x = uniform(count, dtype=np.float64, seed=2), uniform(n, dtype=np.float64, low=0.1, high=0.9, seed=3)
    arguments = (knots, heights, x, np.zeros(n))
    return kernel(
        "interpolate",
        arguments,
        extents=(n, count),
        threads=(n,),
        reference=lambda: [np.interp(x, knots, heights)],
        tolerance=1e-10,
    )


def count16(n=2_000_000):
    kinds = integers(n, dtype=np.int32, high=16)

    def reference():
        return [np.bincount(kinds, minlength=16)]

    return kernel("count16", (kinds, np.zeros(16, np.int32)), restored=(1,), extents=(n,), reference=reference)


def deposit(n=1_000_000, cells=1 << 20):
    where, charges = integers(n, dtype=np.int32, high=cells), uniform(n)

    def reference():
        return [np.bincount(where, charges, minlength=cells)]

    arguments = (where, charges, np.zeros(cells, np.float32))
    return kernel("deposit", arguments, restored=(2,), extents=(n,), reference=reference, tolerance=1e-6)


def histogram256(n=8_000_000, blocks=256):
    values = np.random.default_rng([1, n]).normal(128, 40, n).clip(0, 255).astype(np.uint8)

    def reference():
        return [np.bincount(values, minlength=256)]

    arguments = (values, np.zeros(256, np.int32))
    threads = (blocks * 256,)
    return kernel("histogram256", arguments, restored=(1,), extents=(n,), threads=threads, reference=reference)


def compact(n=2_000_000):
    values, limit = uniform(n), np.float32(0.7)

    def canonical(out, count):
        return np.sort(out[: count[0]]), count

    def reference():
        kept = np.sort(values[values > limit])
        return [kept, np.array([kept.size])]

    return kernel(
        "compact",
        (limit, values, np.zeros(n, np.float32), np.zeros(1, np.int32)),
        outputs=(2, 3),
        restored=(3,),
        extents=(n,),
        reference=reference,
        canonical=canonical,
    )


KERNELS = {
    "table256": (table256, {"n": 1000}),
    "recolour": (recolour, {"n": 1000}),
    "searchsorted": (searchsorted, {"n": 300, "count": 1000}),
    "interpolate": (interpolate, {"n": 300, "count": 100}),
    "count16": (count16, {"n": 1000}),
    "deposit": (deposit, {"n": 1000, "cells": 500}),
    "histogram256": (histogram256, {"n": 5000, "blocks": 4}),
    "compact": (compact, {"n": 1000}),
}
