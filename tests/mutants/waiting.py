# Miscompilations of loops that wait for other threads: which loops these are, and which thread runs when. Storage that
# several lanes or several levels of a recursion share.

from mutants.tree import Mutant

FIBERS = "src/codegen/cpu/warp/fiber_calls.cpp"
LOOPS = "src/codegen/cpu/warp/warp_loops.cpp"
PLACES = "src/codegen/cpu/lanes/warp_arrays.cpp"
REGIONS = "src/codegen/cpu/warp/block_regions.cpp"
SPIN = "src/passes/analyses/spin_loops.cpp"
OPERANDS = "tests/kernels/test_kernels.py::test_result[divergence_in_operands]"


def waiting(name):
    return f"tests/cooperation/test_cooperation.py::test_threads_that_spin[{name}]"


MUTANTS = [
    # Loops that may wait.
    Mutant(
        "captured_arrays_are_other_memory",
        "src/passes/analyses/array_origins.cpp",
        "    if (direct.test(i) && isCaptured(elementOf(i)))\n      written.set(elsewhere);\n",
        "",
        "tests/passes/test_passes.py::test_report[array_origins]",
    ),
    Mutant(
        "what_an_if_decides_waits_for_nobody",
        SPIN,
        "    walk(branch.then, std::max(control, look));",
        "    walk(branch.then, control);",
        waiting("flag_decides_an_if"),
    ),
    Mutant(
        "nothing_hangs_on_a_continue",
        SPIN,
        "return raise(jumps.back()->all, control);\n    case StmtKind::Return:",
        "return;\n    case StmtKind::Return:",
        waiting("continue_until_the_flag_of_a_lane"),
    ),
    Mutant(
        "tries_wait_for_nobody",
        SPIN,
        "    if (isBounded && ends == Look::Poll)\n      return Patience::Short;",
        "    if (isBounded && ends == Look::Poll)\n      return Patience::Endless;",
        waiting("lock_in_so_many_tries"),
    ),
    Mutant(
        "attempts_at_changing_places_do_not_yield",
        SPIN,
        "(ends == Look::Others && countsAttempts(loop))",
        "(ends == Look::Others && false)",
        "tests/kernels/test_kernels.py::test_result[waiting_loops]",
    ),
    Mutant(
        "functions_look_at_nothing",
        SPIN,
        "    if (!origins.looksAtOthers(*call.callee))\n      return Look::Nothing;",
        "    if (true)\n      return Look::Nothing;",
        waiting("flag_read_in_a_function"),
    ),
    Mutant(
        "plain_loads_look_at_nothing",
        SPIN,
        "    return isOnePlace ? Look::OnePlace : Look::Others;\n  }\n\n  Look lookOfAtomic",
        "    return Look::Nothing;\n  }\n\n  Look lookOfAtomic",
        waiting("plain_flags_one_after_another"),
    ),
    Mutant(
        "shared_memory_keeps_no_looks",
        SPIN,
        "    raise(origins.isLocal(function, array) ? localMemory : sharedMemory, look);",
        "    raise(localMemory, look);",
        waiting("block_that_waits_with_barriers"),
    ),
    Mutant(
        "votes_hang_on_nothing",
        SPIN,
        "      raise(votes, std::max(control, lookOf(*predicate, control)));",
        "      lookOf(*predicate, control);",
        waiting("block_that_waits_in_a_vote"),
    ),
    Mutant(
        "ranges_do_not_yield",
        LOOPS,
        "    letOthersRun(loop, otherwise);",
        "",
        waiting("lock_in_so_many_tries"),
    ),
    Mutant(
        "searches_wait",
        "src/passes/analyses/loop_bounds.cpp",
        " || shrinks(left, right);",
        ";",
        "tests/kernels/test_kernels.py::test_result[waiting_loops]",
    ),
    Mutant(
        "polled_loads_leave_the_loop",
        SPIN,
        "    polled.insert(loads.begin(), loads.end());",
        "",
        "tests/kernels/test_kernels.py::test_ptx[waiting_loops]",
    ),
    # Lanes that diverge inside an expression.
    Mutant(
        "conditionals_forget_that_lanes_diverged",
        "src/codegen/cpu/warp/warp_conditionals.cpp",
        "  joinLanes(before, divergences != divergedBefore);\n  Lanes value;",
        "  (void)before, (void)divergedBefore;\n  Lanes value;",
        OPERANDS,
    ),
    Mutant(
        "fibers_without_active_lanes_go_on",
        FIBERS,
        "  if (!mask || !skipTarget)\n    return;",
        "  return;",
        OPERANDS,
    ),
    Mutant(
        "lanes_out_of_the_loop_skip_its_else_clause",
        LOOPS,
        "    const Scoped<BasicBlock *> own(skipTarget, done);",
        "",
        OPERANDS,
    ),
    Mutant(
        "lanes_of_the_other_arm_skip_it",
        "src/codegen/cpu/warp/warp_control.cpp",
        "  const Scoped<BasicBlock *> own(skipTarget, done);",
        "",
        OPERANDS,
    ),
    Mutant(
        "lanes_that_are_not_gathered_go_on",
        FIBERS,
        "  if (divergences != divergedBefore)\n    skipIfNoLaneIsActive();",
        "  static_cast<void>(divergedBefore);",
        OPERANDS,
    ),
    Mutant(
        "calls_in_a_test_are_outside_of_the_loop",
        LOOPS,
        " // calls in the test may release lanes\n    Value *test = splatIfAffine(e->emitLeaf(*statement.test));",
        "\n    storage(*e->frame).loops.pop_back();"
        "\n    Value *test = splatIfAffine(e->emitLeaf(*statement.test));"
        "\n    storage(*e->frame).loops.push_back(&loop);",
        OPERANDS,
    ),
    # Storage of several lanes and of several activations.
    Mutant(
        "wrapped_places_do_not_meet",
        "src/codegen/emit_array.cpp",
        "fast), slowIf, slowAddress});",
        "fast), nullptr, slowAddress});",
        "tests/kernels/test_kernels.py::test_result[atomic_operations]",
    ),
    Mutant(
        "levels_of_a_recursion_share_arrays",
        PLACES,
        "  if (activation.begin) {",
        "  if (activation.begin && bytes == 0) {",
        "tests/kernels/test_kernels.py::test_result[recursion]",
    ),
]
