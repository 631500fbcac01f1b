"""Stencils on grids of cells: Jacobi with a grid-wide barrier, and the game of life."""

import numpy as np
import pytest
from treadle import cuda, float64, int32, uint8

BLOCK = 16
MOST_STEPS = 2000


@cuda.jit
def sequential_rows(M):
    """The example of Numba's documentation: row by row, each from the mirrored element of the previous row."""
    col = cuda.grid(1)
    g = cuda.cg.this_grid()

    rows = M.shape[0]
    cols = M.shape[1]

    for row in range(1, rows):
        opposite = cols - col - 1
        M[row, col] = M[row - 1, opposite] + 1
        g.sync()


@cuda.jit
def jacobi(u, f, new, steps):
    """All steps in one launch; two names are swapped after each."""
    x, y = cuda.grid(2)
    inside = 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1
    grid = cuda.cg.this_grid()
    for _ in range(steps):
        if inside:
            new[y, x] = 0.25 * (u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x] + f[y, x])
        grid.sync()
        u, new = new, u


@cuda.jit
def jacobi_until(u, f, new, changes, tolerance, taken):
    """Until no cell changes by more than the tolerance: all threads read one number and leave in the same step."""
    x, y = cuda.grid(2)
    first = x == 0 and y == 0
    inside = 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1
    grid = cuda.cg.this_grid()
    step = 0
    while step < MOST_STEPS:
        now = step % 3
        step += 1
        if first:
            changes[step % 3] = 0.0
        if inside:
            new[y, x] = 0.25 * (u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x] + f[y, x])
            cuda.atomic.max(changes, now, abs(new[y, x] - u[y, x]))
        grid.sync()
        u, new = new, u
        if changes[now] <= tolerance:
            break
    if first:
        taken[0] = step


@cuda.jit
def jacobi_tiled(u, f, new):
    """One step per launch: a tile with its halo in shared memory."""
    tile = cuda.shared.array((18, 18), float64)
    tx, ty = cuda.threadIdx.x + 1, cuda.threadIdx.y + 1
    x, y = cuda.grid(2)
    rows, columns = u.shape
    if x < columns and y < rows:
        tile[ty, tx] = u[y, x]
        if tx == 1 and x > 0:
            tile[ty, 0] = u[y, x - 1]
        if tx == BLOCK and x + 1 < columns:
            tile[ty, BLOCK + 1] = u[y, x + 1]
        if ty == 1 and y > 0:
            tile[0, tx] = u[y - 1, x]
        if ty == BLOCK and y + 1 < rows:
            tile[BLOCK + 1, tx] = u[y + 1, x]
    cuda.syncthreads()
    if 0 < x < columns - 1 and 0 < y < rows - 1:
        around = tile[ty, tx - 1] + tile[ty, tx + 1] + tile[ty - 1, tx] + tile[ty + 1, tx]
        new[y, x] = 0.25 * (around + f[y, x])


@cuda.jit(device=True)
def next_state(alive, neighbours):
    return 1 if neighbours == 3 or (alive == 1 and neighbours == 2) else 0


@cuda.jit
def life(old, new):
    """Opposite edges are neighbours: a torus."""
    x, y = cuda.grid(2)
    rows, columns = old.shape
    if x >= columns or y >= rows:
        return
    neighbours = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            if dx != 0 or dy != 0:
                neighbours += old[(y + dy) % rows, (x + dx) % columns]
    new[y, x] = next_state(old[y, x], neighbours)


@cuda.jit
def life_tiled(old, new):
    """The halo of the tile wraps around; threads load several cells where the tile is larger than the block."""
    tile = cuda.shared.array((18, 18), uint8)
    rows, columns = old.shape
    top, left = cuda.blockIdx.y * BLOCK - 1, cuda.blockIdx.x * BLOCK - 1
    tid = cuda.threadIdx.y * BLOCK + cuda.threadIdx.x
    for k in range(tid, 18 * 18, BLOCK * BLOCK):
        ty, tx = k // 18, k % 18
        tile[ty, tx] = old[(top + ty + rows) % rows, (left + tx + columns) % columns]
    cuda.syncthreads()
    x, y = cuda.grid(2)
    if x < columns and y < rows:
        neighbours = int32(0)
        for dy in range(3):
            for dx in range(3):
                neighbours += tile[cuda.threadIdx.y + dy, cuda.threadIdx.x + dx]
        alive = tile[cuda.threadIdx.y + 1, cuda.threadIdx.x + 1]
        new[y, x] = next_state(alive, neighbours - alive)


@cuda.jit
def life_to_the_end(world, other, generations):
    """A strip of cells per thread, and all generations in one launch."""
    g = cuda.cg.this_grid()
    rows, columns = world.shape
    start, stride = cuda.grid(1), cuda.gridsize(1)
    for _ in range(generations):
        for cell in range(start, rows * columns, stride):
            y, x = cell // columns, cell % columns
            up, down = (y - 1) % rows, (y + 1) % rows
            left, right = (x - 1) % columns, (x + 1) % columns
            neighbours = world[up, left] + world[up, x] + world[up, right] + world[y, left]
            neighbours += world[y, right] + world[down, left] + world[down, x] + world[down, right]
            other[y, x] = next_state(world[y, x], neighbours)
        g.sync()
        world, other = other, world


