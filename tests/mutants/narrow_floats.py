# Defects of variables of float64 that are kept as float32, and of what is known of the signs of indices.

from mutants.tree import Mutant

PASS = "src/passes/narrow_floats.cpp"
MASKS = "src/codegen/cpu/warp_masks.cpp"
ARRAYS = "src/codegen/emit_array.cpp"
TEST = "tests/kernels/test_kernels.py::test_result[narrow_floats]"
INDICES = "tests/kernels/test_kernels.py::test_result[negative_indices]"

MUTANTS = [
    Mutant(
        "float32_holds_all_constants",
        PASS,
        "return std::isnan(value) || double(float(value)) == value;",
        "return true;",
        TEST,
    ),
    Mutant("float32_holds_all_integers", PASS, "isPossible &= isWidening(operation);", "", TEST),
    Mutant(
        "only_one_choice_has_to_be_narrow",
        PASS,
        "      return add(*value.as<Conditional>().otherwise);",
        "      return;",
        TEST,
    ),
    Mutant("one_narrow_assignment_is_enough", PASS, "      isWide[slot.index] = true;\n", "", TEST),
    Mutant(
        "wide_variables_make_no_others_wide",
        PASS,
        "      rest.insert(rest.end(), dependents[index].begin(), dependents[index].end());\n",
        "",
        TEST,
    ),
    Mutant("parameters_are_narrow", PASS, "slot.isParameter || ", "", TEST),
    Mutant(
        "any_operation_rounds_alike",
        PASS,
        "return op == Operation::Add || op == Operation::Sub || op == Operation::Mul;",
        "return true;",
        TEST,
    ),
    Mutant(
        "indices_of_some_lanes_wrap_as_those_of_all",
        MASKS,
        "return {some, b.CreateAnd(some, sets->isAny(mask ? b.CreateAnd(mask, others) : others))};",
        "return {some, b.CreateXor(some, some)};",
        INDICES,
    ),
    Mutant(
        "indices_of_a_whole_warp_have_one_sign",
        MASKS,
        "return {some, b.CreateAnd(some, b.CreateICmpSGE(extremeLane(b, *found, program.settings, true), zero))};",
        "return {some, b.getFalse()};",
        INDICES,
    ),
    Mutant(
        "the_largest_index_tells_whether_some_are_negative",
        MASKS,
        "b.CreateICmpSLT(extremeLane(b, *found, program.settings, false), zero)",
        "b.CreateICmpSLT(extremeLane(b, *found, program.settings, true), zero)",
        INDICES,
    ),
    Mutant("all_indices_have_32_bits", ARRAYS, "!hasNarrowOffsets(e, parts) || ", "", "tests/kernels"),
]
