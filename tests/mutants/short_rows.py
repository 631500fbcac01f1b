# Defects of rows whose lengths are known, and of loads and stores of whole registers with other elements between.

from mutants.tree import Mutant

PASS = "src/passes/analyses/short_rows.cpp"
FACTS = "src/types/facts.cpp"
ELEMENTS = "src/codegen/cpu/lanes/strided_elements.cpp"
VARIANTS = "src/launch/overload.cpp"
TEST = "tests/kernels/test_kernels.py::test_result[short_rows]"
LENGTHS = "tests/machine_code/test_short_rows.py"
EDGES = "tests/machine_code/test_masked_memory.py"
LOWERING = "src/codegen/cpu/lanes/strided_lowering.cpp"
COLUMNS = "src/codegen/cpu/lanes/row_columns.cpp"
PROGRAMS = "tests/programs/test_rows.py::test_some_kernels"

MUTANTS = [
    Mutant("rows_are_one_shorter", FACTS, "below == 0 ? 0 : int64_t(below + 1)", "int64_t(below)", TEST),
    Mutant("seventeen_is_one_more_than_zero", FACTS, "extent > 1 && extent <= longestRow", "extent > 1", TEST),
    Mutant(
        "a_tuple_is_one_argument",
        PASS,
        "position += argumentLeaves(kernel.slots[next]->type);",
        "position += 1;",
        TEST,
    ),
    Mutant(
        "assigned_parameters_keep_their_rows",
        PASS,
        "&& !isAssigned[slot->index];",
        "&& slot->index < isAssigned.size();",
        TEST,
    ),
    Mutant(
        "assigned_extents_stay_constants",
        "src/codegen/cpu/lanes/warp_shapes.cpp",
        "    return {Kind::Uniform};\n",
        "    return a;\n",
        TEST,
    ),
    Mutant("functions_take_no_rows", PASS, "if ((callee[i] >> fromLast & 1) != 0)", "if (callee[i] > 3)", LENGTHS),
    Mutant("views_are_no_rows", PASS, "for (; isRow && axis <", "for (; !isRow && axis <", LENGTHS),
    Mutant("every_length_has_a_kernel", VARIANTS, "forRows >= maxForRows", "forRows >= maxSpecific", LENGTHS),
    Mutant(
        "rows_of_all_kernels_count",
        "src/launch/launch_facts.cpp",
        "return facts.rows & arrays.useful;",
        "return facts.rows;",
        LENGTHS,
    ),
    Mutant(
        "windows_reach_beyond_the_last_element",
        ELEMENTS,
        "std::min(part * inRegister, last)",
        "part * inRegister",
        EDGES,
    ),
    Mutant(
        "windows_are_stored_whole",
        ELEMENTS,
        "b.getInt1(offset % step == 0)",
        "b.getInt1(offset % step < 2)",
        TEST,
    ),
    Mutant(
        "masks_are_spread_wrongly",
        ELEMENTS,
        "uint64_t(1) << i * step",
        "uint64_t(1) << (i * step) / 2",
        EDGES,
    ),
    Mutant(
        "lanes_of_later_parts_are_masked_by_the_first",
        ELEMENTS,
        "b.CreateLShr(window.spread, part * inRegister)",
        "b.CreateLShr(window.spread, part / 8)",
        EDGES,
    ),
    Mutant(
        "loads_pass_what_they_read",
        "src/codegen/cpu/lanes/address_terms.h",
        "return isBeside(other) && apart >= size && step - apart >= size;",
        "return isBeside(other) && step - apart >= size;",
        TEST,
    ),
    Mutant(
        "even_runs_are_taken_for_rows",
        "src/codegen/cpu/lanes/warp_memory.cpp",
        "return model.runCount() == 1 || constantOf(address.s1) == *step * runLength ? step : std::nullopt;",
        "return step;",
        TEST,
    ),
    Mutant(
        "loads_of_rows_pass_stores",
        LOWERING,
        "none_of(loads[group].writers,",
        "none_of(ArrayRef<Instruction *>(),",
        PROGRAMS,
    ),
    Mutant(
        "loads_of_rows_pass_arms",
        LOWERING,
        "        for (Instruction &instruction : *arm)\n          pass(instruction);",
        "        (void)arm;",
        PROGRAMS,
    ),
    Mutant(
        "stores_of_rows_pass_loads",
        LOWERING,
        "return meets(instruction, stores[group]); });\n    if (!is",
        "return !meets(instruction, stores[group]) && false; });\n    if (!is",
        PROGRAMS,
    ),
    Mutant(
        "stores_of_rows_meet_only_the_first_load",
        LOWERING,
        "any_of(moved, [&](const Member &one) {",
        "any_of(ArrayRef(moved).take_front(), [&](const Member &one) {",
        TEST,
    ),
    Mutant("a_column_is_stored_twice_at_once", LOWERING, "&& !stores[group].has(member))", "|| false)", PROGRAMS),
    Mutant(
        "rows_are_read_beyond_their_end",
        LOWERING,
        "std::min(offset, end - int64_t(RowColumns::partBytes))",
        "offset",
        EDGES,
    ),
    Mutant(
        "parts_of_rows_are_written_whole", LOWERING, "int64_t(least == 0 ? inPart : least)", "int64_t(least)", PROGRAMS
    ),
    Mutant(
        "second_columns_are_third",
        COLUMNS,
        "columns.push_back(interleaved(left, right, 2, 1));",
        "columns.push_back(interleaved(left, right, 2, 0));",
        TEST,
    ),
    Mutant(
        "rows_without_gaps_have_two_columns",
        COLUMNS,
        "(lane * count + column) % inRegister});",
        "(lane * 2 + column) % inRegister});",
        TEST,
    ),
]
