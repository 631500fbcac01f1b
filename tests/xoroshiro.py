"""What cuda.random must give, in NumPy: many xoroshiro128+ generators at once. Imports nothing of Treadle."""

import numpy as np

DTYPE = np.dtype([("s0", np.uint64), ("s1", np.uint64)])
JUMP = 0xD86B048B86AA9922BEAC0467EBA5FACB
MASK = (1 << 64) - 1


def word(number):
    return np.uint64(number & MASK)


def rotated(x, left):
    return x << np.uint64(left) | x >> np.uint64(64 - left)


def first_state(seed):
    """SplitMix64's first number, as both words."""
    z = (seed + 0x9E3779B97F4A7C15) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return (word(z ^ z >> 31),) * 2


class Generators:
    """Generators side by side; each call gives one number of each."""

    def __init__(self, states):
        self.s0, self.s1 = states["s0"].copy(), states["s1"].copy()

    @property
    def states(self):
        found = np.empty(self.s0.shape, DTYPE)
        found["s0"], found["s1"] = self.s0, self.s1
        return found

    def next(self):
        total = self.s0 + self.s1
        mixed = self.s1 ^ self.s0
        self.s0, self.s1 = rotated(self.s0, 55) ^ mixed ^ mixed << np.uint64(14), rotated(mixed, 36)
        return total

    def jump(self):
        sum0, sum1 = np.zeros_like(self.s0), np.zeros_like(self.s1)
        for bit in range(128):
            if JUMP >> bit & 1:
                sum0 ^= self.s0
                sum1 ^= self.s1
            self.next()
        self.s0, self.s1 = sum0, sum1

    def uniform64(self):
        return (self.next() >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def uniform32(self):
        return self.uniform64().astype(np.float32)

    def normal32(self):
        """In float64, of the float32 numbers that are drawn."""
        radius, turn = self.uniform32().astype(np.float64), self.uniform32()
        angle = (np.float32(2 * np.pi) * turn).astype(np.float64)
        return np.sqrt(-2 * np.log(radius)) * np.cos(angle)

    def normal64(self):
        """The logarithm is one of float32."""
        radius, turn = self.uniform32(), self.uniform32().astype(np.float64)
        logarithm = np.log(radius.astype(np.float64)).astype(np.float32).astype(np.float64)
        return np.sqrt(-2 * logarithm) * np.cos(2 * np.pi * turn)


def states(count, seed, start=0):
    """Each is the one before it after a jump."""
    one = np.zeros(1, DTYPE)
    one["s0"], one["s1"] = first_state(seed)
    generator = Generators(one)
    found = np.empty(count, DTYPE)
    for k in range(-start, count):
        if k >= 0:
            found[k] = generator.states[0]
        generator.jump()
    return found


def any_states(count, seed=0):
    """States that nothing has seeded."""
    return np.random.default_rng(seed).integers(0, 1 << 64, (count, 2), np.uint64).view(DTYPE)[:, 0]
