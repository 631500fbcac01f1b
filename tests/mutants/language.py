# Miscompilations of the language: wrong masks, wrong signs, wrong memory, lost barriers.

from mutants.tree import Mutant

CONTROL = "src/codegen/cpu/warp/warp_control.cpp"
LOOPS = "src/codegen/cpu/warp/warp_loops.cpp"
MEMORY = "src/codegen/cpu/lanes/warp_memory.cpp"
SLOTS = "src/codegen/cpu/warp/warp_slots.cpp"
IDENTITY = "src/codegen/cpu/lanes/warp_identity.cpp"
PLACES = "src/codegen/cpu/lanes/warp_arrays.cpp"
ATOMICS = "src/codegen/cpu/lanes/warp_atomics.cpp"
CALLS = "src/codegen/cpu/warp/warp_calls.cpp"
REGIONS = "src/codegen/cpu/warp/block_regions.cpp"
KERNEL = "src/codegen/cpu/warp/cpu_kernel.cpp"
ARITHMETIC = "src/codegen/arithmetic.cpp"
ARRAYS = "src/codegen/emit_array.cpp"
OPERATIONS = "src/codegen/emit_operation.cpp"
FACTS = "src/launch/launch_facts.cpp"
PTX_NARROW = "src/codegen/ptx/ptx_narrow.cpp"
PTX_RANGE = "src/codegen/ptx/ptx_range.cpp"


def kernel(name):
    """The test of one kernel file's results."""
    return f"tests/kernels/test_kernels.py::test_result[{name}]"


def sentence(file, name):
    return f"tests/language/test_{file}.py::{name}"


def words(name):
    """One of the tests of 32-bit computation in PTX."""
    return f"tests/ptx/test_ptx_words.py::{name}"


