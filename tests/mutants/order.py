# Miscompilations of operands, evaluated in another order than Python's or not at all, and of captured values.

from mutants.language import ARRAYS, kernel
from mutants.tree import Mutant

MUTANTS = [
    Mutant(
        "operands_left_as_they_are",
        "src/infer/tree/evaluation_order.cpp",
        "    stored[i] = given.mustComeFirst(i) ||",
        "    stored[i] =",
        kernel("order_of_evaluation"),
    ),
    Mutant(
        "dropped_operand_does_nothing",
        "src/infer/tree/evaluation_order.cpp",
        "      if (value && changesOf(*value).mustHappen())",
        "      if (value && changesOf(*value).mustHappen() && false)",
        kernel("order_of_evaluation"),
    ),
    Mutant(
        "decided_test_does_nothing",
        "src/infer/expressions/conditions.cpp",
        "return parts.statics.isKnownThroughout(test) ? result",
        "return parts.statics.isKnownThroughout(test) || true ? result",
        kernel("order_of_evaluation"),
    ),
    Mutant(
        "operand_not_run_forgets_what_earlier_ones_assigned",
        "src/infer/flow/flow_values.cpp",
        "  for (; !starts.empty(); starts.pop_back())\n    merge(starts.back(), {});",
        "  if (!starts.empty())\n    merge(starts.front(), {});",
        kernel("walrus"),
    ),
    Mutant(
        "choice_of_nothing_does_nothing",
        "src/infer/tree/tree.cpp",
        "  if (value->kind == ExprKind::Conditional && !typed::hasStorage(value->type)) {",
        "  if (value->kind == ExprKind::Conditional && value->type == nullptr) {",
        kernel("order_of_evaluation"),
    ),
    Mutant(
        "step_of_a_slice_first",
        ARRAYS,
        "  Leaf start = bound(slice.start), stop = bound(slice.stop);\n"
        "  Leaf step = slice.step ? bound(slice.step) : Leaf(int64(1));",
        "  Leaf step = slice.step ? bound(slice.step) : Leaf(int64(1));\n"
        "  Leaf start = bound(slice.start), stop = bound(slice.stop);",
        kernel("order_of_evaluation"),
    ),
    Mutant(
        "atomic_beside_a_barrier_lost",
        "src/passes/rewrites/barrier_statements.cpp",
        "    if (effect && isPure(*effect))",
        "    if (effect && effect->kind != ExprKind::Call && effect->kind != ExprKind::WarpOp)",
        kernel("order_around_barriers"),
    ),
    Mutant(
        "one_function_for_each_code_object",
        "src/infer/instances/compilation.cpp",
        "  const KnownFunction *known = &firstLike(*request.known);\n  key.append",
        "  const KnownFunction *known = nullptr;\n  key.append",
        kernel("functions_of_one_factory"),
    ),
    Mutant(
        "one_nested_function_for_each_code_object",
        "src/infer/instances/compilation.cpp",
        "    return nested.function == &function && nested.owner == &owner;",
        "    return nested.function == &function;",
        kernel("functions_of_one_factory"),
    ),
    Mutant(
        "captured_arrays_alike",
        "src/infer/instances/compilation.cpp",
        "         areSameBits(left.imag, right.imag) && left.object == right.object;",
        "         areSameBits(left.imag, right.imag);",
        kernel("functions_of_one_factory"),
    ),
    Mutant(
        "one_captured_array",
        "src/infer/expressions/names.cpp",
        "capturedIds.try_emplace(value.object.get(),",
        "capturedIds.try_emplace(nullptr,",
        kernel("functions_of_one_factory"),
    ),
    Mutant(
        "raised_class_by_its_name_alone",
        "src/infer/statements/statements.cpp",
        "    handle = names.outsideObject(*exception);",
        "",
        kernel("raise_in_debug"),
    ),
    Mutant(
        "raised_infinity_unknown",
        "python/treadle/source/raising.py",
        ', "inf": math.inf',
        "",
        kernel("raise_in_debug"),
    ),
]
