"""Controls which part of a program profilers record."""

from contextlib import contextmanager

from treadle import _core


def profile_start():
    """Lets a profiler that watches this process (Nsight Systems, Nsight Compute) record from now on: cuProfilerStart.

    For the calling thread's device. Without a profiler, and on the CPU device, nothing happens. CudaAPIError if the
    driver refuses.
    """
    _core.record_profile(True)


def profile_stop():
    """Ends what `profile_start` began: cuProfilerStop."""
    _core.record_profile(False)


@contextmanager
def profiling():
    """`with cuda.profiling():` a profiler records the block, to its end or to an exception: `profile_start`, then
    `profile_stop`.

    >>> from treadle import cuda
    >>> with cuda.profiling():
    ...     cuda.synchronize()
    """
    profile_start()
    try:
        yield
    finally:
        profile_stop()
