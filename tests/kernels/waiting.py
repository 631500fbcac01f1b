# Threads that wait for each other where CUDA allows it, and the errors where no thread could ever continue.
import numpy as np
import pytest
import stand_in
from treadle import cuda, errors

from kernels.harness import launch


@cuda.jit
def arms(out):
    row = cuda.shared.array(32, np.int64)
    i = cuda.threadIdx.x
    if i < 16:
        row[i] = 10 * i
        cuda.syncthreads()
        out[i] = row[i + 16]
    else:
        row[i] = 100 * i
        cuda.syncthreads()
        out[i] = row[i - 16]


@cuda.jit
def never(out):
    if cuda.threadIdx.x < 16:
        cuda.syncwarp()
    else:
        cuda.syncthreads()
    out[cuda.threadIdx.x] = 1


@cuda.jit
def whole_grid(x, y):
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    for _ in range(10):
        y[i] = x[(i + 1) % x.size] + 1
        grid.sync()
        x[i] = y[i]
        grid.sync()


@cuda.jit
def whole_grid_apart(x, y):
    i = cuda.grid(1)
    y[i] = x[(i + 1) % x.size]
    if i % 2:
        cuda.cg.this_grid().sync()
        x[i] = y[i]
    else:
        cuda.cg.this_grid().sync()
        x[i] = -y[i]


PTX = [
    (arms, "(int64[::1],)"),
    (never, "(int64[::1],)"),
    (whole_grid, "(int64[::1], int64[::1])"),  # CHECK-PTX: atom.global.add.u32
    (whole_grid_apart, "(int64[::1], int64[::1])"),
]


def run():
    (out,) = launch(arms, 1, 32, np.zeros(32, np.int64))
    assert out.tolist() == [100 * i for i in range(16, 32)] + [10 * i for i in range(16)]
    if not stand_in.is_under_test():  # on a GPU it waits for ever
        with pytest.raises(RuntimeError, match="wait for lanes of their warp that wait for them.*in line 27"):
            never[1, 32](np.zeros(32, np.int64))
    x, y = np.zeros(6400, np.int64), np.zeros(6400, np.int64)
    whole_grid[100, 64](x, y)
    assert (x == 10).all()
    x = np.arange(6400)
    whole_grid_apart[100, 64](x, y)
    assert x.tolist() == [((i + 1) % 6400) * (1 if i % 2 else -1) for i in range(6400)]
    with pytest.raises(errors.CudaAPIError, match="1000000 blocks, but at most [0-9]+ of this shape can"):
        whole_grid[1000000, 64](x, y)
    most = whole_grid.overloads[whole_grid.signatures[0]].max_cooperative_grid_blocks
    assert most(64, 200 << 10) < most((8, 8)) == most(64)
    blocks, shape = most(64, 200 << 10), (64, 0, 200 << 10)
    with pytest.raises(errors.CudaAPIError, match=f"at most {blocks} of this shape"):
        whole_grid[(blocks + 1, *shape)](x, y)
    x, y = np.zeros(blocks * 64, np.int64), np.zeros(blocks * 64, np.int64)
    whole_grid[(blocks, *shape)](x, y)
    assert (x == 10).all()
    with pytest.raises(ValueError, match="2048"):
        most(2048)
    with pytest.raises(ValueError, match="shared"):
        most(64, 300 << 10)
