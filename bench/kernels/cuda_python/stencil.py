# A 5-point stencil in CUDA Python: the inner points of a 2-d grid.
from treadle import cuda


@cuda.jit
def stencil(centre, side, old, new):
    x, y = cuda.grid(2)
    if 0 < y < old.shape[0] - 1 and 0 < x < old.shape[1] - 1:
        new[y, x] = centre * old[y, x] + side * (old[y, x - 1] + old[y, x + 1] + old[y - 1, x] + old[y + 1, x])
