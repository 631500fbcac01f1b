"""The memory of a device: free, pending deallocation, and cached for reuse."""

from _operator import index

from treadle import _core


def __getattr__(name):
    # Created on first access: importing collections takes longer than importing the rest of treadle.
    if name != "MemoryInfo":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from collections import namedtuple

    MemoryInfo = namedtuple("MemoryInfo", ("free", "total"), module=__name__)
    MemoryInfo.__doc__ = "Bytes of a device's memory."
    return globals().setdefault(name, MemoryInfo)


class Deallocations:
    """The pending deallocations. `len()` is their number.

    They are carried out together: when more than `max_pending_count`, or more than `max_pending_ratio` of the device's
    memory, are pending; when an allocation runs out of memory; and by `clear()`.
    """

    def __init__(self, ordinal):
        self._ordinal = ordinal

    def __len__(self):
        return _core.memory_figures(self._ordinal)["pending_count"]

    @property
    def pending_bytes(self):
        """Bytes of memory waiting to be deallocated."""
        return _core.memory_figures(self._ordinal)["pending_bytes"]

    @property
    def memory_capacity(self):
        """Bytes of memory of the device."""
        return _core.memory_figures(self._ordinal)["capacity"]

    @property
    def is_locked(self):
        """True inside `defer_cleanup`."""
        return _core.defers_deallocations(self._ordinal)

    @property
    def max_pending_count(self):
        """The number that may be pending: initially TREADLE_MAX_PENDING_DEALLOCS_COUNT; can be assigned."""
        return _core.memory_limits(self._ordinal)[0]

    @max_pending_count.setter
    def max_pending_count(self, count):
        self._set(0, index(count))

    @property
    def max_pending_ratio(self):
        """The share of the device's memory that may be pending: initially TREADLE_MAX_PENDING_DEALLOCS_RATIO; can be
        assigned."""
        return _core.memory_limits(self._ordinal)[1]

    @max_pending_ratio.setter
    def max_pending_ratio(self, ratio):
        self._set(1, ratio)

    def _set(self, place, value):
        if not value >= 0:
            raise ValueError(f"a limit of deallocations must be a number from 0 on, found {value}")
        count, ratio, cache = _core.memory_limits(self._ordinal)
        if place == 0:
            count = value
        else:
            ratio = value
        _core.set_memory_limits(self._ordinal, count, ratio, cache)

    def clear(self):
        """Carries out all pending deallocations; does nothing inside `defer_cleanup`. If one fails, its memory is
        leaked, the rest stay pending, and CudaAPIError is raised."""
        _core.clear_pending(self._ordinal)

    def disable(self):
        """`with deallocations.disable():` inside, nothing is deallocated unless memory runs out. Nests."""
        return _Deferral(self._ordinal)


class _Deferral:
    """Defers a device's deallocations inside its block. Can be nested."""

    def __init__(self, ordinal):
        self._ordinal = ordinal

    def __enter__(self):
        _core.defer_deallocations(self._ordinal)

    def __exit__(self, error_type, *_):
        try:
            _core.end_deferral(self._ordinal)
        except Exception:
            # The caller must see the exception that left the block.
            if error_type is None:
                raise


class MemoryManager:
    """The memory of one device: `cuda.current_context().memory_manager`."""

    def __init__(self, ordinal):
        self._ordinal = ordinal
        self.deallocations = Deallocations(ordinal)

    def get_memory_info(self):
        """A MemoryInfo (free, total)."""
        figures = _core.memory_figures(self._ordinal)
        from treadle.devices.memory import MemoryInfo

        return MemoryInfo(figures["free"], figures["capacity"])

    @property
    def cached_bytes(self):
        """Bytes of freed memory that are cached for later allocations."""
        return _core.memory_figures(self._ordinal)["cached_bytes"]

    @property
    def cache_limit(self):
        """The maximum number of cached bytes: initially TREADLE_CACHE_LIMIT; can be assigned."""
        return _core.memory_limits(self._ordinal)[2]

    @cache_limit.setter
    def cache_limit(self, limit):
        if limit < 0:
            raise ValueError(f"the limit of the cache must not be negative, found {limit}")
        count, ratio, _ = _core.memory_limits(self._ordinal)
        _core.set_memory_limits(self._ordinal, count, ratio, limit)

    def figures(self):
        """Statistics of the device's memory, as a dict.

        `capacity` and `free`, in bytes; `live_bytes` and `live_count`: allocations that arrays refer to, `peak_bytes`:
        the maximum of `live_bytes` since the last `reset_peak`, or since the first allocation; `pending_bytes` and
        `pending_count`: deallocations that wait; `cached_bytes` and `cached_count`: free blocks that are kept;
        `allocations`: how many were made so far, `cache_hits`: how many of them the cache has served.

        >>> from treadle import cuda
        >>> memory = cuda.current_context().memory_manager
        >>> memory.reset_peak()
        >>> before = memory.figures()
        >>> a = cuda.device_array(1000)
        >>> memory.figures()["peak_bytes"] - before["live_bytes"] >= 8000
        True
        """
        return dict(_core.memory_figures(self._ordinal))

    def reset_peak(self):
        """Resets `figures()["peak_bytes"]` to the current usage."""
        _core.reset_peak(self._ordinal)

    def trim(self):
        """Returns cached memory to the system, except blocks that a stream still uses."""
        _core.trim_memory(self._ordinal)

    def defer_cleanup(self):
        """`cuda.defer_cleanup`, for this device."""
        return self.deallocations.disable()
