# Counters of loops that threads leave one after another, read after the loop.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def search(text, pattern, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        j = 0
        while j < pattern.size and text[i + j] == pattern[j]:
            j += 1
        out[i, 0] = j
        k = pattern.size
        for j in range(pattern.size):
            if text[i + j] != pattern[j]:
                break
        else:
            j = -1
            k += 1
        out[i, 1] = j * 100 + k
        steps = 1
        j = pattern.size
        while True:
            if steps == 64:
                break
            if text[i + steps] == text[i]:
                break
            steps *= 2
            j -= 1
        out[i, 2] = j
        out[i, 3] = steps


@cuda.jit
def without_rounds(text, pattern, out):
    """The variable of a loop that does not run keeps its value, in the else clause, too."""
    i = cuda.grid(1)
    if i < out.shape[0]:
        j, seen = 7, 0
        for j in range(3, i % 6):
            if text[i + j] > 1:
                break
        else:
            seen = j
        out[i, 0] = j
        out[i, 1] = seen
        j = 5
        while j < i % 9 and text[i + j] < 2:
            j += 1
        else:
            seen = j
        out[i, 2] = j
        out[i, 3] = seen


@cuda.jit
def nested(text, pattern, out):
    """Loops that are entered again, by fewer threads each time, and stores at what they count."""
    i = cuda.grid(1)
    if i < out.shape[0]:
        total = 0
        for start in range(0, 12, 3):
            j = 0
            while j < 4 and text[i + start + j] != 2:
                k = 0
                while k < 3 and text[i + k] != text[j]:
                    k += 1
                out[i, k] += k + 1
                total += k
                j += 1
            if j == 4:
                break
            total += 10 * j
        out[i, 3] += total * 100 + start


@cuda.jit
def others(text, pattern, out):
    """Not the same number for all threads: counted by some, from elsewhere, or twice in some rounds."""
    i = cuda.grid(1)
    if i < out.shape[0]:
        j = 0
        for _ in range(9):
            if text[i + j] == 2:
                break
            if text[i + j] == 1:
                continue
            j += 1
        out[i, 0] = j
        k = i % 3
        while k < 9 and text[i + k] < 2:
            k += 1
        out[i, 1] = k
        k = 0
        while k < 9 and text[i + k] < 2:
            if text[i] == 0:
                k += 1
            k += 1
        out[i, 2] = k
        m = 0
        if i % 2:
            m = 2
        while m < 9 and text[i + m] < 2:
            m += 1
        out[i, 3] = m


@cuda.jit
def ended(text, pattern, out):
    """By a return, after which the others go on."""
    i = cuda.grid(1)
    if i < out.shape[0]:
        j = 0
        while j < 12:
            out[i, 0] = j + 1
            if text[i + j] == pattern[0]:
                return
            j += 1
        out[i, 1] = j


@cuda.jit
def inserted(text, pattern, out):
    """Sorts by insertion: the counter starts with what an enclosing loop has, and changes in between."""
    i = cuda.grid(1)
    own = cuda.local.array(16, np.int64)
    if i < out.shape[0]:
        for k in range(16):
            own[k] = text[i + k] * 7 + i * k % 5
        for k in range(1, 16):
            value = own[k]
            j = k - 1
            while j >= 0 and own[j] > value:
                own[j + 1] = own[j]
                j -= 1
            own[j + 1] = value
        at = pattern.size
        first = at
        at += 1
        while at < 16 and own[at] == own[first]:
            at += 2
            if at == 9:
                break
        out[i, 0], out[i, 1], out[i, 2] = own[0], own[8], own[15]
        out[i, 3] = at * 100 + first


@cuda.jit
def from_the_thread(text, pattern, out):
    """Counters that start at the thread's position, or a fixed distance from it, and run down or up."""
    i = cuda.grid(1)
    if i < out.shape[0]:
        k = i
        while k > 0 and text[k - 1] == text[i] and i - k < 20:
            k -= 1
        out[i, 0] = i - k
        k = 2 * i + 1 - i
        while k < text.size and text[k] != 2:
            k += 2
        out[i, 1] = k
        for k in range(i + pattern.size, text.size):
            if text[k] == text[i]:
                break
        else:
            k = -1
        out[i, 2] = k
        for k in range(i, i - 40, -3):
            if k < 0 or text[k] == 1:
                break
        out[i, 3] = k


KERNELS = [search, without_rounds, nested, others, inserted, from_the_thread, ended]
PTX = [(kernel, "(uint8[::1], uint8[::1], int64[:, ::1])") for kernel in KERNELS]


def run():
    text = np.random.default_rng(0).integers(0, 3, 400).astype(np.uint8)
    for size in (0, 1, 3, 8):
        for kernel in KERNELS[:-1] if size == 0 else KERNELS:
            check(kernel, 3, 96, text, text[90 : 90 + size].copy(), np.zeros((270, 4), np.int64))
