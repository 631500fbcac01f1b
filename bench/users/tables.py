# Inputs and results of the kernels over tables, graphs, queues and records.
import numpy as np

from users.common import integers, kernel, uniform

ORDER = np.dtype(
    [("id", np.int64), ("stock", np.uint16), ("buys", np.uint8), ("state", np.uint8), ("limit", np.float32)]
    + [("open", np.int32)]
)
SENSOR = np.dtype(
    [("status", np.uint8), ("gain", np.float64), ("offset", np.float64), ("readings", np.int16, 4), ("time", np.int64)],
    align=True,
)


def group_by(n=1_000_000, groups=1000):
    keys, values = integers(n, dtype=np.int32, high=groups), uniform(n, low=-1)
    results = np.zeros(groups, np.int32), np.zeros(groups)
    extremes = np.full(groups, np.inf, np.float32), np.full(groups, -np.inf, np.float32)

    def reference():
        least, largest = (array.copy() for array in extremes)
        np.minimum.at(least, keys, values)
        np.maximum.at(largest, keys, values)
        sums = np.bincount(keys, values, minlength=groups)
        # A group without a row keeps its infinities, which have no difference.
        return [np.bincount(keys, minlength=groups), sums, *map(np.nan_to_num, (least, largest))]

    return kernel(
        "group_by",
        (keys, values, *results, *extremes),
        outputs=(2, 3, 4, 5),
        restored=(2, 3, 4, 5),
        extents=(n, groups),
        threads=(n,),
        reference=reference,
        tolerance=1e-12,
        canonical=lambda counts, sums, least, largest: (counts, sums, *map(np.nan_to_num, (least, largest))),
    )


def join_sorted(n=200_000, count=100_000):
    keys = np.unique(integers(count, dtype=np.int32, high=2 * count))
    payload, wanted = integers(keys.size, dtype=np.int32, seed=2), integers(n, dtype=np.int32, high=2 * count, seed=3)

    def reference():
        at = np.searchsorted(keys, wanted).clip(max=keys.size - 1)
        return [np.where(keys[at] == wanted, payload[at], -1)]

    arguments = (keys, payload, wanted, np.zeros(n, np.int32))
    return kernel("join_sorted", arguments, extents=(n, keys.size), threads=(n,), reference=reference)


def hash_probe(n=1_000_000, count=30_000, bits=16):
    keys = np.unique(integers(count, dtype=np.int32, high=1 << 24))
    slots, values = np.full(1 << bits, -1, np.int32), np.zeros(1 << bits, np.float32)
    payload, wanted = uniform(keys.size, low=1, high=2), keys[integers(n, dtype=np.int32, high=keys.size, seed=2)]
    wanted[::3] += 1
    mask = (1 << bits) - 1
    for key, value in zip(keys.tolist(), payload, strict=True):
        at = ((key * 2654435761 & 0xFFFFFFFF) >> 7) & mask
        while slots[at] != -1:
            at = (at + 1) & mask
        slots[at], values[at] = key, value

    def reference():
        at = np.searchsorted(keys, wanted).clip(max=keys.size - 1)
        return [np.where(keys[at] == wanted, payload[at], 0)]

    arguments = (slots, values, wanted, np.zeros(n, np.float32))
    return kernel("hash_probe", arguments, extents=(n, slots.size), threads=(n,), reference=reference)


def _graph(vertices, mean):
    """Edges of both directions, without loops and doubles, as offsets and sorted neighbours; degrees are skewed."""
    heads = integers(vertices * mean // 2, dtype=np.int64, high=vertices)
    tails = (uniform(heads.size, dtype=np.float64, seed=2) ** 2 * vertices).astype(np.int64)
    edges = np.unique(np.concatenate([heads * vertices + tails, tails * vertices + heads]))
    heads, tails = edges // vertices, edges % vertices
    heads, tails = heads[heads != tails], tails[heads != tails]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(heads, minlength=vertices))])
    return offsets.astype(np.int32), tails.astype(np.int32), heads


def pagerank(n=100_000, mean=10):
    offsets, sources, heads = _graph(n, mean)
    degrees, rank, damping = np.diff(offsets), uniform(n, dtype=np.float64), np.float64(0.85)

    def reference():
        return [(1 - damping) / n + damping * np.bincount(heads, (rank / degrees.clip(1))[sources], minlength=n)]

    arguments = (damping, offsets, sources, degrees, rank, np.zeros(n))
    return kernel("pagerank", arguments, extents=(n,), reference=reference, tolerance=1e-13)


def spread_labels(n=100_000, mean=10):
    offsets, neighbours, heads = _graph(n, mean)
    labels = np.random.default_rng(1).permutation(n).astype(np.int32)

    def reference():
        least = labels.copy()
        np.minimum.at(least, heads, labels[neighbours])
        return [least, np.array([np.count_nonzero(least != labels)])]

    return kernel(
        "spread_labels",
        (offsets, neighbours, labels, np.zeros(n, np.int32), np.zeros(1, np.int32)),
        outputs=(3, 4),
        restored=(4,),
        extents=(n,),
        reference=reference,
    )


