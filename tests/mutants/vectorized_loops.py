# Defects of loops that threads run in turn, and that LLVM vectorizes.

from mutants.tree import Mutant

LOOPS = "src/codegen/cpu/warp/warp_vector_loops.cpp"
SEARCH = "src/passes/analyses/vectorizable_loops.cpp"
RESULT = "tests/kernels/test_kernels.py::test_result[vectorized_loops]"
SUMS = "tests/kernels/test_kernels.py::test_result[sums_of_strips]"
REPORT = "tests/passes/test_passes.py::test_report[vectorizable_loops]"

MUTANTS = [
    Mutant(
        "strips_overflow_by_one",
        LOOPS,
        "std::numeric_limits<int32_t>::max() / stripLength;",
        "(int64_t(1) << 31) / stripLength;",
        SUMS,
    ),
    Mutant("terms_of_sums_come_alone", LOOPS, "most / int64_t(sum.terms.size());", "most;", SUMS),
    Mutant("sums_of_strips_have_no_low", LOOPS, "range.low >= -limit && ", "", SUMS),
    Mutant(
        "strips_begin_with_the_last_sum",
        LOOPS,
        "  for (const StripSum &sum : sums)\n    writeSlot(*e->frame, *sum.slot, {Leaf(b.getInt64(0))});\n",
        "",
        SUMS,
    ),
    Mutant(
        "only_the_last_strip_counts", LOOPS, "b.CreateAdd(b.CreateLoad(part->getType(), sum.total), part)", "part", SUMS
    ),
    Mutant(
        "any_combination_is_a_sum",
        SEARCH,
        "(isOperation(value, Operation::Add) || isOperation(value, Operation::Sub));",
        "true;",
        "tests/kernels/test_kernels.py::test_result[vectorized_loops]",
    ),
    Mutant("sums_are_seen_in_parts", SEARCH, "if (isOnlyCombined && isSum)", "if (isSum)", SUMS),
    Mutant(
        "sums_start_at_zero",
        "src/codegen/cpu/warp/warp_lane_loops.cpp",
        "e->builder.CreateStore(variable.of(lane)[0].value, variable.total);",
        "e->builder.CreateStore(e->builder.getInt64(0), variable.total);",
        SUMS,
    ),
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
        "        combine &= combinesInto(*slot, value);\n",
        "",
        REPORT,
    ),
    Mutant(
        "sums_may_be_seen", SEARCH, "combine && uses.reads(*sum.total, body) == sum.terms.size();", "combine;", REPORT
    ),
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
