"""The report of TREADLE_LEAK_REPORT: allocations of device memory that are alive when the program ends."""

import gc
import sys

from treadle import _core


def report():
    """Writes the report to stderr. Excludes arrays in unreachable cycles, which are collected first."""
    gc.collect()
    if sys.stderr is not None:
        sys.stderr.write(text(_core.live_allocations()))


def text(live):
    """`live`: what `_core.live_allocations` returns. Allocations of one place and size share a line, in the order of
    their first allocation."""
    if not live:
        return "treadle: leak report: no device memory is alive at exit\n"
    groups: dict[tuple, int] = {}
    for one in live:
        groups[one] = groups.get(one, 0) + 1
    total = sum(size for _, _, size, _ in live)
    lines = [f"treadle: leak report: {_allocations(len(live))} alive at exit, {total} bytes"]
    for (ordinal, kind, size, place), count in groups.items():
        many = f" ({count} x {size})" if count > 1 else ""
        lines.append(f"  device {ordinal} ({kind}): {count * size} bytes{many}, {_made(place)}")
    return "\n".join(lines) + "\n"


def _allocations(count):
    return "1 allocation is" if count == 1 else f"{count} allocations are"


def _made(place):
    return f"allocated at {place}" if place else "allocated where no Python code was running"