FIELDS = "(float64[:, ::1], float64[:, ::1], float64[:, ::1]"
PTX = [
    (sequential_rows, "(int32[:, ::1],)"),
    (jacobi, f"{FIELDS}, int64)"),
    (jacobi_until, f"{FIELDS}, float64[::1], float64, int64[::1])"),
    (jacobi_tiled, f"{FIELDS})"),
    (life, "(uint8[:, ::1], uint8[:, ::1])"),
    (life_tiled, "(uint8[:, ::1], uint8[:, ::1])"),
    (life_to_the_end, "(uint8[:, ::1], uint8[:, ::1], int64)"),
]

SHAPES = [(16, 16), (33, 50), (64, 48)]


def make_field(shape):
    rng = np.random.default_rng(sum(shape))
    return rng.random(shape), rng.random(shape)


def jacobi_numpy(u, f):
    new = u.copy()
    new[1:-1, 1:-1] = 0.25 * (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] + f[1:-1, 1:-1])
    return new


def life_numpy(world, generations):
    for _ in range(generations):
        around = [np.roll(world, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        neighbours = sum(around) - world
        world = ((neighbours == 3) | ((world == 1) & (neighbours == 2))).astype(np.uint8)
    return world


def grid_of(shape, block):
    return -(-shape[1] // block[0]), -(-shape[0] // block[1])


@pytest.mark.parametrize(("blocks", "threads"), [(1, 32), (4, 32), (3, 50), (8, 128)])
def test_documented_rows(blocks, threads):
    columns = blocks * threads
    found = np.zeros((20, columns), np.int32)
    found[0] = np.arange(columns)
    expected = found.copy()
    sequential_rows[blocks, threads](found)
    for row in range(1, len(expected)):
        expected[row] = expected[row - 1, ::-1] + 1
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("block", [(16, 16), (32, 4), (7, 5)])
@pytest.mark.parametrize("shape", SHAPES)
def test_jacobi(shape, block):
    u, f = make_field(shape)
    found, other = u.copy(), u.copy()
    jacobi[grid_of(shape, block), block](found, f, other, 9)
    for _ in range(9):
        u = jacobi_numpy(u, f)
    np.testing.assert_allclose(other, u, rtol=1e-12)


@pytest.mark.parametrize("block", [(16, 16), (32, 4)])
def test_jacobi_until_it_rests(block):
    u, f = make_field((20, 23))
    found, other, taken = u.copy(), u.copy(), np.zeros(1, np.int64)
    jacobi_until[grid_of(u.shape, block), block](found, f, other, np.zeros(3), 1e-3, taken)
    before, steps = u, 0
    while steps == 0 or np.abs(u - before).max() > 1e-3:
        before, u, steps = u, jacobi_numpy(u, f), steps + 1
    assert taken[0] == steps > 50
    np.testing.assert_allclose(other if steps % 2 else found, u, rtol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_jacobi_in_tiles(shape):
    u, f = make_field(shape)
    new = u.copy()
    jacobi_tiled[grid_of(shape, (BLOCK, BLOCK)), (BLOCK, BLOCK)](u, f, new)
    np.testing.assert_allclose(new, jacobi_numpy(u, f), rtol=1e-14)


@pytest.mark.parametrize("kernel", [life, life_tiled], ids=lambda k: k.__name__)
@pytest.mark.parametrize("shape", [*SHAPES, (3, 70), (17, 1)])
def test_life(shape, kernel):
    world = np.random.default_rng(1).integers(0, 2, shape, dtype=np.uint8)
    old, new = world.copy(), np.zeros_like(world)
    for _ in range(5):
        kernel[grid_of(shape, (BLOCK, BLOCK)), (BLOCK, BLOCK)](old, new)
        old, new = new, old
    np.testing.assert_array_equal(old, life_numpy(world, 5))


def test_a_glider_comes_back():
    world = np.zeros((20, 20), np.uint8)
    world[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
    old, new = cuda.to_device(world), cuda.device_array_like(world)
    for _ in range(80):
        life[(3, 3), (8, 8)](old, new)
        old, new = new, old
    np.testing.assert_array_equal(old.copy_to_host(), world)


@pytest.mark.parametrize(("blocks", "threads"), [(1, 32), (4, 100), (6, 64)])
@pytest.mark.parametrize("shape", [(16, 16), (33, 50)])
def test_life_in_one_launch(shape, blocks, threads):
    world = np.random.default_rng(2).integers(0, 2, shape, dtype=np.uint8)
    found, other = world.copy(), np.zeros_like(world)
    life_to_the_end[blocks, threads](found, other, 12)
    np.testing.assert_array_equal(found, life_numpy(world, 12))
