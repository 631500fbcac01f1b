"""The devices that the conformance suite runs on. Every test here runs once on each of them.

A device joins by an entry in DEVICES: how it is chosen, or why it cannot be had here. What it cannot pass stands in
SKIPPED with the reason; an entry whose test is gone fails the suite.
"""

from pathlib import Path

import pytest
from treadle import cuda

DEVICES = {"cpu": lambda: cuda.select_device(0)}
"""Name: what makes it the thread's device."""

SKIPPED: dict[tuple[str, str], str] = {}
"""(device, name of the test): the reason."""


@pytest.fixture(autouse=True, params=sorted(DEVICES))
def device_under_test(request):
    reason = SKIPPED.get((request.param, request.node.originalname))
    if reason:
        pytest.skip(reason)
    DEVICES[request.param]()
    return request.param


def pytest_collection_modifyitems(items):
    here = [item for item in items if item.path.parent == Path(__file__).parent]
    names = {item.originalname for item in here}
    gone = [key for key in SKIPPED if names and key[1] not in names]
    assert not gone, f"nothing is left to skip: {gone}"
