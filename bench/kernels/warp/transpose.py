# A transpose in Warp: tiles of 32x32.
import warp as wp

TILE = 32

plane = wp.array2d(dtype=wp.float32)


@wp.kernel
def transpose_kernel(source: plane, target: plane):
    row, column = wp.tid()
    tile = wp.tile_load(source, shape=(TILE, TILE), offset=(row * TILE, column * TILE))
    wp.tile_store(target, wp.tile_transpose(tile), offset=(column * TILE, row * TILE))


def transpose(source, target):
    tiles = [(extent + TILE - 1) // TILE for extent in source.shape]
    wp.launch_tiled(transpose_kernel, dim=tiles, inputs=[source, target], block_dim=256)
