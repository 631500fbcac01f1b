# Heat spreading through a square plate with cold edges, by explicit steps between two arrays.
import math

import numpy as np
from treadle import cuda

BLOCK = (32, 8)


@cuda.jit
def spread(old, rate, new):
    x, y = cuda.grid(2)
    if 0 < x < old.shape[1] - 1 and 0 < y < old.shape[0] - 1:
        around = old[y, x - 1] + old[y, x + 1] + old[y - 1, x] + old[y + 1, x]
        new[y, x] = old[y, x] + rate * (around - 4.0 * old[y, x])


def simulate(plate, steps, rate=0.2):
    """The plate, a 2-d float64 array, after `steps` steps; its edges stay as they are. Stable up to a rate of 0.25."""
    rows, columns = plate.shape
    grid = ((columns + BLOCK[0] - 1) // BLOCK[0], (rows + BLOCK[1] - 1) // BLOCK[1])
    old = cuda.to_device(plate)
    new = cuda.to_device(plate)
    for _ in range(steps):
        spread[grid, BLOCK](old, rate, new)
        old, new = new, old
    return old.copy_to_host()


def simulate_numpy(plate, steps, rate=0.2):
    old, new = plate.copy(), plate.copy()
    for _ in range(steps):
        around = old[1:-1, :-2] + old[1:-1, 2:] + old[:-2, 1:-1] + old[2:, 1:-1]
        new[1:-1, 1:-1] = old[1:-1, 1:-1] + rate * (around - 4.0 * old[1:-1, 1:-1])
        old, new = new, old
    return old


def make_plate(size=512):
    """One warm hill whose shape stays and whose height falls by the same factor in every step."""
    wave = np.sin(np.linspace(0.0, np.pi, size))
    wave[0] = wave[-1] = 0.0
    return np.outer(wave, wave)


def cooling_factor(size, rate=0.2):
    """The exact factor for make_plate(size)."""
    return 1.0 - 8.0 * rate * math.sin(math.pi / (2 * (size - 1))) ** 2


def main(size=512, steps=500):
    plate = make_plate(size)
    exact = plate * cooling_factor(size) ** steps
    error = np.abs(simulate(plate, steps) - exact).max()
    print(f"{size} x {size} plate, {steps} steps: largest difference from the exact solution {error:.1e}")


if __name__ == "__main__":
    main()
