# Kernels written by a program: text given to exec, with device functions of any number of arguments, star-unpacked.
import numpy as np
from treadle import cuda, float32

TEMPLATE = """
@cuda.jit(device=True)
def combine(scale, *args):
    total = {zero}
    for k, a in enumerate(args):
        total += a * (k + 1)
    return total * scale

@cuda.jit
def kernel({parameters}, out):
    i = cuda.grid(1)
    values = ({elements},)
    if i < out.size:
        out[i] = combine(scale, *values) + combine(1, *values[1:], out[i]){extra}
"""


def generate(count, zero="0", extra=""):
    """A kernel of so many arrays, and its text."""
    names = [f"x{k}" for k in range(count)]
    text = TEMPLATE.format(
        zero=zero,
        parameters=", ".join(names),
        elements=", ".join(f"{n}[i % {n}.shape[0]]" for n in names),
        extra=extra,
    )
    namespace = {"cuda": cuda, "scale": 2, "float32": float32, "np": np}
    exec(compile(text, f"<kernel of {count}>", "exec"), namespace)
    return namespace["kernel"], text


def expected(arrays, before, dtype):
    first = sum(a.astype(dtype) * (k + 1) for k, a in enumerate(arrays)) * 2
    rest = sum(a.astype(dtype) * (k + 1) for k, a in enumerate([*arrays[1:], before]))
    return (first + rest).astype(before.dtype)


for count, dtype in ((1, np.int32), (3, np.float64), (7, np.float16)):
    kernel, text = generate(count)
    arrays = [np.arange(40).astype(dtype) % (k + 2) for k in range(count)]
    before = np.ones(40, dtype)
    out = cuda.to_device(before)
    kernel[2, 32](*arrays, out)
    np.testing.assert_array_equal(out.copy_to_host(), expected(arrays, before, np.float64))
    assert "combine" in text

kernel, _ = generate(2, zero="float32(0)", extra=" + np.where(i < 3, 1, 0)")
z = np.arange(5) + 1j
out = np.zeros(5, np.complex128)
kernel[1, 32](z, z, out)  # total is float32 before the loop, complex within
np.testing.assert_array_equal(out, expected([z, z], np.zeros(5, complex), complex) + (np.arange(5) < 3))

shifts = " + ".join(f"a[cuda.grid(1) + {k}]" for k in range(3))
namespace = {"cuda": cuda}
exec(f"@cuda.jit\ndef stencil(a, out):\n\ti = cuda.grid(1)\n\tif i < out.size: out[i] = {shifts}\n", namespace)
a, out = cuda.to_device(np.arange(34.0)), cuda.device_array(32, np.float64)
namespace["stencil"][1, 32](a, out)
np.testing.assert_array_equal(out.copy_to_host(), 3 * np.arange(32.0) + 3)
assert float(np.add(out, a[:32]).copy_to_host()[1]) == 7.0
