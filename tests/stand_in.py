"""Runs tests on CUDA, with the stand-in for the driver and its machine for PTX in the GPU's place:
`python tests/stand_in.py [arguments of pytest]`.

Without a path among the arguments, the quick part runs: TESTS. `--all` runs every folder of ALL.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ROOT / "build/dev/tests/fakedriver"

TESTS = [
    "tests/device",
    "tests/kernels/test_kernels.py",
    "tests/python/test_contexts.py",
    "tests/python/test_device_memory.py",
    "tests/python/test_host_memory.py",
    "tests/python/test_launch.py",
    "tests/python/test_streams.py",
]
ALL = [*TESTS, "tests/algorithms", "tests/cooperation", "tests/oracle", "tests/math", "tests/language"]

MANY = "more threads than the machine runs in a test's time"
CPU = "it is about the CPU device and its settings"
ENDED = "a GPU reaches a mapped array only within its `with`"
SEEN = "the host cannot look at the memory of a GPU"
SKIPPED: dict[str, str] = {
    "test_result[grid_beyond_int32]": MANY,
    "test_result[streamed_stores]": MANY,
    "test_host_view": SEEN,
    "test_capacity_and_limits_of_the_environment": CPU,
    "test_an_allocation_that_can_never_succeed_is_refused_at_once": CPU,
    "test_an_allocation_waits_for_what_streams_do_with_free_memory": CPU,
    "test_two_devices": CPU,
    "test_processor_setting": CPU,
    "test_bad_settings_are_refused_by_whatever_meets_them_first": CPU,
    "test_after_a_failure_on_a_fiber_recursion_knows_the_threads_own_stack": CPU,
    "test_a_child_has_streams_without_its_parents_work": "CUDA does not work in the children of forks",
    "test_elapsed_time_is_in_milliseconds": "the stand-in's events have no times of their own",
    "test_what_kernels_print_comes_with_the_next_synchronisation": "the driver writes what kernels print",
    "test_streams_wait_in_the_queue_too": "it names a stream that has ended, which only the driver could tell",
    "test_host_memory_lives_until_queued_launches_have_run": ENDED,
    "test_cycles_through_mapped_memory_are_collected": ENDED,
    "test_ptx": "PTX is assembled in the tests of the CPU device",
}
"""Name of a test, with its parameters or without: why it cannot pass."""


RACING = {
    "tests/kernels/test_kernels.py::test_result[waiting_loops]":
        "a thread waits for what another stores without an atomic operation",
    "tests/kernels/test_kernels.py::test_result[divergence_in_operands]":
        "a lane writes behind a vote what another has read before it, and votes order no memory",
}  # fmt: skip
"""Why its kernels race by CUDA's rules, though they do what they shall: run without the check, in a process each."""


def is_under_test():
    return os.environ.get("TREADLE_DEVICE") == "cuda"


def reason_to_skip(item):
    if not is_under_test():
        return None
    racing = RACING.get(item.nodeid) if os.environ.get("FAKE_CUDA_KERNEL_RACES") != "0" else None
    return SKIPPED.get(item.originalname) or SKIPPED.get(item.name) or racing


def environment():
    """What makes programs find the stand-in."""
    return {
        "TREADLE_DEVICE": "cuda",
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, [str(LIBRARIES), os.environ.get("LD_LIBRARY_PATH", "")])),
        "FAKE_CUDA_CAPABILITY": os.environ.get("FAKE_CUDA_CAPABILITY", "90"),
        "FAKE_CUDA_PATIENCE_MS": "1",
        "FAKE_CUDA_ALLOW": "launch-limits",  # a cooperative grid that is too large is refused by the driver
        "FAKE_CUDA_MEMORY": str(4 << 30),
    }


def run(arguments, **settings):
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not deep", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **environment(), **settings}).returncode


def main():
    arguments = sys.argv[1:]
    tests = ALL if "--all" in arguments else TESTS
    arguments = [argument for argument in arguments if argument != "--all"]
    if any(argument.startswith("tests/") for argument in arguments):
        tests = []
    status = run([*tests, *arguments])
    if tests:
        status = status or run(list(RACING), FAKE_CUDA_KERNEL_RACES="0")
    sys.exit(status)


if __name__ == "__main__":
    main()
