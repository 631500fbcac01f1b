# Inputs and results of the kernels whose blocks share memory.
import numpy as np

from users.common import kernel, uniform

BLOCK = 256
POINTS = 1024


def _in_blocks(values, size):
    """The values in rows of `size`, with zeros at the end, in double precision."""
    count = -(-values.size // size)
    return np.pad(values.astype(np.float64), (0, count * size - values.size)).reshape(count, size)


def scan_hillis_steele(n=4_000_000):
    values = uniform(n)

    def reference():
        return [np.cumsum(_in_blocks(values, BLOCK), axis=1).ravel()[:n]]

    arguments = (values, np.zeros_like(values))
    return kernel("scan_hillis_steele", arguments, extents=(n,), reference=reference, tolerance=1e-5)


def scan_blelloch(n=4_000_000):
    values = uniform(n)

    def reference():
        blocks = _in_blocks(values, 2 * BLOCK)
        return [(np.cumsum(blocks, axis=1) - blocks).ravel()[:n]]

    arguments, threads = (values, np.zeros_like(values)), (-(-n // 2),)
    return kernel("scan_blelloch", arguments, extents=(n,), threads=threads, reference=reference, tolerance=1e-5)


def fft1024(count=600):
    signals = uniform(count, POINTS, dtype=np.float64) + 1j * uniform(count, POINTS, dtype=np.float64, seed=2)
    roots = np.exp(-2j * np.pi * np.arange(POINTS // 2) / POINTS)

    def reference():
        return [np.fft.fft(signals)]

    return kernel(
        "fft1024",
        (signals, roots, np.zeros_like(signals)),
        extents=(count,),
        threads=(count * BLOCK,),
        reference=reference,
        tolerance=1e-13,
    )


def norms_of_blocks(n=12_000_000):
    values = uniform(n)

    def reference():
        return [np.sqrt((_in_blocks(values, BLOCK) ** 2).sum(axis=1))]

    arguments = (values, np.zeros(-(-n // BLOCK), np.float32))
    return kernel("norms_of_blocks", arguments, extents=(n,), reference=reference, tolerance=1e-5)


KERNELS = {
    "scan_hillis_steele": (scan_hillis_steele, {"n": 1000}),
    "scan_blelloch": (scan_blelloch, {"n": 1000}),
    "fft1024": (fft1024, {"count": 2}),
    "norms_of_blocks": (norms_of_blocks, {"n": 1000}),
}
