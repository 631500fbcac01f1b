// Assignments: to names, elements and tuples of them.
// The same functions run in both phases: while solving they give types to names, while building they emit stores. A
// value is always evaluated before any target, and targets are assigned from left to right, as in Python.
#include "infer/statements/assignments.h"

#include <algorithm>

namespace treadle {

using syntax::ExprKind;

/// `a = b = f()` evaluates f once. With `:=` in the function a variable may change while targets are evaluated, so that
/// even the value of a variable is copied.
void Assignments::assign(const syntax::Assign &statement) {
  if (statement.value->kind == ExprKind::Consteval && evaluatesBlock(statement))
    return;
  // A named lambda is a nested function like any other, and sees its captures' values at its call.
  const bool isNamed = statement.value->kind == ExprKind::Lambda && statement.targets.size() == 1 &&
                       statement.targets[0]->kind == ExprKind::Name;
  typed::Expr *value = isNamed ? expressions.calls.calleeValue(*statement.value) : expressions.expr(*statement.value);
  if (statement.targets.size() == 1)
    return assignTo(*statement.targets[0], value);
  value = scope.hasWalrus() && value->kind != typed::ExprKind::Const ? tree.spill(value) : tree.materialize(value);
  for (const syntax::Expr *target : statement.targets)
    assignTo(*target, tree.clone(value));
}

/// The names defined by `with consteval():`. Values that the function does not need at run time are dropped: arrays
/// would be kept with its code.
bool Assignments::evaluatesBlock(const syntax::Assign &statement) {
  const auto &code = statement.value->as<syntax::Consteval>();
  const CapturedValue *values =
      code.yields == syntax::Consteval::Yields::Block ? statics.evaluatedEarly(code) : nullptr;
  if (!values)
    return false;
  const auto &targets = statement.targets[0]->as<syntax::Sequence>().items;
  for (size_t i = 0; i < targets.size(); ++i) {
    const CapturedValue &value = values->items[i];
    const FlowNode &node = flow.nodes[flow.writes.at(targets[i])];
    const bool isLeftOut = !node.isNeeded && node.pinnedTo == noNode && !isPlain(value);
    assignTo(*targets[i], isLeftOut ? tree.unit(types::object(0, "value for consteval()"), code.span)
                                    : names.captured(value, code.span, targets[i]->as<syntax::Name>().id));
  }
  return true;
}

/// Also for the targets of loops, and for each target of a tuple.
void Assignments::assignTo(const syntax::Expr &target, typed::Expr *value) {
  switch (target.kind) {
  case ExprKind::Name:
    checkKept(*value, target.span);
    functions.checkClosure(*value->type, target.span);
    return tree.phase()->define(flow.writes.at(&target), value, target.span);
  case ExprKind::Tuple:
  case ExprKind::List:
    return unpack(static_cast<const syntax::Sequence &>(target), value);
  case ExprKind::Subscript:
  case ExprKind::Attribute:
    return tree.phase()->assignToDestination(target, value);
  case ExprKind::Starred:
    tree.failUnsupported(target.span, "unpacking into a starred name is not supported", "name each value");
  case ExprKind::Literal:
  case ExprKind::String:
  case ExprKind::Ellipsis:
  case ExprKind::Unary:
  case ExprKind::Binary:
  case ExprKind::Boolean:
  case ExprKind::Compare:
  case ExprKind::Conditional:
  case ExprKind::Call:
  case ExprKind::Slice:
  case ExprKind::Joined:
  case ExprKind::Format:
  case ExprKind::Walrus:
  case ExprKind::Lambda:
  case ExprKind::Consteval:
  case ExprKind::Comprehension:
    tree.failUnsupported(target.span, "this cannot be assigned", "assign a variable or an element");
  }
}

namespace {

/// Assigning the targets cannot change the value: it reads neither memory nor variables, except for the extents of an
/// array variable if only numbers are assigned.
/// `x, y = y, x` needs temporaries, `x, y = 0, cuda.threadIdx.x` does not.
bool isUnaffected(const typed::Expr &value, bool numbersOnly) {
  if (value.kind == typed::ExprKind::Attribute)
    return numbersOnly && value.as<typed::Attribute>().array->kind == typed::ExprKind::Slot;
  return typed::isConstant(value) ||
         (value.kind == typed::ExprKind::Operation && value.as<typed::OperationExpr>().operands.empty());
}

} // namespace

/// Python's iterators are exhausted by the first loop over them; ours would restart.
/// An array expression in a variable would read its operands when it is used, after they may have changed.
void Assignments::checkKept(const typed::Expr &value, SourceSpan span) {
  if (value.type->is(Series::Elementwise))
    tree.failUnsupported(value.span, "an array expression cannot be kept: it has no memory of its own",
                         "assign it to elements of an array: a[:] = ...");
  if (value.type->is(Series::Zip) || value.type->is(Series::Enumerate))
    tree.failUnsupported(span, std::string(value.type->text()) + "() cannot be kept in a variable",
                         "write it into the loop: for ... in ");
}

namespace {

/// cuda.grid(1) and the like.
/// For the advice on `x, y = cuda.grid(1)`, a common slip.
bool isOperationOfThreads(const typed::Expr &value) {
  if (value.kind != typed::ExprKind::Operation)
    return false;
  const auto &operation = value.as<typed::OperationExpr>();
  if (isOfClass(operation.op, OperationClass::Identity))
    return true;
  return std::any_of(operation.operands.begin(), operation.operands.end(),
                     [](const typed::Expr *operand) { return isOperationOfThreads(*operand); });
}

} // namespace

/// One value for each of the targets.
/// `r, g, b = image[i]` unpacks along the first axis, as NumPy's iteration does; the length of a tuple is known, that
/// of an array only at run time.
Items Assignments::unpacked(typed::Expr *value, const syntax::Sequence &targets) {
  const size_t count = targets.items.size();
  value = tree.unwrap(value);
  if (const Type &type = *value->type; type.is(Series::Range) || (!type.isPlainTuple() && axesOf(type) > 0)) {
    if (type.is(Series::Elementwise) && axesOf(type) > 1)
      tree.failUnsupported(value->span,
                           "the rows of an array expression cannot be unpacked: it has no memory of its own",
                           "assign it to elements of an array: a[:] = ...");
    return unpackedSeries(value, count, targets.span);
  }
  if (!value->type->isPlainTuple()) {
    const bool isPosition = value->type->isInt() && isOperationOfThreads(*value);
    tree.fail(value->span, {.kind = CompileErrorKind::Typing,
                            .message = "only a tuple or an array can be unpacked",
                            .found = value->type->name(),
                            .expected = "a tuple of " + counted(count, "value"),
                            .remedy = isPosition ? "write cuda.grid(" + std::to_string(count) +
                                                       "): it gives as many values as it is asked for axes"
                                                 : ""});
  }
  if (const size_t given = value->type->items().size(); given != count) {
    const bool isShape = value->kind == typed::ExprKind::Attribute;
    const std::string of =
        isShape ? ": the " + counted(given, "extent") + " of " + value->as<typed::Attribute>().array->type->name() : "";
    tree.fail(targets.span, {.kind = CompileErrorKind::Value,
                             .message = "the tuple does not have as many values as there are targets",
                             .found = counted(given, "value") + of,
                             .expected = counted(count, "value"),
                             .remedy = isShape ? "pass an array with " + counted(count, "axis") +
                                                     ", or name as many extents as this one has"
                                               : ""});
  }
  return tree.itemsOf(value);
}

/// The items of a series along its first axis. Kernels compiled with debug check its length at run time.
Items Assignments::unpackedSeries(typed::Expr *series, size_t count, SourceSpan span) {
  const std::string_view what = series->type->is(Series::Range) ? "a range" : "an array";
  series = sequences.settledSeries(series);
  auto number = [&](size_t value) { return tree.index(int64_t(value), span); };
  typed::Expr *isOther = tree.test(Operation::Ne, {sequences.countOf(*series, span), number(count)}, span);
  tree.raiseWhere(isOther, std::string(what) + " of another length is unpacked into " + counted(count, "value"), span);
  Items items;
  for (size_t i = 0; i < count; ++i)
    items.push_back(sequences.elementAt(*series, *number(i), span));
  return items;
}

/// Nested targets come back here by assignTo(): `(a, b), c = t`.
void Assignments::unpack(const syntax::Sequence &targets, typed::Expr *value) {
  for (const syntax::Expr *target : targets.items)
    if (target->kind == ExprKind::Starred)
      tree.failUnsupported(target->span, "unpacking into a starred name is not supported", "name each value");
  // All values are evaluated before the first target changes: a, b = b, a.
  Items items = unpacked(value, targets);
  const bool areNumbers = std::all_of(items.begin(), items.end(), [](auto *item) { return item->type->isNumber(); });
  for (typed::Expr *&item : items)
    if (!isUnaffected(*item, areNumbers))
      item = tree.spill(item);
  for (size_t i = 0; i < items.size(); ++i)
    assignTo(*targets.items[i], items[i]);
}

/// `x += 1` of a name defines it anew, possibly with a wider type. Of an array it changes the elements in place, which
/// others who hold the array see, as in NumPy; `a = a + 1` would be an array expression that cannot be kept.
void Assignments::augment(const syntax::AugAssign &statement) {
  if (statement.target->kind == ExprKind::Name) {
    const auto &target = statement.target->as<syntax::Name>();
    typed::Expr *current = names.read(target);
    if (current->type->isArray() && current->type->ndim() > 0 && !current->type->element()->isRecord())
      return augmentNamedArray(tree.materialize(current), statement);
    typed::Expr *value =
        operators.binaryValue(statement.op, current, expressions.expr(*statement.value), statement.span);
    return tree.phase()->define(flow.writes.at(&target), value, statement.span);
  }
  stores.augmentElement(statement);
}

/// The name stays bound to the array.
/// The flow has a new definition nevertheless, as it does not know types.
void Assignments::augmentNamedArray(typed::Expr *array, const syntax::AugAssign &statement) {
  tree.phase()->augmentArray(tree.clone(array), statement);
  tree.phase()->define(flow.writes.at(statement.target), array, statement.span);
}

} // namespace treadle
