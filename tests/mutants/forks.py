# Children of forks inherit what threads of their parents were in the middle of.

from mutants.tree import Mutant

GATE = "src/support/fork_gate.cpp"
EXIT = "src/python/host/gil_lock.h"
FORKS = "python/treadle/forks.py"
TRAVEL = "python/treadle/kernels/travel.py"
AT_RANDOM = "tests/threads/test_forks_at_random.py"


def busy(what):
    return f"{AT_RANDOM}::test_a_child_of_a_parent_whose_thread[{what}]"


MUTANTS = [
    Mutant(
        "mutexes_are_not_renewed",
        GATE,
        "  forks().mutexes.callEach(&ForkHandlers::inChild);\n",
        "",
        busy("captures"),
    ),
    Mutant(
        "captures_go_on_in_children",
        "src/device/device.cpp",
        "  new (&captureStreams) std::vector<ThreadCapture>;\n  diversions = 0;\n",
        "",
        busy("captures"),
    ),
    Mutant(
        "events_of_the_parents_captures_are_joined",
        "src/device/cpu/cpu_capture.cpp",
        "  if (isAbandoned.load())",
        "  if (false)",
        busy("captures"),
    ),
    Mutant(
        "graphs_are_still_running_in_children",
        "src/device/cpu/cpu_capture.h",
        "  ForkMutex running{ForkMutex::Held::OverWork};\n",
        "  std::mutex running;\n",
        busy("replays"),
    ),
    Mutant(
        "a_handler_that_forks_has_left_its_kernel",
        EXIT,
        "if (state.handlingThread.load() != own)",
        "if (true)",
        f"{AT_RANDOM}::test_a_child_that_a_signal_handler_forks_is_in_the_middle_of_its_kernel",
    ),
    Mutant(
        "locks_of_python_are_not_renewed",
        FORKS,
        "        self._lock = RLock()\n        if",
        "        if",
        busy("restores a kernel"),
    ),
    Mutant(
        "kernels_that_the_parent_was_restoring_stay_as_they_are",
        TRAVEL,
        "        dispatcher._waits = True\n    _filling",
        "        pass\n    _filling",
        busy("restores a kernel"),
    ),
]
