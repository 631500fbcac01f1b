"""Theoretical occupancy of NVIDIA GPUs: how many warps of a kernel a multiprocessor holds, by the tables of the CUDA
programming guide."""

from typing import NamedTuple


class Limits(NamedTuple):
    """Limits of a multiprocessor, and of shared memory in bytes."""

    warps: int
    blocks: int
    shared: int
    reserved: int  # shared memory that each block uses besides its own


# By the lowest compute capability (times ten) that has them.
_LIMITS = {
    75: Limits(32, 16, 64 << 10, 0),
    80: Limits(64, 32, 164 << 10, 1 << 10),
    86: Limits(48, 16, 100 << 10, 1 << 10),
    87: Limits(48, 16, 164 << 10, 1 << 10),
    89: Limits(48, 24, 100 << 10, 1 << 10),
    90: Limits(64, 32, 228 << 10, 1 << 10),
    110: Limits(48, 24, 228 << 10, 1 << 10),
    120: Limits(48, 24, 100 << 10, 1 << 10),
}
_REGISTERS = 65536  # of a multiprocessor
_REGISTER_UNIT = 256  # allocation granularity for a warp
_SHARED_UNIT = 128
BLOCK_SIZES = (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)


def limits_of(cc):
    """The Limits of a compute capability times ten."""
    return _LIMITS[max(known for known in _LIMITS if known <= cc)]


def blocks_per_multiprocessor(cc, threads, registers, shared):
    """(blocks that a multiprocessor holds at once, what limits them): "warps", "blocks", "registers", "shared memory".

    `registers`: of a thread; 0: not known, no limit. `shared`: bytes of a block. If no block fits: (0, the limiting
    resource)."""
    limits = limits_of(cc)
    warps = -(-threads // 32)
    bounds = {"warps": limits.warps // warps, "blocks": limits.blocks}
    if registers:
        of_warp = -(-registers * 32 // _REGISTER_UNIT) * _REGISTER_UNIT
        # The registers are in four partitions, among which warps are distributed round-robin.
        bounds["registers"] = (_REGISTERS // 4 // of_warp) * 4 // warps
    of_block = -(-(shared + limits.reserved) // _SHARED_UNIT) * _SHARED_UNIT
    if of_block:
        bounds["shared memory"] = limits.shared // of_block
    what = min(bounds, key=lambda name: bounds[name])
    return bounds[what], what


def table(cc, registers, shared, most_threads=1024):
    """[(threads of a block, blocks, percent of the warps, what limits)] of the usual sizes of blocks."""
    rows = []
    for threads in BLOCK_SIZES:
        if threads <= most_threads:
            blocks, what = blocks_per_multiprocessor(cc, threads, registers, shared)
            rows.append((threads, blocks, round(100 * blocks * (threads // 32) / limits_of(cc).warps), what))
    return rows
