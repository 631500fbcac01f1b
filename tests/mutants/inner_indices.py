# Defects of what runs without clamped and wrapped indices.

from mutants.tree import Mutant

PASS = "src/passes/rewrites/inner_indices.cpp"
DOUBLED = "src/passes/rewrites/doubled_statements.cpp"
TEST = "tests/kernels/test_kernels.py::test_result[clamped_indices]"

MUTANTS = [
    Mutant(
        "differences_are_largest_where_sums_are",
        PASS,
        "isLargest != isDifference",
        "isLargest",
        TEST,
    ),
    Mutant(
        "the_smallest_sum_is_within_the_upper_bound",
        PASS,
        "return {compare(Operation::Le, true, copy.copy(bound))};",
        "return {compare(Operation::Le, false, copy.copy(bound))};",
        TEST,
    ),
    Mutant(
        "what_a_loop_changes_is_fixed",
        DOUBLED,
        "return !assigned.test(slot->index) && (",
        "return (",
        TEST,
    ),
    Mutant(
        "sums_of_tests_may_wrap",
        PASS,
        "findRanges(*made, seeds)) == 0)",
        "findRanges(*made, seeds)) < plan.regions.size() + 99)",
        TEST,
    ),
    Mutant(
        "variables_are_others_behind_the_loop",
        DOUBLED,
        "own.reset(liveness.after(*doubled.statements.back()));",
        "",
        TEST,
    ),
    Mutant(
        "variables_are_others_in_the_next_run",
        DOUBLED,
        "own.reset(liveness.before(*doubled.statements.front()));",
        "",
        TEST,
    ),
    Mutant(
        "one_lane_within_the_bounds_is_enough",
        "src/codegen/cpu/warp/warp_control.cpp",
        "emitUniformIf(statement, sets->isAll(",
        "emitUniformIf(statement, sets->isAny(",
        TEST,
    ),
]
