# Defects of loops that threads run in turn, and that LLVM vectorizes.

from mutants.tree import Mutant

LOOPS = "src/codegen/cpu/warp/warp_vector_loops.cpp"
SEARCH = "src/passes/analyses/vectorizable_loops.cpp"
RESULT = "tests/kernels/test_kernels.py::test_result[vectorized_loops]"
REPORT = "tests/passes/test_passes.py::test_report[vectorizable_loops]"

MUTANTS = [
    Mutant(
        "any_counter_is_an_index", LOOPS, "return b.CreateAnd(sets->isAny(", "return b.CreateOr(sets->isAny(", RESULT
    ),
    Mutant(
        "strips_end_the_loop",
        LOOPS,
        "b.CreateCondBr(b.CreateICmpULT(strip.stop.value, bounds.stop.value), head, done);",
        "b.CreateBr(done);",
        RESULT,
    ),
    Mutant(
        "adjacent_threads_take_turns",
        LOOPS,
        "return far > others;",
        "return true;",
        RESULT,
    ),
    Mutant(
        "operations_need_no_order",
        SEARCH,
        "        combine &= combinesInto(*slot, *node.as<Assign>().value);\n",
        "",
        REPORT,
    ),
    Mutant("sums_may_be_seen", SEARCH, "(combine && uses.reads(*variable, body) == places)", "combine", REPORT),
    Mutant("floats_are_compared_in_no_time", SEARCH, "(stores || !slot->type->isFloat()) && ", "", REPORT),
    Mutant("products_take_a_cycle", SEARCH, "return op == Operation::Mul || ", "return ", REPORT),
    Mutant("shared_memory_is_stored_to_in_turn", SEARCH, "array && array->isParameter && add", "add", REPORT),
    Mutant(
        "columns_are_adjacent",
        SEARCH,
        "const Access other{&at, false, nullptr};",
        "const Access other{&at, true, nullptr};",
        REPORT,
    ),
]
