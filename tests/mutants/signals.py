# Defects in how signals end what Treadle waits for: nobody looks, or the work is not told.

from mutants.tree import Mutant

WATCHER = "src/device/launch_watcher.cpp"
QUEUE = "src/device/cpu/stream_queue.cpp"


def interrupt(case):
    return f"tests/threads/test_interrupt.py::test_interrupt[{case}]"


MUTANTS = [
    Mutant(
        "kernels_do_not_look",
        "src/device/cpu/cpu_launch.cpp",
        "if (watcher->shouldContinue(LaunchWatcher::Activity::Work))",
        "if (true)",
        "tests/threads/test_signal_handlers.py::test_a_handler_that_returns_lets_the_kernel_go_on",
    ),
    Mutant(
        "waits_do_not_look",
        WATCHER,
        "if (!watch.shouldContinueForHost())",
        "if (false)",
        "tests/threads/test_signal_handlers.py::test_a_handler_may_launch_while_the_host_waits",
    ),
    Mutant(
        "compilations_do_not_look",
        "src/support/big_stack.cpp",
        "if (shouldContinue && !shouldContinue())",
        "if (false && shouldContinue && !shouldContinue())",
        interrupt("a compilation"),
    ),
    Mutant(
        "copies_do_not_look",
        "src/device/strided_copy.cpp",
        "if (shouldContinue && !shouldContinue())",
        "if (false && shouldContinue && !shouldContinue())",
        "tests/device/test_conformance.py::test_a_handler_that_raises_ends_a_copy",
    ),
    Mutant(
        "copies_for_a_queue_do_not_look",
        "src/memory/copy.cpp",
        "  copyByHost(copyBetween(staged.elements, from), turn.stream, turn.watcher);",
        "  copyStrided(copyBetween(staged.elements, from));",
        "tests/threads/test_interrupted_copies.py::test_an_interrupt_before_a_copy_is_queued",
    ),
    Mutant(
        "handlers_use_the_device_in_copies",
        WATCHER,
        "LaunchWatcher::Activity::Work",
        "LaunchWatcher::Activity::Wait",
        "tests/threads/test_interrupted_copies.py::test_a_handler_in_the_middle_of_a_copy",
    ),
    Mutant(
        "work_outlives_the_wait_that_was_interrupted",
        WATCHER,
        "return true;\n    point.timeline->interrupt();",
        "return true;",
        interrupt("a wait for a stream"),
    ),
    Mutant(
        "kernels_are_not_asked_to_end",
        QUEUE,
        "  if (!asksKernels)\n    safepointRequests().fetch_add(1);\n  asksKernels = true;",
        "",
        interrupt("a wait for an event"),
    ),
    Mutant(
        "other_streams_are_not_interrupted",
        QUEUE,
        "    all->interrupt();\n  else\n    endGiven();",
        "    endGiven();",
        interrupt("a kernel after one of a stream that nobody waits for"),
    ),
    Mutant(
        "output_drops_what_a_handler_raised",
        "src/python/host/gil_lock.cpp",
        "  PyErr_Restore(type, value, traceback);",
        "",
        "tests/threads/test_signal_handlers.py::test_output_and_the_error_of_a_handler",
    ),
]
