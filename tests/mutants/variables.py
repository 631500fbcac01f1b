# Defects of variables in fewer bits or registers (float64 kept as float32, rows kept by their strides, counters of
# loops as numbers), and of what is known of constant divisors, of NaN and of the signs of indices.

from mutants.tree import Mutant

PASS = "src/passes/rewrites/narrow_floats.cpp"
SLOTS = "src/passes/analyses/inductive_slots.cpp"
MASKS = "src/codegen/cpu/lanes/warp_masks.cpp"
ARRAYS = "src/codegen/emit_array.cpp"
TEST = "tests/kernels/test_kernels.py::test_result[narrow_floats]"
INDICES = "tests/kernels/test_kernels.py::test_result[negative_indices]"

BITS = "src/passes/rewrites/bit_counts.cpp"
BIT_KERNELS = "tests/kernels/test_kernels.py::test_result[bits_in_loops]"
BIT_REPORT = "tests/passes/test_passes.py::test_report[bit_counts]"
COUNTERS = "src/passes/rewrites/lockstep_counters.cpp"
LOCKSTEP = "tests/kernels/test_kernels.py::test_result[lockstep_counters]"
DIVISORS = "tests/kernels/test_kernels.py::test_result[constant_divisors]"
EXTREMES = "tests/kernels/test_kernels.py::test_result[minima_and_maxima]"
ROWS = "tests/kernels/test_kernels.py::test_result[rows_in_variables]"
ORDERED = "src/passes/analyses/ordered_values.cpp"

