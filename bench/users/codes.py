# Inputs and results of the kernels over bits, texts and dates, and of the small sorts.
import base64
import zlib

import numpy as np

from users.common import integers, kernel, uniform

ALPHABET = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8)
SIZE = 16
SORTED = 512


def base64_encode(n=1_000_000):
    data = integers(3 * n)

    def reference():
        return [np.frombuffer(base64.b64encode(data.tobytes()), np.uint8)]

    return kernel("base64_encode", (data, ALPHABET, np.zeros(4 * n, np.uint8)), extents=(n,), reference=reference)


def utf8_lengths(n=200_000, mean=24):
    letters = np.frombuffer("aäßœ漢字😀 bcdef".encode(), np.uint8)
    lengths = integers(n, dtype=np.int32, high=2 * mean)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    text = np.resize(letters, offsets[-1])

    def reference():
        starts = np.concatenate([[0], np.cumsum((text & 0xC0) != 0x80)])
        return [np.diff(starts[offsets])]

    return kernel("utf8_lengths", (text, offsets, np.zeros(n, np.int32)), extents=(n,), reference=reference)


def parse_numbers(n=500_000):
    numbers = integers(n, dtype=np.int32, low=-999_999, high=10**7)
    fields = np.array([b"%8d" % number for number in numbers.tolist()]).view(np.uint8).reshape(n, 8)
    return kernel("parse_numbers", (fields, np.zeros(n, np.int32)), extents=(n,), reference=lambda: [numbers])


def tokens(n=50_000, length=64):
    """Strings in double quotes, with escapes, are entered by their closing quotes."""
    quote, backslash = ord('"'), ord("\\")
    lines = np.frombuffer(b'abcde  ""\\', np.uint8)[integers(n, length, high=10)]
    classes = np.zeros(256, np.uint8)
    classes[quote], classes[backslash] = 1, 2
    # Outside, inside, after a backslash inside, at a closing quote.
    moves = np.array([[0, 1, 0], [1, 3, 2], [1, 1, 1], [0, 1, 0]], np.uint8)

    def reference():
        count, inside, escaped = np.zeros(n, np.int64), np.zeros(n, bool), np.zeros(n, bool)
        for column in lines.T:
            acts = ~escaped & (column == quote)
            count += acts & inside
            escaped = inside & ~escaped & (column == backslash)
            inside ^= acts
        return [count]

    return kernel(
        "tokens",
        (classes, moves, lines, np.zeros(n, np.int32)),
        extents=(n, length, moves.shape[1], moves.shape[0]),
        threads=(n,),
        reference=reference,
    )


def _days(n):
    return integers(n, dtype=np.int32, low=-200_000, high=200_000)


def _parts_of(days):
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    years = months.astype("datetime64[Y]")
    year, month = years.astype(int) + 1970, (months - years).astype(int) + 1
    return [year, month, (dates - months).astype(int) + 1]


def civil_dates(n=500_000):
    days = _days(n)
    return kernel(
        "civil_dates",
        (days, *(np.zeros(n, np.int32) for _ in range(3))),
        outputs=(1, 2, 3),
        extents=(n,),
        reference=lambda: _parts_of(days),
    )


def weekdays(n=1_000_000):
    days = _days(n)
    year, month, day = _parts_of(days)
    arguments = (year.astype(np.int16), month.astype(np.int8), day.astype(np.int8), np.zeros(n, np.int8))
    # 1970-01-01 was a Thursday, which is 5, as Saturday is 0; 13 (m + 1) / 5 of Zeller's counts from there.
    return kernel("weekdays", arguments, extents=(n,), reference=lambda: [(days + 5) % 7])


