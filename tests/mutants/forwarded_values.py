# Defects of what takes the values of elements from variables.

from mutants.tree import Mutant

PASS = "src/passes/rewrites/forwarded_values.cpp"
NUMBERS = "src/passes/analyses/value_numbers.cpp"
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
        "    slots.enterLoop();\n    elements.clear();",
        "    slots.enterLoop();",
        TEST,
    ),
    Mutant(
        "variables_keep_their_numbers_behind_arms",
        PASS,
        "    slots.forget(changedByThen);\n",
        "",
        TEST,
    ),
    Mutant(
        "atomic_operations_change_nothing",
        PASS,
        "if (kind.isVolatile && !isHarmless)",
        "if (kind.isVolatile && !isHarmless && expression.kind != ExprKind::Atomic)",
        TEST,
    ),
    Mutant(
        "functions_change_nothing",
        PASS,
        "expression.kind == ExprKind::Call && !expression.as<Call>().callee->effects.writes &&",
        "expression.kind == ExprKind::Call &&",
        TEST,
    ),
    Mutant(
        "parts_of_threads_are_everywhere",
        NUMBERS,
        "return {isOneForBlock(op) ? ofParts : ThreadPlace::unknown()};",
        "return {parts.empty() ? ofParts : values[parts[0]].place};",
        TEST,
    ),
    Mutant(
        "code_knows_nothing_of_overlap",
        "src/passes/pipeline.cpp",
        "analysis.facts.noOverlap &= !capturesDeviceArray(*analysis.kernel);",
        "analysis.facts.noOverlap = false;",
        "tests/machine_code/test_code_counts.py::test_kernels_have_as_many_instructions_as_before",
    ),
]