MUTANTS = [
    Mutant(
        "what_is_rounded_by_name_is_fused",
        "src/codegen/roundings.cpp",
        "instruction->setHasAllowContract(false);",
        "instruction->setHasAllowContract(true);",
        "tests/kernels/test_kernels.py::test_result[narrow_floats]",
    ),
    Mutant(
        "float32_holds_all_constants",
        PASS,
        "return std::isnan(value) || double(float(value)) == value;",
        "return true;",
        TEST,
    ),
    Mutant("float32_holds_all_integers", PASS, "    return isWidening(value);", "    return true;", TEST),
    Mutant(
        "only_one_choice_has_to_be_narrow",
        PASS,
        "return isNarrow(*value.as<Conditional>().then, slots) &&",
        "return isNarrow(*value.as<Conditional>().then, slots) ||",
        TEST,
    ),
    Mutant("one_narrow_assignment_is_enough", SLOTS, "|| holds(*assign.value, *this)", "|| true", TEST),
    Mutant(
        "wide_variables_make_no_others_wide",
        SLOTS,
        "    rest.insert(rest.end(), affected.begin(), affected.end());\n",
        "    (void)affected;\n",
        TEST,
    ),
    Mutant("parameters_are_narrow", SLOTS, "!assign->slot->isParameter && ", "", TEST),
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
    Mutant(
        "strides_of_rows_stay_as_they_were",
        "src/codegen/cpu/lanes/slot_storage.cpp",
        "    b.CreateStore(value.s0, to.s0);",
        "    (void)value.s0;",
        ROWS,
    ),
    Mutant(
        "rows_and_their_strides_are_kept_in_one_place",
        "src/codegen/cpu/warp/block_regions.cpp",
        "copy(parts[part], {slot, leaf, part});",
        "copy(parts[part], {slot, leaf, 0});",
        ROWS,
    ),
    Mutant(
        "elements_are_never_nan",
        ORDERED,
        "  default:\n    return false;\n  }\n}\n\n} // namespace\n\nbool isOrdered(",
        "  default:\n    return true;\n  }\n}\n\n} // namespace\n\nbool isOrdered(",
        EXTREMES,
    ),
    Mutant("constants_are_never_nan", ORDERED, "return !std::isnan(value.as<Const>().real);", "return true;", EXTREMES),
    Mutant(
        "sums_of_numbers_are_numbers",
        ORDERED,
        "  case Operation::Select:\n",
        "  case Operation::Sub:\n    return isNumber(operation.operands[0]);\n  case Operation::Select:\n",
        EXTREMES,
    ),
    Mutant(
        "one_ordered_arm_is_enough",
        ORDERED,
        "return isOrdered(*value.as<Conditional>().then, slots) &&",
        "return isOrdered(*value.as<Conditional>().then, slots) ||",
        EXTREMES,
    ),
    Mutant(
        "divisors_may_be_negative_powers_of_two",
        "src/codegen/arithmetic.cpp",
        "constant->isStrictlyPositive() && ",
        "",
        DIVISORS,
    ),
    Mutant(
        "remainders_have_one_bit_more",
        "src/codegen/arithmetic.cpp",
        "ConstantInt::get(y->getType(), *constant - 1)",
        "ConstantInt::get(y->getType(), *constant)",
        DIVISORS,
    ),
    Mutant("counters_stay_in_their_loops", COUNTERS, "counter != originals.end()", "false", LOCKSTEP),
    Mutant("variables_of_loops_stay_in_them", COUNTERS, "      if (!start)\n", "      if (false)\n", LOCKSTEP),
    Mutant("counters_begin_with_anything", COUNTERS, "      if (start)\n", "      if (false)\n", LOCKSTEP),
    Mutant(
        "else_clauses_read_counters",
        COUNTERS,
        "    if (loop.kind == StmtKind::Range)\n      made->as",
        "    if (loop.kind == StmtKind::Break)\n      made->as",
        LOCKSTEP,
    ),
    Mutant(
        "counters_are_vectors",
        COUNTERS,
        "return uses.isIndex(slot, rounds) && uses",
        "return !uses.isIndex(slot, rounds) && uses",
        "tests/kernels/test_cpu_code.py::test_lockstep_counters_need_no_gathers",
    ),
    Mutant(
        "variables_of_loops_are_vectors",
        COUNTERS,
        "    return {{loop.slot, nullptr}};",
        "    return {};",
        "tests/kernels/test_cpu_code.py::test_lockstep_counters_need_no_gathers",
    ),
    Mutant(
        "counters_start_before_their_values",
        COUNTERS,
        "into.insert(into.end() - 1,",
        "into.insert(into.end(),",
        LOCKSTEP,
    ),
    Mutant(
        "counters_start_with_constants",
        COUNTERS,
        "start && isLockstep(*start->value))",
        "start && start->value->kind == ExprKind::Const)",
        "tests/passes/test_passes.py::test_report[lockstep_counters]",
    ),
    Mutant(
        "loads_of_each_thread_are_uniform",
        COUNTERS,
        "areUniform = areUniform && isUniform(part, depth - 1);",
        "",
        "tests/passes/test_passes.py::test_report[lockstep_counters]",
    ),
    Mutant(
        "counters_of_threads_are_vectors",
        COUNTERS,
        "return isUniform(start, deepest) || isOfThread(start, uses);",
        "return isUniform(start, deepest);",
        "tests/passes/test_passes.py::test_report[lockstep_counters]",
    ),
    Mutant("offsets_are_from_the_first_lane", ARRAYS, "if (!parts.pointer.isAffine() && has", "if (has", ROWS),
    Mutant(
        "gpus_compute_in_float64",
        "src/codegen/ptx/ptx_generator.cpp",
        "const TypedFunction &function = *analysis->kernel;",
        "const TypedFunction &function = request.function;",
        "tests/kernels/test_kernels.py::test_ptx[narrow_floats]",
    ),
    Mutant("bits_shift_below_zero", BITS, "(loop.onlyAbove0 || !loop.bits->type->isSigned())", "true", BIT_REPORT),
    Mutant("bits_are_counted_after_the_shift", BITS, "(isBeforeStep && isLowestBit(", "(isLowestBit(", BIT_KERNELS),
    Mutant("rounds_over_bits_count_ones", BITS, "counter.step && loop.shifts ?", "false ?", BIT_KERNELS),
    Mutant(
        "bits_remain_after_they_are_counted",
        BITS,
        "nodes.integer(bits->type, 0, span)",
        "nodes.integer(bits->type, 1, span)",
        BIT_KERNELS,
    ),
    Mutant("counts_of_bits_ignore_the_test", BITS, "if (!loop.onlyAbove0)", "if (true)", BIT_KERNELS),
    Mutant("else_clauses_of_loops_over_bits_go", BITS, "!loop.otherwise.empty() ||", "false ||", BIT_REPORT),
    Mutant(
        "bits_are_those_of_any_variable",
        BITS,
        "return masked && masked->op == Operation::BitAnd && readBits(*masked->operands[0]) == &bits &&",
        "return masked && masked->op == Operation::BitAnd && (&bits, true) &&",
        BIT_KERNELS,
    ),
    Mutant(
        "loops_over_bits_stay_loops",
        "src/codegen/cpu/machine/unrolled_loops.cpp",
        "if (isOverColumns || isLoopOverBits(*loop, rounds))",
        "if (isOverColumns)",
        "tests/kernels/test_cpu_code.py::test_loops_over_bits_are_unrolled",
    ),
    Mutant("steps_over_bits_may_be_cut", BITS, "value.type->bits() < width ||", "width == 0 ||", BIT_KERNELS),
]
