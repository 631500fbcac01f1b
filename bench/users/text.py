# Inputs and results of the kernels over bytes and texts.
import numpy as np

from users.common import integers, kernel

LENGTH = 16


def _text(n):
    """Lower and upper case, and every eighth byte a space."""
    letters = np.frombuffer(b"etaoinETAOINshrdluSHRDLU.,  ", np.uint8)
    return letters[integers(n, high=letters.size)]


def upper(n=20_000_000):
    text = _text(n)

    def reference():
        return [np.frombuffer(text.tobytes().upper(), np.uint8)]

    return kernel("upper", (text, np.zeros_like(text)), extents=(n,), reference=reference)


def find(n=2_000_000):
    text, pattern = _text(n), np.frombuffer(b"tan", np.uint8)

    def reference():
        right = np.zeros(n, np.uint8)
        right[: n - 2] = (text[:-2] == ord("t")) & (text[1:-1] == ord("a")) & (text[2:] == ord("n"))
        return [right]

    arguments = (text, pattern, np.zeros(n, np.uint8))
    return kernel("find", arguments, extents=(n, 3), threads=(n,), reference=reference)


def fnv(n=300_000, width=24):
    records = integers(n, width)

    def reference():
        h = np.full(n, 2166136261, np.uint32)
        for k in range(width):
            h = (h ^ records[:, k]) * np.uint32(16777619)
        return [h]

    arguments = (records, np.zeros(n, np.uint32))
    return kernel("fnv", arguments, extents=(n, width), threads=(n,), reference=reference)


def levenshtein(n=20_000):
    first, second = integers(n, LENGTH, low=97, high=101), integers(n, LENGTH, low=97, high=101, seed=2)

    def reference():
        row = np.tile(np.arange(LENGTH + 1), (n, 1))
        for j in range(LENGTH):
            above, row = row, np.empty_like(row)
            row[:, 0] = j + 1
            for k in range(LENGTH):
                cost = first[:, j] != second[:, k]
                row[:, k + 1] = np.minimum(np.minimum(row[:, k], above[:, k + 1]) + 1, above[:, k] + cost)
        return [row[:, LENGTH]]

    return kernel("levenshtein", (first, second, np.zeros(n, np.int32)), extents=(n,), reference=reference)


def words(n=20_000_000):
    text = _text(n)

    def reference():
        return [np.array([len(text.tobytes().split())])]

    arguments = (text, np.zeros(1, np.int32))
    return kernel("words", arguments, restored=(1,), extents=(n,), reference=reference)


def hamming(n=1_000_000, width=4):
    bytes_, wanted = integers(n, width * 8), integers(width * 8, seed=2)

    def reference():
        return [np.unpackbits(bytes_ ^ wanted, axis=1).sum(axis=1)]

    arguments = (bytes_.view(np.uint64), wanted.view(np.uint64), np.zeros(n, np.int32))
    return kernel("hamming", arguments, extents=(n, width), threads=(n,), reference=reference)


KERNELS = {
    "upper": (upper, {"n": 1000}),
    "find": (find, {"n": 1000}),
    "fnv": (fnv, {"n": 300}),
    "levenshtein": (levenshtein, {"n": 300}),
    "words": (words, {"n": 1000}),
    "hamming": (hamming, {"n": 300}),
}
