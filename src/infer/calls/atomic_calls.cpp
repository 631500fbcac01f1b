// Calls of builtins: positions of threads, atomics, print.
#include "infer/calls/thread_calls.h"

#include <fmt/core.h>

namespace treadle {

/// `i = cuda.grid(1)`, `x, y = cuda.grid(2)`: the number of axes decides the type, so it is a constant. int64, as Numba
/// has it: a block's index times its extent need not fit 32 bits.
typed::Expr *ThreadCalls::callGrid(const Builtin &row, const Arguments &arguments) {
  const std::optional<int64_t> count = constantInteger(*arguments.positional[0]);
  if (!count || *count < 1 || *count > 3) {
    tree.fail(arguments.positional[0]->span,
              {.kind = CompileErrorKind::Typing,
               .message = std::string(row.key) + "() needs the number of axes",
               .found = count ? std::to_string(*count) : arguments.positional[0]->type->name(),
               .expected = "1, 2 or 3, known while compiling",
               .needsConstant = !count && arguments.positional[0]->type->isInt()});
  }
  Items axes;
  for (unsigned axis = 0; axis < *count; ++axis)
    axes.push_back(
        tree.operation(operationOf({std::get<Position>(row.code), axis}), types::int64(), {}, arguments.span));
  if (*count == 1)
    return axes[0];
  return tree.tuple(types::uniTuple(types::int64(), unsigned(*count)), axes, arguments.span);
}

namespace {

/// The element types that an atomic operation supports; "" if `element` is suitable.
/// What the hardware has: 32 and 64 bits, and float16 for sums and extremes. inc and dec wrap at a limit and are
/// unsigned in CUDA; bits, exch and cas are defined for integers.
std::string_view unsuitableElement(AtomicOperation op, const Type *element) {
  const bool hasWidth = element->isNumber() && !element->isComplex() && element->bits() >= 32;
  switch (op) {
  case AtomicOperation::Inc:
  case AtomicOperation::Dec:
    return hasWidth && element->isInt() && !element->isSigned() ? "" : "an array of uint32 or uint64";
  case AtomicOperation::And:
  case AtomicOperation::Or:
  case AtomicOperation::Xor:
  case AtomicOperation::Exchange:
  case AtomicOperation::CompareAndSwap:
    return hasWidth && element->isInt() ? "" : "an array of int32, uint32, int64 or uint64";
  default:
    return hasWidth || element == types::float16()
               ? ""
               : "an array of int32, uint32, int64, uint64, float16, float32 or float64";
  }
}

} // namespace

/// `cuda.atomic.add(m, (i, j), v)`, `cuda.atomic.add(m[i], j, v)`. compare_and_swap has no index: it means the first
/// element. Fields of packed records are refused, as atomic instructions need aligned addresses.
typed::Indexed ThreadCalls::atomicPlace(const Builtin &row, const Arguments &arguments) {
  typed::Expr *array = arguments.positional[0];
  if (!array->type->isArray())
    failArgument(tree, row, *array, "an array");
  access.checkStorable(*array, array->span);
  if (const std::string_view wanted = unsuitableElement(std::get<AtomicOperation>(row.code), array->type->element());
      !wanted.empty())
    failArgument(tree, row, *array, std::string(wanted));
  if (array->type->isUnaligned())
    tree.fail(array->span, {.kind = CompileErrorKind::Typing,
                            .message = std::string(row.key) + "() needs elements that are aligned",
                            .found = array->type->name(),
                            .expected = "a field at a multiple of its size in every record",
                            .remedy = "make the dtype with align=True"});
  Items indices;
  const bool isFirst = row.rule == BuiltinRule::AtomicFirst;
  typed::Expr *place = isFirst ? tree.index(0, arguments.span) : arguments.positional[1];
  if (place->type->isPlainTuple())
    for (typed::Expr *index : tree.itemsOf(place))
      indices.push_back(access.checkedIndex(index, place->span));
  else
    indices.push_back(access.checkedIndex(place, place->span));
  access.mergeRowView(array, indices);
  if (indices.size() != array->type->ndim()) {
    tree.fail(place->span, {.kind = CompileErrorKind::Typing,
                            .message = std::string(row.key) + "() needs one index for each axis",
                            .found = std::to_string(indices.size()),
                            .expected = fmt::format("{}, for {}", array->type->ndim(), array->type->name()),
                            .remedy = array->type->ndim() > 1 && !isFirst ? "write a tuple: (i, j)" : ""});
  }
  return {array, tree.memory().list(indices)};
}

/// The operands are the last arguments, whether or not an index comes before them. The result is the old value; where
/// nothing uses it, the call is still emitted for its effect.
typed::Expr *ThreadCalls::callAtomic(const Builtin &row, const Arguments &arguments) {
  const auto op = std::get<AtomicOperation>(row.code);
  const typed::Indexed place = atomicPlace(row, arguments);
  const Type *element = place.array->type->element();
  auto operand = [&](size_t fromEnd) {
    return tree.convertFor(arguments.positional[arguments.positional.size() - fromEnd], element,
                           "this value cannot be combined with an element of the array", arguments.span);
  };
  typed::Expr *compare = op == AtomicOperation::CompareAndSwap ? operand(2) : nullptr;
  typed::Expr *value = operand(1);
  tree.phase()->noted().writesMemory = true;
  return tree.memory().make<typed::Atomic>(typed::Expr{typed::ExprKind::Atomic, element, arguments.span}, op, place,
                                           value, compare);
}

/// `print(x)` as a value is None. Texts of run time cannot be printed: printf takes addresses of texts, and they have
/// none.
typed::Expr *ThreadCalls::callPrint(const Builtin &, const Arguments &arguments) {
  Items items;
  for (typed::Expr *item : arguments.positional) {
    item = tree.unwrap(item);
    if (!item->type->isNumber() && !item->type->is(TypeKind::String) && !item->type->is(Series::Format)) {
      tree.fail(item->span, {.kind = CompileErrorKind::Typing,
                             .message = "this cannot be printed in a kernel",
                             .found = item->type->name(),
                             .expected = "numbers, and texts known while compiling"});
    }
    items.push_back(item);
  }
  tree.emit(tree.statement<typed::Print>(typed::StmtKind::Print, arguments.span, tree.memory().list(items)));
  return tree.unit(types::none(), arguments.span);
}

} // namespace treadle
