"""The type and value of `kernel.stats`."""

from collections import namedtuple

from treadle import _core

CacheStats = namedtuple("CacheStats", ("cache_path", "cache_hits", "cache_misses"))
CacheStats.__doc__ = "Where compiled code was found, and where not: {argument types: how often}."


def cache_stats(dispatcher):
    """The CacheStats of a dispatcher."""
    kept = _core.code_cache_counts() if dispatcher.options.cache else None
    counts = _core.cache_counts(dispatcher)
    return CacheStats(
        kept and kept["images"]["folder"],
        {signature.args: hits for signature, hits, _ in counts if hits},
        {signature.args: misses for signature, _, misses in counts if misses},
    )
