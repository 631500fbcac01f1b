# A 7-point stencil in CUDA Python: each thread walks along z and keeps the points below and above in registers.
from treadle import cuda


@cuda.jit
def stencil3d(centre, side, old, new):
    x, y = cuda.grid(2)
    if 0 < y < old.shape[1] - 1 and 0 < x < old.shape[2] - 1:
        below = old[0, y, x]
        here = old[1, y, x]
        for z in range(1, old.shape[0] - 1):
            above = old[z + 1, y, x]
            around = old[z, y, x - 1] + old[z, y, x + 1] + old[z, y - 1, x] + old[z, y + 1, x]
            new[z, y, x] = centre * here + side * (below + above + around)
            below = here
            here = above