def morton3(n=1_000_000):
    points = uniform(n, 3, low=-0.01, high=1.01)

    def reference():
        cells = (points * np.float32(1024)).clip(0, 1023).astype(np.int64)
        bits = (cells[:, None, :] >> np.arange(10)[:, None]) & 1
        return [(bits << (3 * np.arange(10)[:, None] + np.array([2, 1, 0]))).sum(axis=(1, 2))]

    return kernel("morton3", (points, np.zeros(n, np.uint32)), extents=(n,), reference=reference)


def gray_decode(n=300_000):
    numbers = integers(n, dtype=np.uint32, high=1 << 32)
    codes = numbers ^ (numbers >> np.uint32(1))
    return kernel("gray_decode", (codes, np.zeros_like(codes)), extents=(n,), reference=lambda: [numbers])


def reverse_bits(n=3_000_000):
    words = integers(n, dtype=np.uint32, high=1 << 32)

    def reference():
        bits = np.unpackbits(words.view(np.uint8).reshape(n, 4), axis=1, bitorder="little")
        return [np.packbits(bits, axis=1).view(">u4")[:, 0].astype(np.uint32)]

    return kernel("reverse_bits", (words, np.zeros_like(words)), extents=(n,), reference=reference)


def crc32_rows(n=50_000, width=40):
    rows, table = integers(n, width), np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0xEDB88320), table >> 1).astype(np.uint32)

    def reference():
        return [np.array([zlib.crc32(row) for row in rows])]

    arguments = (table, rows, np.zeros(n, np.uint32))
    return kernel("crc32_rows", arguments, extents=(n, width), threads=(n,), reference=reference)


def count_ones(n=2_000_000):
    a, b = (integers(n, dtype=np.uint64, high=1 << 63, seed=seed) for seed in (1, 2))
    # Few bits in one of two, many in the other.
    words = np.where(np.arange(n) % 2, a | b, a & b)

    def reference():
        return [np.unpackbits(words.view(np.uint8).reshape(n, 8), axis=1).sum(axis=1)]

    return kernel("count_ones", (words, np.zeros(n, np.uint8)), extents=(n,), reference=reference)


def sort_rows16(n=50_000):
    rows = uniform(n, SIZE)
    return kernel("sort_rows16", (rows, np.zeros_like(rows)), extents=(n,), reference=lambda: [np.sort(rows, axis=1)])


def bitonic_sort(count=500):
    values = integers(count * SORTED, dtype=np.int32, low=-(10**9), high=10**9)
    return kernel(
        "bitonic_sort",
        (values, np.zeros_like(values)),
        extents=(values.size,),
        threads=(values.size // 2,),
        reference=lambda: [np.sort(values.reshape(count, SORTED), axis=1).ravel()],
    )


def run_lengths(n=1_000_000):
    text = np.repeat(integers(n, high=4), integers(n, dtype=np.int64, low=1, high=8, seed=2))[:n]

    def reference():
        at = np.arange(n)
        begins = np.concatenate([[True], text[1:] != text[:-1]])
        return [np.minimum(at - np.maximum.accumulate(np.where(begins, at, 0)) + 1, 255)]

    return kernel("run_lengths", (text, np.zeros_like(text)), extents=(n,), reference=reference)


KERNELS = {
    "base64_encode": (base64_encode, {"n": 300}),
    "utf8_lengths": (utf8_lengths, {"n": 300}),
    "parse_numbers": (parse_numbers, {"n": 300}),
    "tokens": (tokens, {"n": 300, "length": 20}),
    "civil_dates": (civil_dates, {"n": 300}),
    "weekdays": (weekdays, {"n": 300}),
    "morton3": (morton3, {"n": 300}),
    "gray_decode": (gray_decode, {"n": 300}),
    "reverse_bits": (reverse_bits, {"n": 300}),
    "crc32_rows": (crc32_rows, {"n": 300}),
    "count_ones": (count_ones, {"n": 300}),
    "sort_rows16": (sort_rows16, {"n": 300}),
    "bitonic_sort": (bitonic_sort, {"count": 2}),
    "run_lengths": (run_lengths, {"n": 1000}),
}
