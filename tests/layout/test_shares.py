"""Tests that take turns: within sixteen commits each of them runs, and those of a file that go together do."""

from pathlib import Path
from types import SimpleNamespace

import shares


class Item:
    def __init__(self, path, **given):
        self.path = Path(path)
        self.marker = SimpleNamespace(kwargs=given)

    def get_closest_marker(self, name):
        return self.marker if name == "share" else None


def chosen(items, share):
    left = list(items)
    hook = SimpleNamespace(pytest_deselected=lambda items: None)
    shares.leave_others(SimpleNamespace(getoption=lambda name: f"{share}/16", hook=hook), left)
    return left


def test_each_runs_in_its_turn():
    every = {16: 40, 4: 10, 2: 3}
    items = [Item("a.py", every=n) for n, count in every.items() for _ in range(count)]
    turns = [chosen(items, share) for share in range(1, 17)]
    for item in items:
        assert sum(item in turn for turn in turns) == 16 // item.marker.kwargs["every"]


def test_a_file_runs_whole_or_not_at_all():
    items = [Item(name, every=4, together=True) for name in ("a.py", "b.py") for _ in range(5)]
    for share in range(1, 17):
        assert len(chosen(items, share)) in (0, 5)
    assert sum(len(chosen(items, share)) for share in range(1, 5)) == len(items)
