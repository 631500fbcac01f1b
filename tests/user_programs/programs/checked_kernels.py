# Kernels that check their arguments by assert and raise, as they stand and with debug=True.
import numpy as np
from treadle import cuda


class WrongWeight(ValueError):
    pass


def body(x, weights, n, out):
    i = cuda.grid(1)
    m = x.shape[0]
    assert 0 < n <= m, "n must be positive and at most the number of values"
    assert weights.ndim == 1
    if weights.shape[0] != 3:
        raise ValueError("three weights, please")
    if i < n:
        if weights[1] < 0 and i == 3:
            raise WrongWeight("negative", 1)
        total = 0.0
        for k in range(3):
            total += weights[k] * x[(i + k - 1) % n]
        out[i] = total


fast, checked = cuda.jit(body), cuda.jit(debug=True, opt=False)(body)
x, out = cuda.to_device(np.arange(40.0)), cuda.device_array(40)
weights = np.array([0.25, 0.5, 0.25])
for kernel in (fast, checked):
    stream = cuda.stream()
    out[:] = 0
    kernel[2, 32, stream](x, weights, 40, out)
    stream.synchronize()
    host = np.arange(40.0)
    np.testing.assert_allclose(out.copy_to_host(), 0.25 * np.roll(host, 1) + 0.5 * host + 0.25 * np.roll(host, -1))

fast[2, 32](x, weights, 0, out)  # nothing is checked
fast[2, 32](x, -weights, 40, out)


def failure(*arguments):
    try:
        checked[2, 32](*arguments)
        cuda.synchronize()
    except Exception as error:
        return error
    return None


error = failure(x, weights, 41, out)
assert type(error) is AssertionError and "n must be positive and at most the number of values" in str(error), repr(
    error
)
error = failure(x, weights[:2].copy(), 40, out)
assert type(error) is ValueError and "three weights, please" in str(error), repr(error)
error = failure(x, -weights, 40, out)
assert type(error) is WrongWeight and error.args[1] == 1 and "tid=[3, 0, 0] ctaid=[0, 0, 0]" in error.args[0], repr(
    error
)
assert failure(x, weights, 40, out) is None
