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
    "tests/arrays/test_misaligned_arrays.py",
    "tests/compat/test_block_matching.py",
    "tests/compat/test_estimates.py",
    "tests/compat/test_exercises.py",
    "tests/compat/test_models_and_images.py",
    "tests/compat/test_plasma.py",
    "tests/compat/test_strided.py",
    "tests/compat/test_time_warp.py",
    "tests/compat/test_wave2d.py",
    "tests/contexts/test_contexts.py",
    "tests/device",
    "tests/kernels/test_kernels.py",
    "tests/launches/test_bound_launches.py",
    "tests/launches/test_clusters.py",
    "tests/launches/test_launch.py",
    "tests/launches/test_launch_options.py",
    "tests/launches/test_launches_at_random.py",
    "tests/launches/test_repeated_launches.py",
    "tests/memory/test_choosing_managers.py",
    "tests/memory/test_closed_memory.py",
    "tests/memory/test_device_memory.py",
    "tests/memory/test_host_memory.py",
    "tests/memory/test_ipc.py",
    "tests/memory/test_memory_managers.py",
    "tests/pages/test_examples.py",
    "tests/randomness/test_random_numbers.py",
    "tests/streams/test_graph_lifetimes.py",
    "tests/streams/test_graphs.py",
    "tests/streams/test_streams.py",
    "tests/ufuncs/test_guvectorize.py",
    "tests/ufuncs/test_numpy_ufuncs.py",
    "tests/ufuncs/test_reduction.py",
    "tests/ufuncs/test_ufuncs_of_dates.py",
    "tests/ufuncs/test_vectorize.py",
    "tests/ufuncs/test_vectorize_types.py",
    "tests/user_programs",
]
ALL = [*TESTS, "tests/algorithms", "tests/cooperation", "tests/math", "tests/language", "tests/programs"]

MANY = "more threads than the machine runs in a test's time"
CPU = "it is about the CPU device and its settings"
FOREVER = "on a GPU they wait for ever"
NOT_ALL = "CUDA wants all threads of the grid at its barrier; the CPU device does more (docs/cpu.md)"
APART = (
    "return_in_loop-affine", "nested_ifs-warp", "for_loop-affine", "device_function_return-block",
    "while_loop-varying", "loop_in_if-block", "nested_loops-varying",
)  # fmt: skip
SLOW = "threads that try a lock again and again take more time than a test has"
EX2 = "ex2.approx is better on GPUs than the error that PTX states for it, which the machine exhausts"
EX2_FUNCTIONS = ("cosh", "sinh", "tanh", "exp", "exp2", "erfc", "pow")
SEEN = "the host cannot look at the memory of a GPU"
SKIPPED: dict[str, str] = {
    "test_result[grid_beyond_int32]": MANY,
    "test_result[streamed_stores]": MANY,
    "test_large": MANY,
    "test_threads_per_block": MANY,
    "test_host_view": SEEN,
    "test_numbers_of_files_that_are_used_again": "CUDA leaves open what the handle of freed memory opens",
    "test_gets_through[lock_for_each_bucket]": SLOW,
    "test_gets_through[lock_by_swap]": SLOW,
    "test_gets_through[lock_by_functions]": SLOW,
    "test_gets_through[lock_in_shared_memory]": SLOW,
    "test_jacobi[shape2-block2]": "the stand-in has no room for so many blocks at once",
    "test_deadlock_is_an_error[barrier_against_syncwarp]": FOREVER,
    "test_deadlock_is_an_error[barrier_in_loop_against_vote]": FOREVER,
    "test_deadlock_is_an_error[barrier_of_the_grid_against_shuffle]": FOREVER,
    "test_by_hand[grid_sync_without_blocks_that_exited]": NOT_ALL,
    **{f"test_construct_at_position[grid_sync-{case}]": NOT_ALL for case in APART},
    "test_threads_that_spin[plain_flag_in_so_many_tries]": SLOW,
    **{f"test_function_within_cudas_bound[{name}-f32]": EX2 for name in EX2_FUNCTIONS},
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
    "test_host_memory_lives_until_queued_launches_have_run": "a GPU reaches memory of the host only where it is mapped",
    "test_program[warps_in_step]": "CUDA does not promise that lanes work in step; the CPU device does so",
    "test_a_stream_that_does_not_lead_back_is_an_error": "the stand-in ends programs that do so; tests/cuda has it",
    "test_ptx": "PTX is assembled in the tests of the CPU device",
}
"""Name of a test, with its parameters or without: why it cannot pass."""


OLD = {
    "test_result[waiting]": "it asks for more shared memory than a GPU below 8.0 has",
}
"""What a GPU of compute capability 7.5 cannot do."""


WAITING_APART = (
    "barriers that count or vote are not promised to lanes of a warp that wait at different ones (docs/ptx.md)"
)
ON_GPUS = {
    "test_memory_info_counts_what_can_be_had": "drivers set memory aside in larger pieces",
    "test_unknown_devices": "what it expects is said where there is no GPU",
    **dict.fromkeys(("test_vector_routine", "test_fast_vector_routine_is_of_that_function"), CPU),
    **dict.fromkeys(("test_integer_division", "test_integer_power", "test_float_division"), CPU),
    "test_by_hand[count_meets_count_elsewhere]": WAITING_APART,
    **{
        f"test_construct_at_position[syncthreads_count-{case}]": WAITING_APART
        for case in (
            "nested_ifs-varying",
            "if_in_loop-varying",
            "after_continue-affine",
            "device_function_return-affine",
        )
    },
}
"""The same for GPUs that are none of the stand-in's."""


RACING = {
    "tests/kernels/test_kernels.py::test_result[waiting_loops]":
        "a thread waits for what another stores without an atomic operation",
    "tests/kernels/test_kernels.py::test_result[divergence_in_operands]":
        "a lane writes after a vote what another has read before it, and votes order no memory",
    "tests/cooperation/test_cooperation.py::test_threads_that_spin": "flags without fences",
    "tests/user_programs/test_user_programs.py::test_program[sparse_and_graphs]": "all threads that change something "
    "store True",
    "tests/compat/test_stumpy.py": "all threads store the first element, where one of them has stored another",
    "tests/programs/test_mutations.py": "whatever a mutation makes of a kernel",
    "tests/algorithms/test_spinning.py": "locks and flags as programs have them, without all the fences",
    "tests/algorithms/test_graphs.py": "what is read beside atomic operations may be old, and is corrected later",
}  # fmt: skip
"""A test or a file: why its kernels race by CUDA's rules, though they do what they shall; run without that check."""


def is_under_test():
    return os.environ.get("TREADLE_DEVICE") == "cuda"


def reason_to_skip(item):
    if not is_under_test():
        return None
    if os.environ.get("FAKE_CUDA_CAPABILITY") == "75" and item.name in OLD:
        return OLD[item.name]
    if "FAKE_CUDA_CAPABILITY" not in os.environ and (why := ON_GPUS.get(item.originalname) or ON_GPUS.get(item.name)):
        return why
    seeks_races = os.environ.get("FAKE_CUDA_KERNEL_RACES") != "0"
    racing = next((why for what, why in RACING.items() if seeks_races and item.nodeid.startswith(what)), None)
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
    given = [argument for argument in arguments if argument.startswith("tests/")]
    options = [argument for argument in arguments if argument not in given]
    tests = given or tests
    status = run([*tests, *options])
    racing = [test for test in RACING if any(test.startswith(path) or path.startswith(test) for path in tests)]
    if racing:
        status = status or run([*racing, *options], FAKE_CUDA_KERNEL_RACES="0")
    sys.exit(status)


if __name__ == "__main__":
    main()
