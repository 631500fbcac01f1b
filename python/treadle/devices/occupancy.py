"""The block size of a kernel with the highest occupancy, for `Context.get_max_potential_block_size`."""

from _operator import index

from treadle import _core


def potential_block(overload, device, bytes_of, query):
    """(grid, block) on `device`, which is the thread's. `bytes_of`: None, or a function from the threads of a block to
    its bytes of dynamic shared memory. `query`: (most threads, or 0; its dynamic shared memory; CUoccupancy_flags).
    """
    limit, shared, flags = query
    if not bytes_of:
        return overload._potential_block(limit, shared, flags)
    own = overload._dispatcher.options.max_threads or 1024
    most = min(overload.max_threads_per_block, limit or own, own)
    if not _core.has_occupancy(_core.current_device()):
        return overload._potential_block(most, index(bytes_of(most)), flags)
    return _best_of(overload, device, bytes_of, (most, flags))


def _best_of(overload, device, bytes_of, query):
    """Tries blocks of whole warps, the largest first, as the driver does. `query`: (most threads, flags)."""
    most, flags = query
    best, running, threads = 0, 0, most
    while threads > 0:
        shared = index(bytes_of(threads))
        if 0 <= shared <= device.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
            active = overload._active_blocks(threads, shared, flags)
            if active * threads > running * best:
                best, running = threads, active
        threads = (threads - 1) // 32 * 32
    if not best:
        raise ValueError("no block of this kernel can be launched with the shared memory that b2d_func asks for")
    return running * device.MULTIPROCESSOR_COUNT, best
