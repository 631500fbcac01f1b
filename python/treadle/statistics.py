"""What `kernel.stats` is."""

from collections import namedtuple

CacheStats = namedtuple("CacheStats", ("cache_path", "cache_hits", "cache_misses"))
CacheStats.__doc__ = "Where compiled code was found, and where not: {argument types: how often}."
