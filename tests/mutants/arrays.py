# Defects of series, array expressions, reductions, closures and constants.

from mutants.tree import Mutant

SERIES = "src/infer/values/sequences.cpp"
SLICES = "src/infer/statements/view_stores.cpp"
FUNCTIONS = "src/infer/expressions/functions.cpp"
ELEMENTWISE = "src/infer/values/elementwise.cpp"
VIEWS = "src/infer/calls/array_calls.cpp"
NUMPY = "python/treadle/library/numpy_arrays.py"
CHOICES = "python/treadle/library/numpy_choices.py"
AXES = "python/treadle/library/numpy_axes.py"
SUBSCRIPTS = "src/infer/expressions/subscripts.cpp"
ALIAS = "src/infer/aliasing/aliasing.cpp"
OVERLAP = "src/infer/aliasing/overlap.cpp"
CAPTURED = "src/codegen/ptx/captured_data.cpp"
LIKE = "src/infer/expressions/constant_extents.cpp"
MADE = "src/typed/made_arrays.cpp"


def sentence(file, name):
    return f"tests/language/test_{file}.py::{name}"


MUTANTS = [
    Mutant(
        "arrays_of_several_calls_are_one",
        "src/codegen/cpu/lanes/warp_arrays.cpp",
        "frame.function->givesArrays ? storage.activation : 0",
        "false ? storage.activation : 0",
        sentence("heap_arrays", "test_each_call_of_a_function_gives_an_array_of_its_own"),
    ),
    Mutant(
        "arrays_of_several_copied_calls_are_one",
        "src/passes/rewrites/tree_copy.h",
        "from.givesArrays ? origin : 0",
        "0",
        sentence("heap_arrays", "test_each_call_of_a_function_gives_an_array_of_its_own"),
    ),
    Mutant(
        "functions_that_give_arrays_keep_their_frames",
        "src/codegen/emit_call.cpp",
        "callee.hasBarrier || callee.givesArrays ||",
        "callee.hasBarrier ||",
        sentence("heap_arrays", "test_each_call_of_a_function_gives_an_array_of_its_own"),
    ),
    Mutant(
        "arrays_are_kept_across_turns_of_loops",
        MADE,
        "if (!copied.loop || order.isSetBeforeReads(*assignment.statement->slot))",
        "if (order.isSetBeforeReads(*assignment.statement->slot) || copied.made)",
        sentence("heap_arrays", "test_arrays_kept_while_the_loop_makes_them_again_are_refused"),
    ),
    Mutant(
        "arguments_are_no_arrays_of_the_last_turn",
        MADE,
        "if (slot == assignment.statement->slot->index && !isArgument)",
        "if (slot == assignment.statement->slot->index)",
        sentence("heap_arrays", "test_arrays_kept_while_the_loop_makes_them_again_are_refused"),
    ),
    Mutant(
        "values_that_may_be_none_hold_no_arrays",
        MADE,
        "return holdsArrays(*type.element());",
        "return false;",
        sentence("heap_arrays", "test_arrays_kept_as_values_that_may_be_none_are_refused"),
    ),
    Mutant(
        "conditional_assignments_hide_nothing",
        MADE,
        "if (!inner.isJoined && outer.list != inner.list && covers(outer, inner.at))",
        "if (false && outer.list != inner.list && covers(outer, inner.at))",
        sentence("heap_arrays", "test_arrays_kept_while_the_loop_makes_them_again_are_refused"),
    ),
    Mutant(
        "sizes_of_heap_arrays_overflow",
        VIEWS,
        "count = tree.materialize(operation(Operation::Select, {isTooMany, integer(most), product}));",
        "(void)isTooMany;\n    (void)most;\n    count = tree.materialize(product);",
        sentence("heap_arrays", "test_extents_whose_product_is_too_large_are_an_error"),
    ),
    Mutant(
        "heaps_forget_that_blocks_take_turns",
        "src/device/cpu/threads/kernel_heap.cpp",
        "keepsBlocks ? call.block : 0",
        "0",
        sentence("heap_arrays", "test_blocks_that_take_turns_keep_their_arrays"),
    ),
    Mutant(
        "heaps_are_not_freed_in_ptx",
        "src/codegen/ptx/ptx_lane_model.cpp",
        "  freeHeap();\n",
        "",
        "tests/cuda/test_kernel_heap.py::test_what_threads_make_is_freed_when_they_end",
    ),
    Mutant(
        "shifted_arrays_are_assigned_in_ascending_order",
        ALIAS,
        "order.isDescending = isUp;",
        "order.isDescending = false;",
        sentence("aliased_arrays", "test_statement"),
    ),
    Mutant(
        "arrays_below_computed_ones_are_read_at_one_place",
        ALIAS,
        "ties.push_back(anywhere);",
        "ties.push_back(int(place));",
        sentence("aliased_arrays", "test_refused"),
    ),
    Mutant(
        "a_row_of_the_target_is_another_array",
        OVERLAP,
        "relationsOf({low, high}, reading[own])",
        "uint8_t(relationsOf({low, high}, reading[own]) & Same)",
        sentence("aliased_arrays", "test_refused"),
    ),
    Mutant(
        "copies_of_rows_onto_themselves_are_refused",
        OVERLAP,
        "(state.isMoved || !how.isCopy)",
        "(state.isMoved || how.isCopy || !how.isCopy)",
        sentence("aliased_arrays", "test_statement"),
    ),
    Mutant(
        "orders_that_depend_on_extents_are_not_checked",
        "python/treadle/library/assignments.py",
        "(written > place if is_down else written < place)",
        "(written > place if not is_down else written < place and written > place)",
        sentence("aliased_arrays", "test_what_depends_on_bounds_is_found_under_debug"),
    ),
    Mutant(
        "items_of_unrolled_loops_keep_a_type",
        "src/infer/flow/flow_builder.cpp",
        "const Scoped own(pins, false);",
        "const Scoped own(pins, true);",
        sentence("unrolled_loops", "test_items_keep_their_types"),
    ),
    Mutant(
        "copies_of_loops_keep_types_of_earlier_ones",
        "src/infer/flow/flow_values.cpp",
        "node = loop->before[name];",
        "node = std::max(node, loop->before[name]);",
        sentence("unrolled_loops", "test_items_keep_their_types"),
    ),
    Mutant(
        "lists_in_variables_are_indices",
        "src/infer/flow/flow.cpp",
        "if (node.source && node.path.empty())",
        "if (node.source && !node.path.empty())",
        "tests/errors/test_errors.py::test_error[list_variable_as_index]",
    ),
    Mutant(
        "any_extents_are_broadcast",
        LIKE,
        "if (one != 1 && extent != 1 && one != extent)",
        "if (one != 1 && extent != 1 && one == extent + 1)",
        sentence("aliased_arrays", "test_extents_that_do_not_go_together"),
    ),
    Mutant(
        "distance_downwards_is_counted_upwards",
        SERIES,
        "{isUp ? last : first, isUp ? first : last}",
        "{isUp ? last : last, isUp ? first : first}",
        sentence("ranges", "test_length_items_and_membership"),
    ),
    Mutant(
        "membership_ignores_the_step",
        SERIES,
        "return both(isInside, isStep);",
        "return isStep ? isInside : isStep;",
        sentence("ranges", "test_length_items_and_membership"),
    ),
    Mutant(
        "tuple_assigned_along_the_first_axis",
        SLICES,
        "if (axes < view->type->ndim()) {",
        "if (false) {",
        "tests/kernels/test_kernels.py::test_result[tuples_into_slices]",
    ),
    Mutant(
        "constants_are_not_handed_to_recursion",
        FUNCTIONS,
        "return isOwn() ? nullptr : compilation.instance(callee, source, arguments.span);",
        "return compilation.instance(callee, source, arguments.span);",
        sentence("constants_that_flow", "test_constants_reach_the_place_that_needs_them"),
    ),
    Mutant(
        "names_of_other_functions_are_taken_for_own",
        FUNCTIONS,
        "if (closure.isCapturedFrom(scope, name) && flow.mayChange(scope.find(name)))",
        "if (scope.find(name) != Scope::notLocal && flow.mayChange(scope.find(name)))",
        "tests/kernels/test_kernels.py::test_result[closures]",
    ),
    Mutant(
        "array_expressions_of_integers_are_wide",
        ELEMENTWISE,
        "const Type *narrow = narrowResult(type, elements);",
        "const Type *narrow = nullptr;",
        sentence("array_expressions", "test_arrays_of_integers_compute_in_numpys_types"),
    ),
    Mutant(
        "open_extent_is_not_divided",
        VIEWS,
        "operation(Operation::FloorDiv, {size, product})",
        "operation(Operation::Max, {size, product})",
        sentence("reshaped_arrays", "test_statement"),
    ),
    Mutant(
        "extents_of_run_time_are_never_open",
        VIEWS,
        "mayBeOpen(extent) ? orOther(extent, integer(1)) : tree.clone(extent)",
        "tree.clone(extent)",
        sentence("reshaped_arrays", "test_statement"),
    ),
    Mutant(
        "products_of_integers_begin_with_nothing",
        NUMPY,
        "return int64(start)",
        "return int64(0)",
        sentence("reductions", "test_values_and_types[np.prod(a)]"),
    ),
    Mutant(
        "taken_rows_are_chosen_by_the_first_axis",
        AXES,
        "(indices[place[n:m]],)",
        "(indices[place[: m - n]],)",
        sentence("array_axes", "test_statement"),
    ),
    Mutant(
        "rows_of_computed_arrays_forget_their_place",
        "src/infer/values/computed.cpp",
        "indexWithin(extentOfComputed(value, unsigned(i) - missing, span), *positions[i], span)",
        "indexWithin(extentOfComputed(value, unsigned(i) - missing, span), *positions.front(), span)",
        sentence("array_axes", "test_statement"),
    ),
    Mutant(
        "flat_is_assigned_in_the_order_of_fortran",
        SUBSCRIPTS,
        "for (unsigned axis = ndim; axis-- > 1;) {",
        "for (unsigned axis = 1; axis < ndim; ++axis) {",
        sentence("array_axes", "test_statement"),
    ),
    Mutant(
        "views_of_larger_elements_count_smaller_ones",
        VIEWS,
        "typed::Expr *count = operation(Operation::FloorDiv, tree.clone(bytes), number(after));",
        "typed::Expr *count = operation(Operation::FloorDiv, tree.clone(bytes), number(before));",
        sentence("array_axes", "test_elements_of_another_size"),
    ),
    Mutant(
        "maximum_loses_nan",
        CHOICES,
        "return x if x > y or x != x else y",
        "return x if x > y else y",
        sentence("array_expressions", "test_nan_in_choices"),
    ),
    Mutant(
        "errors_have_lines_of_the_library",
        "src/codegen/emit_call.cpp",
        "    span = at->site->span;\n",
        "",
        sentence("array_axes", "test_errors_in_the_library_are_shown_where_it_is_called"),
    ),
    Mutant(
        "errors_of_outlined_functions_have_lines_of_the_library",
        "src/codegen/emit_call.cpp",
        "      return nullptr;\n    span",
        "      return at->function->source;\n    span",
        sentence("array_axes", "test_errors_in_functions_of_the_library_with_many_callers_have_no_line"),
    ),
    Mutant(
        "running_totals_stay_narrow",
        NUMPY,
        "            return float32(0)\n        return float16(0)",
        "            return float16(0)\n        return float16(0)",
        sentence("array_axes", "test_running_totals_are_computed_in_the_wider_type"),
    ),
    Mutant(
        "results_in_any_order_may_be_views_of_operands",
        ALIAS,
        "call.readsInOrder ? tiesTo(into, operand) : Ties(axesOf(*operand.type), anywhere)",
        "tiesTo(into, operand)",
        sentence("aliased_arrays", "test_results_in_memory_of_operands_are_refused"),
    ),
    Mutant(
        "results_in_memory_of_operands_are_not_found",
        NUMPY,
        "    if first == second:\n        return True\n",
        "",
        sentence("aliased_arrays", "test_results_in_memory_of_operands_are_found_under_debug"),
    ),
    Mutant(
        "captured_arrays_without_part_of_their_last_word",
        CAPTURED,
        "at < bytes.size(); at += sizeof(Word)",
        "at + sizeof(Word) <= bytes.size(); at += sizeof(Word)",
        "tests/ptx/test_ptx_data.py",
    ),
    Mutant(
        "captured_arrays_end_at_their_last_zero",
        CAPTURED,
        "std::find_if(bytes.rbegin(), bytes.rend(), [](std::byte b) { return b != std::byte(0); });",
        "std::find(bytes.rbegin(), bytes.rend(), std::byte(0));",
        "tests/ptx/test_ptx_data.py",
    ),
    Mutant(
        "large_captured_arrays_are_undefined",
        CAPTURED,
        "/*isExternallyInitialized=*/!isKnown",
        "/*isExternallyInitialized=*/false",
        "tests/ptx/test_ptx_data.py",
    ),
    Mutant(
        "captured_arrays_have_the_contents_of_the_first",
        "src/infer/instances/compilation.cpp",
        "contents.try_emplace(hostArray.object, hostArray.data)",
        "contents.try_emplace(nullptr, hostArray.data)",
        "tests/kernels/test_kernels.py -k captured_arrays",
    ),
]