MUTANTS = [
    Mutant(
        "integers_are_widened_before_they_are_negated",
        "src/types/number_rules.cpp",
        "op == UnaryOperator::Negative && !type->isBool() ? OperationTypes{type, wide} : same(wide)",
        "same(wide)",
        kernel("negated_integers"),
    ),
    Mutant(
        "negative_powers_of_literals_are_integers",
        "src/syntax/literal_arithmetic.cpp",
        "operation->op == BinaryOperator::Pow && left && right && *right < 0 && *left != 0",
        "operation->op == BinaryOperator::Pow && left && right && *right < 0 && *left == 0",
        kernel("literal_arithmetic"),
    ),
    Mutant(
        "sums_of_literals_wrap",
        "src/syntax/literal_arithmetic.cpp",
        "  if (areInt64 && isInt64(value)) {",
        "  if (areInt64) {",
        kernel("literal_arithmetic"),
    ),
    Mutant(
        "order_of_tuples_forgets_lengths",
        "src/infer/values/comparisons.cpp",
        "const auto byLength = first.size() <=> second.size();",
        "const auto byLength = common <=> common;",
        kernel("tuple_order"),
    ),
    Mutant(
        "order_of_tuples_by_their_last_items",
        "src/infer/values/comparisons.cpp",
        "tree.conditional(same, decided, compareValues(op, first[i], second[i], span), span)",
        "tree.conditional(same, compareValues(op, first[i], second[i], span), decided, span)",
        kernel("tuple_order"),
    ),
    # Texts beside other values.
    Mutant(
        "a_text_beside_a_number_is_unequal_by_both_operators",
        "src/infer/values/comparisons.cpp",
        "return tree.after({left, right}, tree.boolean(op == CompareOperator::NotEqual, span));",
        "return tree.after({left, right}, tree.boolean(false, span));",
        sentence("operators_of_enums", "test_other_members_and_texts[numba-!=]"),
    ),
    # 64-bit integers computed in 32 bits.
    Mutant(
        "narrow_sum_overflows",
        PTX_NARROW,
        "fitsInt32(leftRange) && fitsInt32(rightRange) && fitsInt32(range);",
        "fitsInt32(leftRange) && fitsInt32(rightRange);",
        words("test_arithmetic[int32]"),
    ),
    Mutant(
        "narrow_comparison_takes_a_sign",
        PTX_NARROW,
        "const Type *word = isSigned ? types::int32() : types::uint32();",
        "const Type *word = types::int32();",
        words("test_arithmetic[uint32]"),
    ),
    Mutant(
        "loop_from_below_zero_without_sign",
        PTX_RANGE,
        "type->isSigned() && start.low >= 0 &&",
        "type->isSigned() &&",
        words("test_loops_that_rise[int32]"),
    ),
    # Masks of statements.
    Mutant(
        "store_unmasked",
        MEMORY,
        "        b.CreateMaskedStore(piece, to, Align(alignment), lanes(active, run * length, length, perLane));",
        "        b.CreateAlignedStore(piece, to, Align(alignment));",
        kernel("int8_array"),
    ),
    Mutant(
        "scatter_unmasked",
        MEMORY,
        "b.CreateMaskedScatter(scattered[i], partAddress(pointers, i), Align(alignment), model.activeLanes()),",
        "b.CreateMaskedScatter(scattered[i], partAddress(pointers, i), Align(alignment)),",
        kernel("calls_under_a_mask"),
    ),
    Mutant(
        "uniform_store_takes_last_lane",
        MEMORY,
        "Value *last = b.CreateSub(b.getInt32(31), b.CreateBinaryIntrinsic(Intrinsic::ctlz, bits, b.getTrue()));",
        "Value *last = b.getInt32(model.laneCount() - 1 + 0 * bits->getType()->getIntegerBitWidth());",
        kernel("single_writer"),
    ),
    Mutant(
        "uniform_store_takes_first_lane",
        MEMORY,
        "Value *last = b.CreateSub(b.getInt32(31), b.CreateBinaryIntrinsic(Intrinsic::ctlz, bits, b.getTrue()));",
        "Value *last = b.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b.getTrue());",
        kernel("single_writer"),
    ),
    Mutant(
        "then_forgets_outer_mask",
        CONTROL,
        "Value *thenLanes = sets->both(before, test);",
        "Value *thenLanes = test;",
        kernel("nested_if"),
    ),
    Mutant(
        "else_forgets_outer_mask",
        CONTROL,
        "arm(sets->without(mask, test), statement.otherwise,",
        "arm(sets->without(nullptr, test), statement.otherwise,",
        kernel("nested_if"),
    ),
    Mutant(
        "else_runs_for_then",
        CONTROL,
        "arm(sets->without(mask, test), statement.otherwise,",
        "arm(thenLanes, statement.otherwise,",
        kernel("if_elif_else"),
    ),
    Mutant(
        "variables_not_blended",
        SLOTS,
        "    if (waiting && waiting->test(slot.index))",
        "    if (false)",
        kernel("break_in_loop"),
    ),
    # Loops.
    Mutant(
        "continue_mask_not_reset_in_for",
        LOOPS,
        "      b.CreateStore(lanes, loop.iteration);\n      mask = lanes;",
        "      mask = lanes;",
        kernel("break_and_continue_nested"),
    ),
    Mutant(
        "break_only_continues",
        CONTROL,
        "  sets->remove(loop.live, maskOrAll());\n  if (loop.broke)",
        "  if (loop.broke)",
        kernel("array_iteration"),
    ),
    Mutant(
        "else_clause_for_broken_lanes",
        LOOPS,
        "Value *lanes = e->builder.CreateAnd(maskOrAll(), e->builder.CreateNot(sets->in(loop.broke)));",
        "Value *lanes = maskOrAll();",
        kernel("loop_else"),
    ),
    Mutant(
        "continue_mask_not_reset_in_while",
        LOOPS,
        "  b.CreateStore(mask, loop.iteration);",
        "",
        kernel("continue_in_loop"),
    ),
    Mutant(
        "return_stays_in_loop",
        CONTROL,
        "    if (loop->live)\n      sets->remove(loop->live, maskOrAll());",
        "",
        kernel("early_return"),
    ),
    Mutant(
        "return_forgotten_after_loop",
        CONTROL,
        "  if (data.alive)\n    sets->remove(data.alive, maskOrAll());",
        "",
        kernel("early_return"),
    ),
    Mutant(
        "exit_of_else_clause_forgotten",
        LOOPS,
        "const bool someLeft = exitsByReturn != entry.returns || leftOuter;",
        "const bool someLeft = exitsByReturn != entry.returns;",
        kernel("exits_in_else_clauses"),
    ),
    Mutant(
        "else_clause_that_no_path_reaches_unseen",
        "src/infer/flow/flow_values.cpp",
        "  body(otherwise);\n",
        "  if (canExhaust)\n    body(otherwise);\n",
        kernel("exits_in_else_clauses"),
    ),
    Mutant(
        "range_one_too_many",
        LOOPS,
        "  return b.CreateICmpUGT(distance, length);",
        "  return b.CreateICmpUGE(distance, length);",
        kernel("range_runtime_step"),
    ),
    Mutant(
        "range_counts_down_never",
        LOOPS,
        "b.CreateOr(b.CreateAnd(isUp, below), b.CreateAnd(isDown, b.CreateICmpSGT(value, stop)));",
        "b.CreateAnd(b.CreateOr(isUp, isDown), below);",
        kernel("range_negative_step"),
    ),
    Mutant(
        "range_of_lanes_forgets_mask",
        LOOPS,
        "b.CreateAnd(maskOrAll(), before ? before : rangeHolds(statement, splat(current()), stop, step));",
        "before ? before : rangeHolds(statement, splat(current()), stop, step);",
        kernel("for_per_lane_bounds"),
    ),
    # Comparisons of thread indices with bounds.
    Mutant(
        "distance_to_bound_overflows",
        "src/codegen/cpu/lanes/warp_masks.cpp",
        "b.CreateBinaryIntrinsic(Intrinsic::ssub_sat, found.limit, found.base);",
        "b.CreateSub(found.limit, found.base);",
        kernel("guard_extremes"),
    ),
    Mutant(
        "distance_to_bound_wraps",
        "src/codegen/cpu/lanes/warp_masks.cpp",
        "distance, bound(2 * maxOffset - 1));",
        "distance, bound(1 << 30));",
        kernel("guard_extremes"),
    ),
    # Calls.
    Mutant(
        "call_for_all_lanes",
        CALLS,
        "SmallVector<Value *, 8> values{makeRecord(), maskOrAll()};",
        "SmallVector<Value *, 8> values{makeRecord(), Constant::getAllOnesValue(maskOrAll()->getType())};",
        kernel("calls_kept"),
    ),
    # Arithmetic.
    Mutant(
        "signed_compare_for_unsigned",
        ARITHMETIC,
        "return isSigned ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;",
        "return CmpInst::ICMP_SGT;",
        kernel("uint16_array"),
    ),
    Mutant(
        "mixed_signs_compared_as_bits",
        ARITHMETIC,
        "return holdsBelow ? b.CreateOr(isNegative, compared)",
        "return holdsBelow ? compared",
        sentence("arithmetic", "test_comparisons_of_integers_are_exact_whatever_their_signs"),
    ),
    Mutant(
        "division_truncates",
        ARITHMETIC,
        "  Value *floored = b.CreateAdd(quotient, b.CreateSExt(rounds, quotient->getType()));",
        "  Value *floored = quotient;",
        sentence("arithmetic", "test_floor_division_rounds_down"),
    ),
    Mutant(
        "remainder_has_dividends_sign",
        ARITHMETIC,
        "b.CreateSelect(rounds, b.CreateAdd(remainder, y), remainder);",
        "remainder;",
        sentence("arithmetic", "test_remainder_has_the_divisors_sign"),
    ),
    Mutant(
        "smallest_by_minus_one_traps",
        ARITHMETIC,
        "Value *divisor = safeDivisor(y, isMinusOne);",
        "Value *divisor = safeDivisor(y, nullptr);",
        sentence("arithmetic", "test_the_smallest_integer_by_minus_one_wraps"),
    ),
    Mutant(
        "division_by_zero_traps",
        ARITHMETIC,
        "  Value *isBad = b.CreateICmpEQ(divisor, Constant::getNullValue(divisor->getType()));",
        "  Value *isBad = b.CreateICmpNE(divisor, divisor);",
        "tests/machine_code/test_operators.py::test_binary_operators[int64]",
    ),
    Mutant(
        "shift_count_not_masked",
        ARITHMETIC,
        "return b.CreateAnd(y, ConstantInt::get(y->getType(), type->bits() - 1)); };",
        "return y; };",
        "tests/machine_code/test_operators.py::test_binary_operators[int64]",
    ),
    Mutant(
        "float_to_int_wraps",
        ARITHMETIC,
        "  whole = b.CreateSelect(tooHigh, ConstantInt::get(target, highest), whole);",
        "",
        "tests/machine_code/test_operators.py::test_unary_operators_and_conversions[float64-numba]",
    ),
    Mutant(
        "nan_equals_nan",
        ARITHMETIC,
        "    return b.CreateFCmpUNE(x, y);",
        "    return b.CreateFCmpONE(x, y);",
        sentence("arithmetic", "test_comparisons_with_nan"),
    ),
    Mutant(
        "min_spreads_nan",
        ARITHMETIC,
        "b.CreateBinaryIntrinsic(Intrinsic::minnum, x, y);",
        "b.CreateBinaryIntrinsic(Intrinsic::minimum, x, y);",
        sentence("numba_semantics", "test_min_and_max_prefer_the_number_to_nan"),
    ),
    Mutant(
        "unsigned_to_float_as_signed",
        ARITHMETIC,
        "return from->isSigned() && !from->isBool() ? b.CreateSIToFP(value, target) : b.CreateUIToFP(value, target);",
        "return b.CreateSIToFP(value, target);",
        sentence("numba_semantics", "test_unsigned_conversions_are_exact"),
    ),
    Mutant(
        "narrow_integers_lose_sign",
        ARITHMETIC,
        "  return b.CreateIntCast(value, target, from->isSigned() && !from->isBool());",
        "  return b.CreateIntCast(value, target, false);",
        kernel("int8_array"),
    ),
    Mutant(
        "affine_product_keeps_stride",
        OPERATIONS,
        "strideProduct(builder, affine->s0, factor),",
        "affine->s0,",
        kernel("strided_arrays"),
    ),
    # Memory.
    Mutant(
        "negative_index_not_wrapped",
        ARRAYS,
        "  if (!expression.type->isSigned() || range.isNonNegative())",
        "  if (true)",
        kernel("negative_indices"),
    ),
    Mutant(
        "rows_and_columns_swapped",
        ARRAYS,
        "const unsigned axis = parts.type->layout() == Layout::F ? step : ndim - 1 - step;",
        "const unsigned axis = parts.type->layout() == Layout::F ? ndim - 1 - step : step;",
        kernel("row_views"),
    ),
    Mutant(
        "noalias_wrong",
        FACTS,
        "  facts.noOverlap = disjoint;",
        "  facts.noOverlap = true;",
        kernel("overlapping_arguments"),
    ),
    Mutant(
        "shared_arrays_overlap",
        PLACES,
        "      entry->second = place(program.emission.sharedBytes, bytes);",
        "      place(program.emission.sharedBytes, bytes);",
        kernel("tiled_matmul"),
    ),
    Mutant(
        "inactive_lanes_are_counted",
        ATOMICS,
        "  if (mask)\n    vector = b.CreateSelect(mask",
        "  if (mask && update.isUsed)\n    vector = b.CreateSelect(mask",
        kernel("atomic_add_types"),
    ),
    Mutant(
        "atomic_max_drops_nan",
        "src/codegen/atomics.cpp",
        "  return b.CreateSelect(isMax ? b.CreateFCmpOGT(x, old) : b.CreateFCmpOLT(x, old), x, old);",
        "  return b.CreateSelect(isMax ? b.CreateFCmpUGT(x, old) : b.CreateFCmpULT(x, old), x, old);",
        kernel("atomic_operations"),
    ),
    Mutant(
        "atomic_dec_stops_at_zero",
        "src/codegen/atomics.cpp",
        "b.CreateOr(b.CreateICmpEQ(old, zero), b.CreateICmpUGT(old, x)), x,",
        "b.CreateICmpUGT(old, x), x,",
        kernel("atomic_operations"),
    ),
    # Threads, blocks, barriers.
    Mutant(
        "partial_warp_is_full",
        FACTS,
        "  all.facts.fullWarps = config.threadsPerBlock() % 32 == 0;",
        "  all.facts.fullWarps = true;",
        kernel("barrier_in_loop"),
    ),
    Mutant(
        "row_of_lanes_off_by_one",
        IDENTITY,
        "b.CreateVectorSplat(model.laneCount(), reciprocal)), 20);",
        "b.CreateVectorSplat(model.laneCount(), reciprocal)), 19);",
        kernel("grid_3d"),
    ),
    Mutant(
        "grid_of_y_uses_x",
        IDENTITY,
        "Value *extent = at.blockDim(axis);",
        "Value *extent = at.blockDim(0);",
        kernel("grid_2d"),
    ),
    Mutant(
        "span_ends_late",
        KERNEL,
        "        emitWarp(b.CreateSub(extentX, x), false);",
        "        emitWarp(b.CreateSub(extentX, x), true);",
        kernel("atomic_add_types"),
    ),
    Mutant(
        "spill_slots_shared",
        REGIONS,
        "    offset = (program.emission.contextBytes + 63) / 64 * 64;",
        "    offset = 0;",
        kernel("barrier_in_loop"),
    ),
    Mutant(
        "warps_share_context",
        REGIONS,
        "b.CreateMul(model.warpIndex(), b.getInt64(stride)));",
        "b.CreateMul(model.warpIndex(), b.getInt64(0)));",
        kernel("barrier_in_loop"),
    ),
    Mutant(
        "barrier_dropped",
        "src/infer/calls/thread_calls.cpp",
        "  tree.emit(tree.statement<typed::Barrier>(typed::StmtKind::Barrier, arguments.span, kind, predicate));",
        "",
        kernel("barrier_in_loop"),
    ),
    Mutant(
        "returned_threads_come_back",
        REGIONS,
        "    if (data.alive)\n      exchangeLanes(data.alive, activation.aliveOffset, false);\n    if (left)",
        "    if (left)",
        kernel("return_before_barrier"),
    ),
    Mutant(
        "values_of_prints_beyond_the_first_call_are_dropped",
        "src/codegen/ptx/ptx_print.cpp",
        "  if (end < pieces.size())\n    print(pieces.drop_front(end));\n",
        "",
        "tests/cuda/test_print.py::test_more_values_than_one_call_takes",
    ),
    Mutant(
        "faults_of_device_functions_are_in_the_kernels_file",
        "src/codegen/emit_call.cpp",
        "  place.source = 1 + uint32_t(found - known.begin());",
        "  place.source = 0;",
        "tests/device/test_fault_places.py::test_each_function_has_its_own_file",
    ),
    Mutant(
        "faults_of_functions_with_barriers_are_in_the_kernels_file",
        "src/passes/rewrites/barrier_statements.cpp",
        "inner(out, callee, rewriting, uint32_t(out.expanded.size()));",
        "inner(out, callee, rewriting);",
        "tests/device/test_fault_places.py::test_faults_of_functions_in_other_files",
    ),
    Mutant(
        "only_longs_of_doubles_ask_for_nan",
        "src/codegen/ptx/ptx_lane_model.cpp",
        "if (isDouble || isLong)",
        "if (isDouble && isLong)",
        "tests/kernels/test_kernels.py::test_ptx[truncated_floats]",
    ),
    Mutant(
        "bytes_of_floats_wrap",
        "src/codegen/ptx/ptx_lane_model.cpp",
        "if (to->bits() >= 32)\n    return whole;",
        "return b.CreateTrunc(whole, b.getIntNTy(to->bits()));",
        "tests/kernels/test_kernels.py::test_ptx[truncated_floats]",
    ),
]
