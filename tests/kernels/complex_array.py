# Arrays of complex numbers: arithmetic, parts, conjugate, magnitude.
import numpy as np
from treadle import cuda

from kernels.harness import launch


@cuda.jit
def compute(a, b, out, parts, pair):
    i = cuda.grid(1)
    if i < a.size:
        z = a[i] * b[i] - 2 * a[i] + 1j
        if z.real > 0 and a[i] != b[i]:
            z = z / b[i]
        out[i] = z.conjugate()
        parts[i, 0] = abs(z) ** 2
        parts[i, 1] = z.imag
    if i == 0:
        pair[0], pair[1] = pair[1], pair[0]


PTX = [
    (compute, "(complex128[::1], complex128[::1], complex128[::1], float64[:, ::1], complex128[::1])"),
    (compute, "(complex64[::1], complex64[::1], complex64[::1], float32[:, ::1], complex64[::1])"),
]


def run():
    rng = np.random.default_rng(3)
    for dtype, part, rtol in ((np.complex128, np.float64, 1e-13), (np.complex64, np.float32, 1e-4)):
        a, b = (rng.normal(size=(40, 2)).view(complex)[:, 0].astype(dtype) for _ in range(2))
        *_, out, parts, swapped = launch(compute, 2, 32, a, b, np.zeros_like(a), np.zeros((40, 2), part), a[:2].copy())
        z = a.astype(complex) * b - 2 * a + 1j
        z = np.where(z.real > 0, z / b, z)
        np.testing.assert_allclose(out, z.conj(), rtol=rtol)
        np.testing.assert_allclose(parts, np.stack([abs(z) ** 2, z.imag], 1), rtol=rtol, atol=rtol)
        assert swapped.tolist() == a[1::-1].tolist()
