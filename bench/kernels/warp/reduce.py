# A sum in Warp: tiles of 256, then an atomic addition for each.
import warp as wp

TILE = 256

vector = wp.array(dtype=wp.float32)


@wp.kernel
def reduce_kernel(values: vector, total: vector):
    i = wp.tid()
    tile = wp.tile_load(values, shape=TILE, offset=i * TILE)
    wp.tile_atomic_add(total, wp.tile_sum(tile))


def reduce(values, total):
    tiles = (values.shape[0] + TILE - 1) // TILE
    wp.launch_tiled(reduce_kernel, dim=[tiles], inputs=[values, total], block_dim=256)
