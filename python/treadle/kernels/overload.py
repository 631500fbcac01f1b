"""Compiled code as users see it: the values of `kernel.overloads`."""

from treadle import _core


class Overload:
    """Compiled code of one signature of a kernel."""

    def __init__(self, dispatcher, signature):
        self._dispatcher = dispatcher
        self.signature = signature

    def __repr__(self):
        return f"<{self._dispatcher.__name__}{self.signature}>"

    def _attribute(self, name):
        return _core.code_attributes(self._dispatcher, self.signature)[name]

    @property
    def regs_per_thread(self):
        """Registers per thread; 0 if not known, as on the CPU device."""
        return self._attribute("registers")

    @property
    def shared_mem_per_block(self):
        """Bytes of static shared memory of a block."""
        return self._attribute("shared")

    @property
    def memory_per_block(self):
        """Bytes that the CPU device allocates for a block of 1024 threads: static shared memory, and what each thread
        keeps across barriers. On CUDA the hardware keeps the latter, so it is `shared_mem_per_block`.
        """
        return self._attribute("shared") + self._attribute("context")

    @property
    def local_mem_per_thread(self):
        """Bytes of local arrays of a thread."""
        return self._attribute("local")

    @property
    def const_mem_size(self):
        """Bytes of constant memory; 0 on the CPU device, whose code has captured arrays within."""
        return self._attribute("const")

    @property
    def max_threads_per_block(self):
        """The largest number of threads that a block of this kernel may have."""
        return self._attribute("threads") or self._dispatcher.options.max_threads or 1024

    def max_cooperative_grid_blocks(self, blockdim, dynsmemsize=0):
        """The largest number of blocks in a grid whose threads all synchronise in `cuda.cg.this_grid().sync()`.

        `blockdim`: an int, or a tuple of up to three. `dynsmemsize`: bytes of dynamic shared memory per block. Raises
        ValueError if no such block can be launched. On CUDA, the result of cuOccupancyMaxActiveBlocksPerMultiprocessor
        times the number of multiprocessors.
        """
        return _core.cooperative_blocks(self._dispatcher, self.signature, (1, blockdim, 0, dynsmemsize))

    def inspect(self, stage):
        """One stage of the compilation as text; see `Dispatcher.inspect`."""
        return self._dispatcher.inspect(stage, self.signature)

    def _active_blocks(self, threads, sharedmem, flags):
        return _core.active_blocks(self._dispatcher, self.signature, (threads, sharedmem, flags))

    def _potential_block(self, most_threads, sharedmem, flags):
        return _core.potential_block(self._dispatcher, self.signature, (most_threads, sharedmem, flags))
