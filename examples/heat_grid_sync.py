# The temperature at which a heated plate comes to rest: all steps in one launch, with a barrier of the whole grid.
import math

import numpy as np
from treadle import cuda

BLOCKS = 16  # all of them must be on the device at once, so each thread takes as many cells as it has to
THREADS = 256


@cuda.jit
def settle(plate, other, changes, tolerance, most_steps, steps):
    """Each cell becomes the mean of its neighbours until no cell changes by more than the tolerance.

    changes[step % 3] is the largest change of a step. All threads read it after the barrier; the next one but one, for
    which it is set to zero beforehand, cannot begin before all have read it.
    """
    rows, columns = plate.shape
    grid = cuda.cg.this_grid()
    step = 0
    while step < most_steps:
        now = step % 3
        step += 1
        if cuda.grid(1) == 0:
            changes[step % 3] = 0.0
        largest = 0.0
        for cell in range(cuda.grid(1), rows * columns, cuda.gridsize(1)):
            y, x = cell // columns, cell % columns
            if 0 < x < columns - 1 and 0 < y < rows - 1:
                mean = 0.25 * (plate[y, x - 1] + plate[y, x + 1] + plate[y - 1, x] + plate[y + 1, x])
                largest = max(largest, abs(mean - plate[y, x]))
                other[y, x] = mean
        cuda.atomic.max(changes, now, largest)
        grid.sync()
        plate, other = other, plate
        if changes[now] <= tolerance:
            break
    if cuda.grid(1) == 0:
        steps[0] = step


def solve(plate, tolerance=1e-9, most_steps=100_000):
    """The plate, a 2-d float64 array whose edges stay as they are, at rest; and the steps it took."""
    steps = np.zeros(1, np.int64)
    first, second = cuda.to_device(plate), cuda.to_device(plate)
    settle[BLOCKS, THREADS](first, second, np.zeros(3), tolerance, most_steps, steps)
    return (second if steps[0] % 2 else first).copy_to_host(), int(steps[0])


def solve_numpy(plate, tolerance=1e-9, most_steps=100_000):
    plate, steps, largest = plate.copy(), 0, np.inf
    while largest > tolerance and steps < most_steps:
        mean = 0.25 * (plate[1:-1, :-2] + plate[1:-1, 2:] + plate[:-2, 1:-1] + plate[2:, 1:-1])
        largest = np.abs(mean - plate[1:-1, 1:-1]).max()
        plate[1:-1, 1:-1] = mean
        steps += 1
    return plate, steps


def make_plate(size=64):
    """Cold but for one edge, which a wave of heat warms."""
    plate = np.zeros((size, size))
    plate[-1] = np.sin(np.linspace(0.0, np.pi, size))
    plate[-1, -1] = 0.0
    return plate


def exact_rest(size):
    """What make_plate(size) comes to, exactly: the wave keeps its shape and fades towards the opposite edge."""
    wide = math.pi / (size - 1)
    deep = math.acosh(2.0 - math.cos(wide))
    return np.outer(np.sinh(deep * np.arange(size)), np.sin(wide * np.arange(size))) / math.sinh(deep * (size - 1))


def main(size=64):
    plate, steps = solve(make_plate(size))
    error = np.abs(plate - exact_rest(size)).max()
    print(f"{size} x {size} plate at rest after {steps} steps: largest difference from the exact solution {error:.1e}")


if __name__ == "__main__":
    main()
