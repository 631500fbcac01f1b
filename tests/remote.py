"""Runs tests on the remote device, which takes the place of a GPU: `python tests/remote.py [arguments of pytest]`.

The host cannot touch its memory, and its work runs later than asked (tests/device/remote_device).
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "build/dev/tests/device/remote_device/libtreadle-remote-device.so"

# The folders of Python tests in which each file is one of TESTS or of LEFT_OUT.
FOLDERS = [
    "tests/arrays",
    "tests/compiling",
    "tests/contexts",
    "tests/launches",
    "tests/machine_code",
    "tests/memory",
    "tests/names",
    "tests/pages",
    "tests/randomness",
    "tests/source",
    "tests/streams",
    "tests/threads",
    "tests/tools",
    "tests/types",
    "tests/ufuncs",
]
TESTS = [
    "tests/arrays/test_array_shapes.py",
    "tests/arrays/test_array_strides.py",
    "tests/arrays/test_buffers.py",
    "tests/arrays/test_misaligned_arrays.py",
    "tests/arrays/test_records.py",
    "tests/contexts/test_contexts.py",
    "tests/device",
    "tests/launches/test_arguments.py",
    "tests/launches/test_blocks_without_threads.py",
    "tests/launches/test_clusters.py",
    "tests/launches/test_kernel_lifetimes.py",
    "tests/launches/test_launch.py",
    "tests/launches/test_launch_options.py",
    "tests/launches/test_repeated_launches.py",
    "tests/machine_code/test_lane_axis.py",
    "tests/machine_code/test_short_rows.py",
    "tests/machine_code/test_worker_tables.py",
    "tests/memory/test_device_memory.py",
    "tests/memory/test_dynamic_shared.py",
    "tests/memory/test_host_looks.py",
    "tests/memory/test_host_memory.py",
    "tests/memory/test_memory_document.py",
    "tests/memory/test_wrong_memory_arguments.py",
    "tests/names/test_cudadrv.py",
    "tests/pages/test_examples.py",
    "tests/randomness/test_random_numbers.py",
    "tests/streams/test_stream_failures.py",
    "tests/streams/test_stream_handles.py",
    "tests/streams/test_streams.py",
    "tests/threads/test_interrupt.py",
    "tests/threads/test_interrupted_copies.py",
    "tests/threads/test_signal_handlers.py",
    "tests/tools/test_statistics.py",
    "tests/ufuncs/test_guvectorize.py",
    "tests/ufuncs/test_numpy_ufuncs.py",
    "tests/ufuncs/test_reduction.py",
    "tests/ufuncs/test_ufuncs_of_dates.py",
    "tests/ufuncs/test_vectorize.py",
    "tests/ufuncs/test_vectorize_types.py",
]

KERNELS = "its kernels are the CPU device's, so what the compiler makes of them is tested there"
STAGED = "kernels that wait for what the host writes meanwhile into an array of its own"
FORKS = "the threads of the remote device are not in the children of forks"
LEFT_OUT = {
    "inspection": "signatures are the same on every device",
    "bound_launches": "the remote device has no graphs, and tells failures later than CUDA",
    "launches_at_random": "the remote device has no graphs",
    **dict.fromkeys(
        (
            "changes_while_reading",
            "code_cache",
            "code_cache_builds",
            "code_cache_changes",
            "overridden_stages",
            "soak",
            "tests_with_code_cache",
        ),
        "programs of their own, without the remote device",
    ),
    **dict.fromkeys(("gdb", "leaks", "random_quality", "report_in_browser"), "deep: only quick tests run on it"),
    "code_counts": "needs no device",
    "statements_of_pages": "programs of their own, and the CPU device's limits",
    "commands": "programs of their own, without the remote device",
    "compile_options": KERNELS,
    **dict.fromkeys(("ipc", "closed_memory"), "memory of other processes, which have no remote device"),
    **dict.fromkeys(("memory_managers", "choosing_managers"), "what allocates the remote device's memory is its own"),
    "travel": "kernels in other processes, which have no remote device",
    "numba_names": "needs no device",
    **dict.fromkeys(("type_classes", "whole_files"), "needs no device"),
    "config": "settings, most of which are about the CPU device and CUDA",
    "debug_info": KERNELS,
    "docs": "examples that print what the CPU device is",
    "dtypes": KERNELS,
    "errors_of_users_code": "what Python raises before a device is asked",
    "fallbacks": KERNELS,
    "feature_rows": KERNELS,
    "float16": KERNELS,
    "float_modes": "its kernels never run on the thread that launches them",
    **dict.fromkeys(("forks", "forks_at_random"), FORKS),
    **dict.fromkeys(("several_devices", "peer_arrays"), "their programs choose their devices themselves"),
    "gdb_arrays": "needs no device",
    "graph_lifetimes": "the remote device has no graphs",
    "graphs": "the remote device has none",
    "images": KERNELS,
    "jit_options": KERNELS,
    "lanes": KERNELS,
    "kept_requests": "counts what is compiled for the CPU device",
    "launch_costs": "counts what the CPU device does",
    "loaded_images": KERNELS,
    "locales": "prints of the CPU device",
    "masked_memory": KERNELS,
    "memory_per_block": "counts what the CPU device does",
    "operators": KERNELS,
    "processors": KERNELS,
    "redirect": KERNELS,
    "report": KERNELS,
    "resolver": KERNELS,
    "signatures": KERNELS,
    "sources": KERNELS,
    "sources_of_programs": KERNELS,
    "sources_without_file": KERNELS,
    "stacks": KERNELS,
    "steps_at_random": FORKS,
    "stubs": "needs no device",
    "syntax": KERNELS,
    "threads": FORKS + "; " + STAGED,
    **dict.fromkeys(("trace", "trace_files"), "the remote device notes nothing in traces"),
    "types": KERNELS,
    "ways_of_writing": KERNELS,
}
"""NAME of test_NAME.py in one of FOLDERS: why it does not run on the remote device."""

SKIPPED: dict[str, str] = {
    "test_a_handler_in_the_middle_of_a_kernel_cannot_launch": "its kernels never run on the thread that launches them",
    "test_a_handler_that_returns_lets_the_kernel_go_on": STAGED,
    "test_a_handler_in_the_middle_of_a_copy": "the handler looks at memory that the copy writes",
    "test_a_kernel_that_was_short_lets_other_threads_run_once_it_lasts": STAGED,
    "test_ignored_interrupts_stay_ignored": STAGED,
    "test_what_one_value_of_a_class_has_not_another_may_have": "the remote device has no CUDA Array Interface",
    "test_fields_of_packed_records_are_arrays_with_strides_of_any_number_of_bytes": "it stages them",
    "test_interrupt[a child of a fork, made while a kernel ran]": FORKS,
    "test_a_child_has_streams_without_its_parents_work": FORKS,
    "test_copies_on_a_busy_stream_return_before_they_are_done": "the host looks at memory that copies write",
}
"""Name of a test of TESTS: why the remote device cannot pass it."""


def is_under_test():
    return os.environ.get("TREADLE_DEVICE") == "remote"


def is_memory_hidden():
    """Whether the host cannot look at the device's memory."""
    return os.environ.get("TREADLE_DEVICE") in ("remote", "cuda")


def seen(device, stream=0):
    """The elements of a device array as the host sees them: in place, or as a copy made in the stream's order."""
    return device.copy_to_host(stream=stream) if is_memory_hidden() else device.host_view()


def shared(device):
    """The object through which the host changes elements of a device array."""
    return device if is_memory_hidden() else device.host_view()


def main():
    arguments = sys.argv[1:]
    tests = [] if any(argument.startswith("tests/") for argument in arguments) else TESTS
    environment = {**os.environ, "TREADLE_DEVICE": "remote", "LD_PRELOAD": str(LIBRARY)}
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not deep", *tests, *arguments]
    os.chdir(ROOT)
    os.execve(sys.executable, command, environment)


if __name__ == "__main__":
    main()
