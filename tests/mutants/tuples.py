# Defects of the items that kernels take from tuples by a position of run time.

from mutants.tree import Mutant

TUPLES = "src/codegen/emit_tuple.cpp"
TEST = "tests/kernels/test_kernels.py::test_result[constant_tables]"

MUTANTS = [
    Mutant(
        "items_behind_a_table_are_read",
        TUPLES,
        "return e.builder.CreateSelect(isInside, v[0], Constant::getNullValue(type));",
        "return e.builder.CreateSelect(isInside, v[0], v[0]);",
        TEST,
    ),
    Mutant(
        "positions_in_tables_are_as_narrow_as_bytes",
        TUPLES,
        "v[0]->getType()->getWithNewBitWidth(32)",
        "v[0]->getType()->getWithNewBitWidth(4)",
        TEST,
    ),
    Mutant(
        "no_position_counts_from_the_end",
        TUPLES,
        "if (!range.isNonNegative())\n    index =",
        "if (range.low == 1)\n    index =",
        TEST,
    ),
    Mutant(
        "tables_of_flags_have_bits",
        TUPLES,
        "const Value *value = e.toMemory(element, leaf.value);",
        "const Value *value = leaf.value;",
        TEST,
    ),
    Mutant(
        "tables_are_for_long_tuples",
        TUPLES,
        "leastTable = 17",
        "leastTable = 18",
        "tests/kernels/test_kernels.py::test_ptx[constant_tables]",
    ),
    Mutant(
        "all_tables_are_one",
        "src/codegen/cpu/lanes/warp_arrays.cpp",
        "program.emission.constants[bytes]",
        "program.emission.constants[{}]",
        TEST,
    ),
]
