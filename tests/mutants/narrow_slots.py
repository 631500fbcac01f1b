# Defects of variables of fewer bits than their types have.

from mutants.tree import Mutant

PASS = "src/passes/ranges/narrow_slots.cpp"
TEST = "tests/kernels/test_kernels.py::test_result[narrow_variables]"

MUTANTS = [
    Mutant(
        "one_bit_too_few",
        PASS,
        "values.high <= -1 - least",
        "values.high <= -least",
        TEST,
    ),
    Mutant(
        "only_the_last_assignment_counts",
        PASS,
        "assigned[use.slot] = intervals::join(assigned[use.slot], values);",
        "assigned[use.slot] = values;",
        TEST,
    ),
    Mutant(
        "variables_of_loops_are_narrow",
        PASS,
        "ranges.of(*use.assignment->as<Assign>().value) : Interval{};",
        "ranges.of(*use.assignment->as<Assign>().value) : intervals::empty();",
        TEST,
    ),
    Mutant(
        "narrow_values_have_no_sign",
        "src/codegen/cpu/lanes/slot_storage.cpp",
        "return b.CreateSExt(value, known",
        "return b.CreateZExt(value, known",
        TEST,
    ),
    Mutant(
        "bytes_lie_in_words_the_other_way_round",
        "src/codegen/cpu/lanes/lane_words.cpp",
        "shift = lane % inWord * bits;",
        "shift = (inWord - 1 - lane % inWord) * bits;",
        "tests/kernels/test_kernels.py::test_result[atomic_operations]",
    ),
    Mutant(
        "bytes_of_words_have_no_sign",
        "src/codegen/cpu/lanes/lane_words.cpp",
        "  if (narrow.isSigned)\n    return b.CreateSExtOrTrunc(",
        "  if (narrow.isSigned && bits == 0)\n    return b.CreateSExtOrTrunc(",
        "tests/kernels/test_kernels.py::test_result[atomic_operations]",
    ),
    Mutant(
        "indices_out_of_words_count_bytes",
        "src/codegen/cpu/machine/late_rewrites.cpp",
        "b.CreateGEP(places->getSourceElementType(), places->getPointerOperand(), one);",
        "b.CreateGEP(b.getInt8Ty(), places->getPointerOperand(), one);",
        "tests/machine_code/test_masked_memory.py",
    ),
]
