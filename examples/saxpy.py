# saxpy: out = a * x + y, the smallest useful kernel.
import numpy as np
from treadle import cuda

THREADS = 256


@cuda.jit
def saxpy_kernel(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


def saxpy(a, x, y):
    """a * x + y, one thread per element.

    x and y are 1-d arrays of one length and dtype; so is the result.
    """
    out = np.empty_like(x)
    blocks = (out.size + THREADS - 1) // THREADS
    saxpy_kernel[blocks, THREADS](a, x, y, out)
    return out


def saxpy_numpy(a, x, y):
    return a * x + y


def make_input(size=1 << 22, seed=1):
    rng = np.random.default_rng(seed)
    return np.float32(2.5), rng.random(size, dtype=np.float32), rng.random(size, dtype=np.float32)


def main():
    a, x, y = make_input()
    error = np.abs(saxpy(a, x, y) - saxpy_numpy(a, x, y)).max()
    print(f"saxpy over {x.size} elements: largest difference from NumPy {error:.2g}")


if __name__ == "__main__":
    main()
