# Loops over the bits of a number: those that are one instruction, those that are unrolled, and others like them.
import numpy as np
from treadle import cuda

from kernels.harness import check


@cuda.jit
def set_bits(x, one, out):
    """`x &= x - 1` until nothing is left; negative numbers have their highest bit set."""
    i = cuda.grid(1)
    if i < x.size:
        word = x[i]
        count, weighted = 10, 3
        while word:
            count += 1
            word &= word - one[0]
            weighted += -7
        out[i, 0], out[i, 1], out[i, 2] = count, weighted, word
        word = x[i]
        while word > 0:
            word = word & (word - one[0])
            count += 1
        out[i, 3] = count
        out[i, 4] = word


@cuda.jit
def shifted(x, one, out):
    """By one to the right, while above zero: rounds and ones are counted."""
    i = cuda.grid(1)
    if i < x.size:
        word = x[i]
        rounds, ones = 5, 0
        while word > 0:
            ones += word & 1
            word >>= 1
            rounds += 2
        out[i, 0], out[i, 1], out[i, 2] = rounds, ones, word
        word = x[i]
        rounds = 0
        if word >= 0:
            while word != 0:
                word = word >> one[0]
                rounds += 1
        out[i, 3] = rounds
        out[i, 4] = word


@cuda.jit
def narrow(x, one, out):
    """In 32 and 8 bits."""
    i = cuda.grid(1)
    if i < x.size:
        word = np.int32(x[i] >> 32)
        count = 0
        while word != 0:
            word = np.int32(word & (word - 1))
            count += 1
        byte = np.uint8(x[i] & 255)
        rounds = ones = 0
        while byte:
            ones += byte & 1
            byte = np.uint8(byte >> 1)
            rounds += 1
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4] = count, word, rounds, ones, byte


@cuda.jit
def cut(x, one, out):
    """Each round keeps the lowest bits only, or those that a float has."""
    i = cuda.grid(1)
    if i < x.size:
        word = x[i]
        a = b = 0
        while word != 0:
            word = np.int64(np.int8(word & (word - 1)))
            a += 1
        word = x[i]
        while word > 0:
            word = np.int64(np.float32(word >> 1))
            b += 1
        out[i, 0], out[i, 1], out[i, 2] = a, b, word


@cuda.jit
def others(x, one, out):
    """Not such loops: by two bits, from another variable, counted after the shift, with an end of their own."""
    i = cuda.grid(1)
    if i < x.size:
        word = x[i]
        a = b = c = d = e = 0
        while word > 0:
            word >>= 2
            a += 1
        word = x[i]
        while word > 0:
            word >>= 1
            b += word & 1
        word = other = x[i]
        while word > 0:
            word >>= 1
            c += other & 1
        word = x[i]
        while word > 3:
            word >>= 1
            d += 1
        word = x[i]
        while word > 0:
            word >>= 1
            e += a
        else:
            e += 100
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4] = a, b, c, d, e


@cuda.jit
def summed(x, one, out):
    """Two variables change, or a counter twice, or by itself."""
    i = cuda.grid(1)
    if i < x.size:
        word = x[i]
        a, b, c = 0, 1, 0
        while word > 0:
            a += 1
            word >>= 1
            a += 2
        word = x[i]
        while word > 0:
            b += b & 1
            word >>= 1
        word = x[i]
        while word > 0:
            c += word & 2
            word >>= 1
        out[i, 0], out[i, 1], out[i, 2] = a, b, c


@cuda.jit
def unrolled(x, one, out):
    """Constant numbers of rounds: reversed bits and bytes, spread bits, a Gray code, parity; and too many."""
    i = cuda.grid(1)
    if i < x.size:
        word = np.int64(x[i])
        reverse = bytes_reversed = spread = 0
        for _ in range(32):
            reverse = (reverse << 1) | (word & 1)
            word >>= 1
        word = np.int64(x[i])
        for _ in range(4):
            bytes_reversed = (bytes_reversed << 8) | (word & 255)
            word >>= 8
        word = np.int64(x[i])
        for bit in range(16):
            spread |= ((word >> bit) & 1) << (2 * bit)
        parity = 0
        for _ in range(64):
            parity ^= word & 1
            word >>= 1
        word = np.int64(x[i]) & 0xFFFF
        for _ in range(90):
            word = (word >> 1) ^ ((word & 1) << 15)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4] = reverse, bytes_reversed, spread, parity, word


KERNELS = [set_bits, shifted, narrow, cut, others, summed, unrolled]
PTX = [
    (kernel, f"({name}[::1], {name}[::1], int64[:, ::1])")
    for kernel in KERNELS
    for name in ("int32", "int64", "uint32")
]


def run():
    rng = np.random.default_rng(1)
    for name in ("uint8", "int16", "uint32", "int64"):
        least, most = (0, np.iinfo(name).max) if name != "int64" else (-(2**63), 2**63 - 1)
        edges = [e for e in (0, 1, 2, 3, 127, 128, 255, 2**15 - 1, 2**31, 2**32 - 1, 2**62) if e <= most]
        x = rng.integers(least, most, 200, dtype=name, endpoint=True)
        x[: len(edges)] = edges
        if least < 0:
            x[20:24] = -1, -2, least, least + 1
        for kernel in KERNELS if name == "int64" else [set_bits, shifted, others, summed, unrolled]:
            check(kernel, 2, 100, x, np.ones(1, name), np.zeros((200, 5), np.int64))
