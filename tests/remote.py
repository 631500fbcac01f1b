"""Runs tests on the remote device, which takes the place of a GPU: `python tests/remote.py [arguments of pytest]`.

The host cannot touch its memory, and its work runs later than asked (tests/device/remote_device).
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "build/dev/tests/device/remote_device/libtreadle-remote-device.so"

TESTS = [
    "tests/device",
    "tests/python/test_array_shapes.py",
    "tests/python/test_array_strides.py",
    "tests/python/test_contexts.py",
    "tests/python/test_cudadrv.py",
    "tests/python/test_device_memory.py",
    "tests/python/test_host_looks.py",
    "tests/python/test_host_memory.py",
    "tests/python/test_memory_document.py",
    "tests/python/test_stream_failures.py",
    "tests/python/test_stream_handles.py",
    "tests/python/test_streams.py",
]

SKIPPED: dict[str, str] = {
    "test_a_child_has_streams_without_its_parents_work": "the threads of the remote device are not in a child",
    "test_copies_on_a_busy_stream_return_before_they_are_done": "the host looks at memory that copies write",
}
"""Name of a test of tests/python: why the remote device cannot pass it."""


def is_under_test():
    return os.environ.get("TREADLE_DEVICE") == "remote"


def seen(device, stream=0):
    """The elements of a device array as the host sees them: in place, or as a copy made in the stream's order."""
    return device.copy_to_host(stream=stream) if is_under_test() else device.host_view()


def shared(device):
    """The object through which the host changes elements of a device array."""
    return device if is_under_test() else device.host_view()


def main():
    arguments = sys.argv[1:]
    tests = [] if any(argument.startswith("tests/") for argument in arguments) else TESTS
    environment = {**os.environ, "TREADLE_DEVICE": "remote", "LD_PRELOAD": str(LIBRARY)}
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not deep", *tests, *arguments]
    os.chdir(ROOT)
    os.execve(sys.executable, command, environment)


if __name__ == "__main__":
    main()
