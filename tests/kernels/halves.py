# float16 for tests: all halves, pairs of them, launches over arrays, and comparisons by bits.
import numpy as np
import stand_in

HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
EDGES = np.array(
    [0, 0x3C00, 0x3C01, 0x3BFF, 0x3800, 0x4248, 0x2E66, 1, 2, 0x3FF, 0x400, 0x7BFF, 0x7BFE, 0x7800, 0x7C00, 0x7E00],
    "u2",
)
EDGES = np.concatenate([EDGES, EDGES | 0x8000]).view(np.float16)


def some(values):
    """All of them; on the stand-in, whose machine takes its time, every 13th and the edges."""
    return values[np.r_[0 : len(values) : 13]] if stand_in.is_under_test() else values


def all_halves():
    return np.concatenate([some(HALVES), EDGES])


def pairs():
    """Two arrays: edges with edges, and each half with others from everywhere, and with one near it."""
    generator = np.random.default_rng(1999)
    left = np.concatenate([np.repeat(EDGES, len(EDGES)), *[HALVES] * 4])
    near = (HALVES.view("u2") + generator.integers(-3, 4, len(HALVES)).astype("u2")).view(np.float16)
    others = [HALVES[generator.permutation(len(HALVES))] for _ in range(3)]
    right = np.concatenate([np.tile(EDGES, len(EDGES)), *others, near])
    return some(left), some(right)


def launch(kernel, *arrays, results):
    """Outputs of these dtypes, of a kernel over the arrays: one thread for an element."""
    outputs = [np.zeros(len(arrays[0]), dtype) for dtype in results]
    kernel[(len(arrays[0]) + 127) // 128, 128](*arrays, *outputs)
    return outputs


def same(what, found, expected, *operands):
    """Bit for bit, except that one NaN is as good as another."""
    assert found.dtype == expected.dtype, f"{what}: {found.dtype}, {expected.dtype}"
    wrong = ~((found == expected) & (np.signbit(found) == np.signbit(expected)))
    wrong &= ~((found != found) & (expected != expected))
    if wrong.any():
        at = np.flatnonzero(wrong)[:4]
        shown = ", ".join(str([float(x[i]) for x in operands]) for i in at)
        raise AssertionError(f"{what}: {wrong.sum()} wrong: of {shown}: {found[at]}, expected {expected[at]}")
