# Steps on regular grids in CUDA Python, a thread for each cell.
from treadle import cuda, float32


@cuda.jit
def life(cells, out):
    x, y = cuda.grid(2)
    height, width = cells.shape
    if x < width and y < height:
        alive = 0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                if dx != 0 or dy != 0:
                    alive += cells[(y + dy) % height, (x + dx) % width]
        if alive == 3 or (alive == 2 and cells[y, x] == 1):
            out[y, x] = 1
        else:
            out[y, x] = 0


@cuda.jit
def heat3d(centre, side, old, new):
    x, y, z = cuda.grid(3)
    depth, height, width = old.shape
    if 0 < x < width - 1 and 0 < y < height - 1 and 0 < z < depth - 1:
        around = old[z, y, x - 1] + old[z, y, x + 1] + old[z, y - 1, x] + old[z, y + 1, x]
        around += old[z - 1, y, x] + old[z + 1, y, x]
        new[z, y, x] = centre * old[z, y, x] + side * around


@cuda.jit
def advect(speed, u, out):
    i = cuda.grid(1)
    n = u.size
    if i < n:
        slope = (u[(i + 1) % n] - u[i - 1]) / 2
        out[i] = u[i] - speed * slope + 0.5 * speed * speed * (u[(i + 1) % n] - 2 * u[i] + u[i - 1])


@cuda.jit
def sum_along_columns(a, out):
    column = cuda.grid(1)
    if column < a.shape[1]:
        total = 0.0
        for row in range(a.shape[0]):
            total += a[row, column]
        out[column] = total


@cuda.jit
def red_black(omega, grid, colour):
    x, y = cuda.grid(2)
    if x < 1 or y < 1 or x >= grid.shape[1] - 1 or y >= grid.shape[0] - 1:
        return
    if (x + y) % 2 != colour:
        return
    around = grid[y, x - 1] + grid[y, x + 1] + grid[y - 1, x] + grid[y + 1, x]
    grid[y, x] += omega * (float32(0.25) * around - grid[y, x])
