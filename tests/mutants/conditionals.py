# Defects of conditional expressions on the CPU device.

from mutants.tree import Mutant

CONDITIONALS = "src/codegen/cpu/warp/warp_conditionals.cpp"


def kernel(name):
    return f"tests/kernels/test_kernels.py::test_result[{name}]"


MUTANTS = [
    Mutant(
        "conditional_arms_swapped",
        CONDITIONALS,
        "return b.CreateSelect(v[0], v[1], v[2]); }));",
        "return b.CreateSelect(v[0], v[2], v[1]); }));",
        kernel("conditional_expression"),
    ),
    Mutant(
        "untaken_side_runs",
        CONDITIONALS,
        "lanes = isThen ? sets->without(lanes, condition) : sets->both(lanes, condition);",
        "lanes = isThen ? sets->without(lanes, condition) : lanes ? lanes : sets->all();",
        kernel("chained_comparisons"),
    ),
    Mutant(
        "choices_made_from_the_outside",
        CONDITIONALS,
        "for (const ChoiceLevel &level : llvm::reverse(levels))",
        "for (const ChoiceLevel &level : levels)",
        kernel("long_conditions"),
    ),
    Mutant(
        "long_sets_lose_lanes",
        "src/codegen/cpu/lanes/lane_sets.cpp",
        "{bitsOf(b, both)});",
        "{bitsOf(b, also)});",
        kernel("long_conditions"),
    ),
]
