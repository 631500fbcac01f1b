# range() as a value: kept, handed on, indexed, asked for its parts, merged where paths meet.
import numpy as np
from treadle import cuda

from kernels.harness import check

FIXED = range(3, 20, 4)


@cuda.jit(device=True)
def total(numbers, scale):
    result = 0
    for k in numbers:
        result += k * scale
    return result


@cuda.jit(device=True)
def describe(numbers):
    return len(numbers), numbers.start, numbers.stop, numbers.step


@cuda.jit(device=True)
def halves(numbers):
    middle = (numbers.start + numbers.stop) // 2
    return range(numbers.start, middle, numbers.step), range(middle, numbers.stop, numbers.step)


@cuda.jit
def handed_on(starts, stops, steps, out):
    i = cuda.grid(1)
    if i < starts.size:
        numbers = range(starts[i], stops[i], steps[i])
        out[i, 0] = total(numbers, 3) + total(range(5), 2) + total(range(i, 0, -2), 1)
        out[i, 1], out[i, 2], out[i, 3], out[i, 4] = describe(numbers)
        if len(numbers) > 0:
            out[i, 5] = numbers[0] + 7 * numbers[-1] + 11 * numbers[len(numbers) // 2]
        out[i, 6] = 3 in numbers
        out[i, 7] = (i in numbers) + 2 * (starts[i] not in numbers) + 4 * (stops[i] in numbers)
        lower, upper = halves(range(i, i + 9))
        out[i, 8] = total(lower, 1) + 100 * total(upper, 1)
        out[i, 9] = -1
        for out[i, 9] in numbers:
            if out[i, 9] > 4:
                break
        else:
            out[i, 9] += 1000


@cuda.jit
def merged(x, out):
    i = cuda.grid(1)
    if i < x.size:
        if x[i] > 4:
            numbers = range(x[i])
        elif x[i] > 2:
            numbers = range(i, 0, -3)
        else:
            numbers = range(2, 8, 2)
        other = range(i) if i % 2 else range(4, 0, -1)
        for k in numbers:
            if k == 5:
                continue
            for m in other:
                out[i] += k * m + 1
        if numbers:
            out[i] += 100000
        out[i] += 200000 if not range(i % 2) else 0
        out[i] += 400000 * bool(range(i % 3, 1))
        numbers = range(3)
        out[i] += len(numbers) + len(other)


@cuda.jit
def tuples_of_ranges(out):
    i = cuda.grid(1)
    if i < out.size:
        pair = (range(i % 4), range(1, i, 3))
        rows, columns = pair
        for r in rows:
            for c in columns:
                out[i] += 10 * r + c
        for r, c in zip(*pair):
            out[i] += 1000 * r + c
        for numbers in pair:
            out[i] += len(numbers)
        out[i] += pair[1].stop


@cuda.jit
def constants(out):
    i = cuda.grid(1)
    if i < out.size:
        numbers = range(10, 0, -3)
        out[i] = numbers[0] + numbers[1] * 10 + numbers[-1] * 100 + len(numbers) * 1000
        for k in numbers:
            out[i] += k
        a, b, c, d = numbers
        out[i] += a - b + c - d + (7 in numbers) + (8 in numbers)


@cuda.jit
def huge(out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        top = 2**62
        numbers = range(top - i, top + 3 * i + 1, i + 1)
        out[i, 0] = len(numbers)
        out[i, 1] = numbers[-1] - top
        for k in numbers:
            out[i, 2] += k - top
        for k in range(-(2**63), -(2**63) + i, 3):
            out[i, 3] += k + 2**63 - 1 + 1 if k < 0 else 0


@cuda.jit
def captured_and_reversed(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for k, number in enumerate(FIXED, i):
            out[i] += k * number
        out[i] += len(FIXED) + FIXED[i % 5] + sum(FIXED) * 100 + (7 in FIXED) * 10000
        for k in reversed(range(i % 4)):
            out[i] = out[i] * 3 + k
        for k in reversed(range(i, -i, -7)):
            out[i] = (out[i] * 5 + k) % 99991
        for value in reversed(x[i]):
            out[i] = out[i] * 3 + value
        for value in reversed((1, i, 3)):
            out[i] = out[i] * 3 + value


@cuda.jit
def used_twice(out):
    """Unlike an iterator, a range begins again."""
    i = cuda.grid(1)
    if i < out.size:
        numbers = range(i % 5)
        for a in numbers:
            for b in numbers:
                out[i] += a * 5 + b
        i_was, i = i, 3
        out[i_was] += len(numbers) + i


PTX = [
    (handed_on, "(int64[::1], int64[::1], int64[::1], int64[:, ::1])"),
    (merged, "(int64[::1], int64[::1])"),
    (tuples_of_ranges, "(int64[::1],)"),
    (constants, "(int64[::1],)"),
    (huge, "(int64[:, ::1],)"),
    (captured_and_reversed, "(int64[:, ::1], int64[::1])"),
    (used_twice, "(int64[::1],)"),
]


def run():
    n = 77
    i = np.arange(n)
    check(handed_on, 3, 32, i % 9 - 4, i % 13 - 6, np.where(i % 2, i % 4 + 1, -1 - i % 3), np.zeros((n, 10), np.int64))
    check(merged, 3, 32, i % 11, np.zeros(n, np.int64))
    check(tuples_of_ranges, 3, 32, np.zeros(n, np.int64))
    check(constants, 3, 32, np.zeros(n, np.int64))
    check(huge, 3, 32, np.zeros((n, 4), np.int64))
    check(captured_and_reversed, 3, 32, np.arange(n * 3).reshape(n, 3) % 7, np.zeros(n, np.int64))
    check(used_twice, 3, 32, np.zeros(n, np.int64))
