# Defects of what runs without clamped and wrapped indices.

from mutants.tree import Mutant

PASS = "src/passes/inner_indices.cpp"
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
        "return add(all, Operation::Le, extreme(sum, true, region), copy(bound));",
        "return add(all, Operation::Le, extreme(sum, false, region), copy(bound));",
        TEST,
    ),
    Mutant(
        "what_a_loop_changes_is_fixed",
        PASS,
        "return !region.assigned.contains(slot) && (",
        "return (",
        TEST,
    ),
    Mutant(
        "sums_may_wrap",
        PASS,
        "expression.type, ranges.of(left), ranges.of(right)) &&",
        "expression.type, ranges.of(left), ranges.of(right)) ||",
        TEST,
    ),
    Mutant(
        "variables_are_others_behind_the_loop",
        PASS,
        "if (inside[slot->index] == uses[slot->index] && !slot->isParameter)",
        "if (!slot->isParameter)",
        TEST,
    ),
    Mutant(
        "one_lane_within_the_bounds_is_enough",
        "src/codegen/cpu/warp_control.cpp",
        "emitUniformIf(statement, sets->isAll(",
        "emitUniformIf(statement, sets->isAny(",
        TEST,
    ),
]
