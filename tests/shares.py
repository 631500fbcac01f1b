"""Tests that take turns: which of those marked `share` this run has."""

from collections import Counter


def leave_others(config, items):
    """Of those marked `share`, all but the k-th of every n; of `share(every=4)`, of every 4 where n is not less. Those
    of one file that are marked `together` count as one.
    """
    which, of = map(int, config.getoption("--share").split("/"))
    numbers: Counter[int] = Counter()
    known: dict = {}
    others = set()
    for item in items:
        if marker := item.get_closest_marker("share"):
            every = min(of, marker.kwargs.get("every", of))
            group = item.path if marker.kwargs.get("together") else item
            if group not in known:
                known[group] = numbers[every]
                numbers[every] += 1
            if known[group] % every != which % every:
                others.add(id(item))
    if others:
        config.hook.pytest_deselected(items=[item for item in items if id(item) in others])
        items[:] = [item for item in items if id(item) not in others]
