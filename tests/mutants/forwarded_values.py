# Defects of what takes the values of elements from variables.

from mutants.tree import Mutant

PASS = "src/passes/forwarded_values.cpp"
NUMBERS = "src/passes/value_numbers.cpp"
TEST = "tests/kernels/test_kernels.py::test_result[forwarded_values]"

MUTANTS = [
    Mutant(
        "arguments_never_overlap",
        PASS,
        "return !noOverlap || ((!one",
        "return ((!one",
        TEST,
    ),
    Mutant(
        "other_indices_are_other_elements_of_this_lane_only",
        PASS,
        "      if (!first || !second)\n        return false;",
        "      if (!first || !second)\n        return true;",
        TEST,
    ),
    Mutant(
        "negative_indices_are_other_elements",
        PASS,
        "differ |= *first != *second && (*first < 0) == (*second < 0);",
        "differ |= *first != *second;",
        TEST,
    ),
    Mutant(
        "one_position_tells_threads_apart",
        PASS,
        "place.covers(axes)",
        "place.covers(axes & ~1u)",
        TEST,
    ),
    Mutant(
        "one_arm_is_enough",
        PASS,
        "      if (other == others.end())\n        return true;",
        "      if (other == others.end())\n        return false;",
        TEST,
    ),
    Mutant(
        "loops_go_on_with_what_was_known",
        PASS,
        "    ++loops;\n    elements.clear();",
        "    ++loops;",
        TEST,
    ),
    Mutant(
        "variables_keep_their_numbers_behind_arms",
        PASS,
        "    for (const Change &change : changed)\n      assign(*kernel.slots[change.slot], numbers.fresh());\n  }\n\n"
        "  void join",
        "  }\n\n  void join",
        TEST,
    ),
    Mutant(
        "atomic_operations_change_nothing",
        PASS,
        "if (isCall || expression.kind == ExprKind::Atomic ||",
        "if (isCall ||",
        TEST,
    ),
    Mutant(
        "functions_change_nothing",
        PASS,
        "if (isCall && !expression.as<Call>().callee->effects.writes &&",
        "if (isCall &&",
        TEST,
    ),
    Mutant(
        "parts_of_threads_are_everywhere",
        NUMBERS,
        "return {isOneForBlock(op) ? ofParts : ThreadPlace::unknown()};",
        "return {parts.empty() ? ofParts : values[parts[0]].place};",
        TEST,
    ),
]
