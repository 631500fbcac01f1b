"""`kernel.forall`: launches with one thread per task."""

from treadle import _core

_OUT_OF_RESOURCES = 701  # CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES


class ForAll:
    """A one-dimensional launch with one thread per task, `ntasks` in all; calling it launches."""

    def __init__(self, dispatcher, ntasks, tpb, stream, sharedmem):
        if ntasks < 0:
            raise ValueError(f"cannot launch for a negative number of tasks: {ntasks}")
        if tpb < 0:
            raise ValueError(f"a block cannot have a negative number of threads: {tpb}")
        self.dispatcher = dispatcher
        self.ntasks = ntasks
        self.thread_per_block = tpb
        self.stream = stream
        self.sharedmem = sharedmem

    def __call__(self, *args):
        if self.ntasks == 0:
            return
        given = self.thread_per_block
        try:
            self._launch(given or self._threads(args), args)
        except Exception as error:
            # The launch has compiled a variant that needs more registers than the one for which the block was chosen.
            if given or getattr(error, "code", None) != _OUT_OF_RESOURCES:
                raise
            self.dispatcher._best_blocks.clear()
            self._launch(self._threads(args), args)

    def _launch(self, threads, args):
        self.dispatcher[-(-self.ntasks // threads), threads, self.stream, self.sharedmem](*args)

    def _threads(self, args):
        """The block with which most threads run at once; on the CPU device, where all do alike, up to 256."""
        dispatcher, device = self.dispatcher, _core.current_device()
        if not _core.has_occupancy(device):
            return min(256, dispatcher.options.max_threads or 1024)
        types = _core.types_of(*args)
        key = (device, types, self.sharedmem)
        known = dispatcher._best_blocks.get(key)
        if known is None:
            known = dispatcher._best_blocks[key] = dispatcher._best_block(types, self.sharedmem)
        return known