def bfs_level(n=200_000, mean=10):
    offsets, neighbours, heads = _graph(n, mean)
    levels, level = np.full(n, -1, np.int32), np.int32(3)
    levels[integers(n, high=10) == 0] = level

    def reference():
        right = levels.copy()
        reached = neighbours[levels[heads] == level]
        right[reached[levels[reached] == -1]] = level + 1
        return [right, np.array([1])]

    return kernel(
        "bfs_level",
        (level, offsets, neighbours, levels, np.zeros(1, np.int32)),
        outputs=(3, 4),
        restored=(3, 4),
        extents=(n,),
        reference=reference,
    )


def triangles(n=10_000, mean=12):
    offsets, neighbours, heads = _graph(n, mean)
    upward = neighbours > heads
    heads, tails = heads[upward], neighbours[upward]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(heads, minlength=n))]).astype(np.int32)

    def reference():
        right, own = np.zeros(n, np.int64), [set(part.tolist()) for part in np.split(tails, offsets[1:-1])]
        for v, w in zip(heads.tolist(), tails.tolist(), strict=True):
            right[v] += len(own[v] & own[w])
        return [right]

    return kernel("triangles", (offsets, tails, np.zeros(n, np.int32)), extents=(n,), reference=reference)


def compact_ballot(n=1_000_000):
    limit, values = np.float32(0.6), uniform(n)

    def reference():
        chosen = np.flatnonzero(values > limit)
        return [np.pad(chosen, (n - chosen.size, 0)), np.array([chosen.size])]

    return kernel(
        "compact_ballot",
        (limit, values, np.zeros(n, np.int32), np.zeros(1, np.int32)),
        outputs=(2, 3),
        restored=(3,),
        extents=(n,),
        reference=reference,
        canonical=lambda out, count: (np.sort(out), count),
    )


def two_queues(n=500_000):
    costs = integers(n, dtype=np.int32, high=20)

    def reference():
        small, large = np.flatnonzero(costs < 16), np.flatnonzero(costs >= 16)
        padded = [np.pad(queue, (n - queue.size, 0)) for queue in (small, large)]
        return [*padded, np.array([small.size, large.size])]

    return kernel(
        "two_queues",
        (costs, np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(2, np.int32)),
        outputs=(1, 2, 3),
        restored=(3,),
        extents=(n,),
        reference=reference,
        canonical=lambda small, large, ends: (np.sort(small), np.sort(large), ends),
    )


def fill_orders(n=500_000, stocks=500):
    orders, prices = np.zeros(n, ORDER), uniform(stocks, high=100)
    orders["id"], orders["stock"] = np.arange(n), integers(n, dtype=np.uint16, high=stocks)
    orders["buys"], orders["limit"] = integers(n, high=2, seed=2), uniform(n, high=100, seed=3)
    orders["open"] = integers(n, dtype=np.int32, low=0, high=50, seed=4)

    def fields(records):
        return [records[field] for field in ("id", "stock", "buys", "state", "limit", "open")]

    def reference():
        right, price = orders.copy(), prices[orders["stock"]]
        done = np.where(orders["buys"] == 1, price <= orders["limit"], price >= orders["limit"]) & (orders["open"] > 0)
        right["open"][done], right["state"][done] = 0, 2
        return [*fields(right), np.where(done, price.astype(np.float64) * orders["open"], 0)]

    return kernel(
        "fill_orders",
        (orders, prices, np.zeros(n)),
        outputs=(0, 2),
        restored=(0,),
        extents=(n,),
        reference=reference,
        canonical=lambda records, filled: (*fields(records), filled),
    )


def mean_readings(n=500_000):
    sensors = np.zeros(n, SENSOR)
    sensors["status"], sensors["readings"] = integers(n), integers(n, 4, dtype=np.int16, low=-2000, high=2000)
    sensors["gain"], sensors["offset"] = uniform(n, dtype=np.float64), uniform(n, dtype=np.float64, seed=2)

    def reference():
        means = sensors["gain"] * sensors["readings"].mean(axis=1) + sensors["offset"]
        return [np.where(sensors["status"] & 1, means, -1)]

    arguments = (sensors, np.zeros(n))
    return kernel("mean_readings", arguments, extents=(n,), reference=reference, tolerance=1e-13)


def cell_counts(n=1_000_000, size=64):
    points = uniform(n, 2)

    def reference():
        x, y = (points * np.float32(size)).astype(np.int64).T
        return [np.bincount(y * size + x, minlength=size * size).reshape(size, size)]

    return kernel(
        "cell_counts",
        (points, np.float32(size), np.zeros((size, size), np.int32)),
        restored=(2,),
        extents=(n, size),
        threads=(n,),
        reference=reference,
    )


KERNELS = {
    "group_by": (group_by, {"n": 1000, "groups": 50}),
    "join_sorted": (join_sorted, {"n": 300, "count": 200}),
    "hash_probe": (hash_probe, {"n": 300, "count": 200, "bits": 9}),
    "pagerank": (pagerank, {"n": 300}),
    "spread_labels": (spread_labels, {"n": 300}),
    "bfs_level": (bfs_level, {"n": 300}),
    "triangles": (triangles, {"n": 300}),
    "compact_ballot": (compact_ballot, {"n": 1000}),
    "two_queues": (two_queues, {"n": 1000}),
    "fill_orders": (fill_orders, {"n": 300, "stocks": 20}),
    "mean_readings": (mean_readings, {"n": 300}),
    "cell_counts": (cell_counts, {"n": 1000, "size": 8}),
}
