# Matrix product in Warp: tiles of 16x16.
import warp as wp

TILE = 16

plane = wp.array2d(dtype=wp.float32)


@wp.kernel
def matmul_kernel(a: plane, b: plane, c: plane):
    row, column = wp.tid()
    total = wp.tile_zeros(shape=(TILE, TILE), dtype=wp.float32)
    for k in range((a.shape[1] + TILE - 1) // TILE):
        left = wp.tile_load(a, shape=(TILE, TILE), offset=(row * TILE, k * TILE))
        right = wp.tile_load(b, shape=(TILE, TILE), offset=(k * TILE, column * TILE))
        wp.tile_matmul(left, right, total)
    wp.tile_store(c, total, offset=(row * TILE, column * TILE))


def matmul(a, b, c):
    tiles = [(extent + TILE - 1) // TILE for extent in c.shape]
    wp.launch_tiled(matmul_kernel, dim=tiles, inputs=[a, b, c], block_dim=256)
