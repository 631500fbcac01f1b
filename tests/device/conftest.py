"""The device that the conformance suite runs on: the one that TREADLE_DEVICE names, the CPU device without it.

What a device cannot pass stands in SKIPPED with the reason; an entry whose test is gone fails the suite.
"""

import os
from pathlib import Path

import pytest
from treadle import cuda

DEVICES = {os.environ.get("TREADLE_DEVICE") or "cpu": lambda: cuda.select_device(0)}
"""Name: what makes it the thread's device."""

SKIPPED: dict[tuple[str, str], str] = {
    ("remote", "test_host_view"): "the host cannot look at its memory",
    ("cuda", "test_host_view"): "the host cannot look at its memory",
    ("remote", "test_waits_for_ever_in_a_function_of_another_file"): "what fails is told at the next synchronisation",
    ("cuda", "test_waits_for_ever_in_a_function_of_another_file"): "on a GPU they wait for ever",
    ("cpu", "test_the_host_cannot_touch_the_memory_of_a_remote_device"): "the host can touch all of its memory",
}
"""(device, name of the test): the reason."""

TESTS = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
assert all(f"def {test}(" in TESTS for _, test in SKIPPED), "nothing is left to skip"


@pytest.fixture(autouse=True, params=sorted(DEVICES))
def device_under_test(request):
    reason = SKIPPED.get((request.param, request.node.originalname))
    if reason:
        pytest.skip(reason)
    DEVICES[request.param]()
    return request.param
