# Copies and memory as programs use them: pinned while a block runs, into given arrays, between devices' arrays, views.
import numpy as np
from treadle import cuda, float32, types, vectorize

a = np.arange(48, dtype=np.float32)
b, c = np.ones(48, np.float32), np.zeros(48, np.float32)


seconds = types.NPTimedelta("s")


@vectorize(["float32(float32, float32)", seconds(seconds, float32)], target="cuda")
def product(x, y):
    return x * y


@cuda.jit
def saxpy(x, y, out, factor):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = factor * x[i] + y[i]


stream = cuda.stream()
with cuda.pinned(a, b, c), stream.auto_synchronize():
    d_a, d_b = cuda.to_device(a, stream=stream), cuda.to_device(b, stream)
    d_c = cuda.device_array(48, np.float32, stream=stream)
    saxpy[2, 32, stream](d_a, d_b, d_c, 2)
    d_c.copy_to_host(c, stream=stream)
np.testing.assert_array_equal(c, 2 * a + 1)

other = cuda.device_array_like(d_c)
other.copy_to_device(d_c)
cuda.to_device(np.flip(a).copy(), to=d_a)
same = cuda.to_device(a, copy=False)
assert same.shape == (48,)
product(d_a, other, out=d_c)
np.testing.assert_array_equal(d_c.copy_to_host(), a[::-1] * c)
d_c[4:8] = 0
d_c[10] = d_a[47]
table = d_c.reshape(6, 8)
assert table[1, 2] == a[0] and not table[0, 4:8].copy_to_host().any()
np.testing.assert_array_equal(table.T.copy_to_host(), d_c.copy_to_host().reshape(6, 8).T)
for part, whole in zip(d_a.split(16), np.split(a[::-1], 3)):
    np.testing.assert_array_equal(part.copy_to_host(), whole)


class Foreign:
    """An array of another library."""

    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__
        self.kept = array


seen = cuda.as_cuda_array(Foreign(d_a))
assert cuda.is_cuda_array(seen) and cuda.is_cuda_array(Foreign(d_b)) and not cuda.is_cuda_array(a)
saxpy[2, 32](Foreign(d_a), seen, Foreign(d_c), np.float32(-1))
assert not d_c.copy_to_host().any()

pinned = cuda.pinned_array((3, 4), np.int16, order="F")
pinned[...] = np.arange(12).reshape(3, 4)
np.testing.assert_array_equal(cuda.to_device(pinned).copy_to_host(), pinned)
spans = np.array([10, -3, "NaT"], "m8[s]")
np.testing.assert_array_equal(product(spans, np.float32(2.5)), spans * 2.5)
try:
    d_c.copy_to_device(np.zeros(3, np.float32))
except ValueError as error:
    assert "3" in str(error) and "48" in str(error), error
else:
    raise AssertionError("three numbers were copied to 48")
