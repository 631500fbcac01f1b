// Assignments: to names, elements and tuples of them.
#include "infer/inference.h"

#include <algorithm>

namespace treadle {

using syntax::ExprKind;

static constexpr std::string_view storeMessage = "this value cannot be stored into an element of the array";

void Inference::assign(const syntax::Assign &statement) {
  if (statement.value->kind == ExprKind::Consteval && evaluatesBlock(statement))
    return;
  // A lambda with a name is a nested function like any other, and sees what its names are when it is called.
  const bool isNamed = statement.value->kind == ExprKind::Lambda && statement.targets.size() == 1 &&
                       statement.targets[0]->kind == ExprKind::Name;
  typed::Expr *value = isNamed ? calleeValue(*statement.value) : expr(*statement.value);
  if (statement.targets.size() == 1)
    return assignTo(*statement.targets[0], value);
  value = scope.hasWalrus() && value->kind != typed::ExprKind::Const ? spill(value) : materialize(value);
  for (const syntax::Expr *target : statement.targets)
    assignTo(*target, clone(value));
}

void Inference::assignTo(const syntax::Expr &target, typed::Expr *value) {
  switch (target.kind) {
  case ExprKind::Name:
    checkKept(*value, target.span);
    checkClosure(*value->type, target.span);
    return define(flow.writes.at(&target), value, target.span);
  case ExprKind::Tuple:
  case ExprKind::List:
    return unpack(static_cast<const syntax::Sequence &>(target), value);
  case ExprKind::Subscript:
  case ExprKind::Attribute:
    return phase->assignToDestination(target, value);
  case ExprKind::Starred:
    failUnsupported(target.span, "unpacking into a starred name is not supported", "name each value");
  default:
    failUnsupported(target.span, "this cannot be assigned", "assign a variable or an element");
  }
}

void Inference::assignToDestination(const syntax::Expr &target, typed::Expr *value) {
  Destination destination;
  emitBehind(value, collect([&] { destination = destinationOf(target); }));
  store(destination, value, target.span);
}

/// What an assignment to a subscript or an attribute writes. An attribute must be a field of records.
Inference::Destination Inference::destinationOf(const syntax::Expr &target) {
  Destination destination;
  if (target.kind == ExprKind::Attribute) {
    const auto &attribute = target.as<syntax::Attribute>();
    destination.array = unwrap(expr(*attribute.value));
    if (const std::optional<uint32_t> field = attributeField(*destination.array, attribute)) {
      checkStorable(*destination.array, target.span);
      selectField(destination.array, destination.indices, *field, target.span);
      return destination;
    }
    if (destination.array->type->isArray() && destination.array->type->element()->isRecord())
      arrayAttribute(destination.array, attribute); // an error unless the attribute is one of all arrays
    failUnsupported(target.span, "an attribute cannot be assigned", "assign a variable or an element");
  }
  const auto &subscript = target.as<syntax::Subscript>();
  destination.array = expr(*subscript.value);
  if (isFlat(*destination.array->type)) {
    if (isViewIndex(*subscript.index))
      failUnsupported(target.span, "slices of `flat` can be assigned in arrays in C order only",
                      "assign the elements in a loop");
    indexFlat(destination.array, destination.indices, checkedIndex(expr(*subscript.index), subscript.index->span),
              target.span);
    checkStorable(*destination.array, target.span);
    return destination;
  }
  checkStorable(*destination.array, target.span);
  if (const std::optional<uint32_t> field = subscriptField(*destination.array, *subscript.index)) {
    selectField(destination.array, destination.indices, *field, target.span);
    return destination;
  }
  if (isViewIndex(*subscript.index)) {
    destination.slice = subscript.index;
    return destination;
  }
  destination.indices = indicesOf(destination.array, *subscript.index);
  mergeRowView(destination.array, destination.indices);
  checkIndexCount(*destination.array, destination.indices.size(), target.span);
  return destination;
}

/// Assigning the targets cannot change the value: it reads neither memory nor variables, but for the extents of an
/// array variable where only numbers are assigned.
static bool isUnaffected(const typed::Expr &value, bool numbersOnly) {
  if (value.kind == typed::ExprKind::Attribute)
    return numbersOnly && value.as<typed::Attribute>().array->kind == typed::ExprKind::Slot;
  return typed::isConstant(value) ||
         (value.kind == typed::ExprKind::Operation && value.as<typed::OperationExpr>().operands.empty());
}

/// Python's iterators are used up by the first loop over them; ours would begin again.
void Inference::checkKept(const typed::Expr &value, SourceSpan span) {
  if (value.type->is(Series::Elementwise))
    failUnsupported(value.span, "an array expression cannot be kept: it has no memory of its own",
                    "assign it to elements of an array: a[:] = ...");
  if (value.type->is(Series::Zip) || value.type->is(Series::Enumerate))
    failUnsupported(span, std::string(value.type->text()) + "() cannot be kept in a variable",
                    "write it into the loop: for ... in ");
}

/// One value for each of the targets.
Inference::Items Inference::unpacked(typed::Expr *value, const syntax::Sequence &targets) {
  const size_t count = targets.items.size();
  value = unwrap(value);
  if (const Type &type = *value->type; type.is(Series::Range) || (!type.isPlainTuple() && axesOf(type) > 0)) {
    if (type.is(Series::Elementwise) && axesOf(type) > 1)
      failUnsupported(value->span, "the rows of an array expression cannot be unpacked: it has no memory of its own",
                      "assign it to elements of an array: a[:] = ...");
    return unpackedSeries(value, count, targets.span);
  }
  if (!value->type->isPlainTuple()) {
    fail(value->span, {.kind = CompileErrorKind::Typing,
                       .message = "only a tuple or an array can be unpacked",
                       .found = value->type->name(),
                       .expected = "a tuple of " + counted(count, "value"),
                       .remedy = {}});
  }
  if (value->type->items().size() != count) {
    fail(targets.span, {.kind = CompileErrorKind::Value,
                        .message = "the tuple does not have as many values as there are targets",
                        .found = counted(value->type->items().size(), "value"),
                        .expected = counted(count, "value"),
                        .remedy = {}});
  }
  return itemsOf(value);
}

/// What a series has along its first axis. Its length is checked at run time by kernels compiled with debug.
Inference::Items Inference::unpackedSeries(typed::Expr *series, size_t count, SourceSpan span) {
  const std::string_view what = series->type->is(Series::Range) ? "a range" : "an array";
  series = settledSeries(series);
  auto number = [&](size_t value) { return nodes.integer(types::intp(), int64_t(value), span); };
  typed::Expr *isOther =
      nodes.operation(Operation::Ne, types::boolean(), {countOf(*series, span), number(count)}, span);
  raiseWhere(isOther, std::string(what) + " of another length is unpacked into " + counted(count, "value"), span);
  Items items;
  for (size_t i = 0; i < count; ++i)
    items.push_back(elementAt(*series, *number(i), span));
  return items;
}

void Inference::unpack(const syntax::Sequence &targets, typed::Expr *value) {
  for (const syntax::Expr *target : targets.items)
    if (target->kind == ExprKind::Starred)
      failUnsupported(target->span, "unpacking into a starred name is not supported", "name each value");
  // All values are evaluated before the first target changes: a, b = b, a.
  Items items = unpacked(value, targets);
  const bool areNumbers = std::all_of(items.begin(), items.end(), [](auto *item) { return item->type->isNumber(); });
  for (typed::Expr *&item : items)
    if (!isUnaffected(*item, areNumbers))
      item = spill(item);
  for (size_t i = 0; i < items.size(); ++i)
    assignTo(*targets.items[i], items[i]);
}

void Inference::augment(const syntax::AugAssign &statement) {
  if (statement.target->kind == ExprKind::Name) {
    const auto &target = statement.target->as<syntax::Name>();
    typed::Expr *current = name(target);
    if (current->type->isArray() && current->type->ndim() > 0 && !current->type->element()->isRecord())
      return augmentNamedArray(materialize(current), statement);
    typed::Expr *value = binaryValue(statement.op, current, expr(*statement.value), statement.span);
    return define(flow.writes.at(&target), value, statement.span);
  }
  augmentElement(destinationOf(*statement.target), statement);
}

/// The name stays bound to the array.
void Inference::augmentNamedArray(typed::Expr *array, const syntax::AugAssign &statement) {
  phase->augmentArray(clone(array), statement);
  define(flow.writes.at(statement.target), array, statement.span);
}

/// All elements of an array change in place, as NumPy's do.
void Inference::augmentArray(typed::Expr *array, const syntax::AugAssign &statement) {
  checkStorable(*array, statement.target->span);
  if (array->type->element()->isRecord())
    failUnsupported(statement.target->span, "records cannot be changed as a whole", "change their fields");
  Items both{array, expr(*statement.value)};
  settle(both);
  array = spill(both[0]);
  storeView(clone(array), binaryValue(statement.op, array, both[1], statement.span), statement.span);
}

/// Array and indices are evaluated once, before the value; the store after it needs them again.
void Inference::augmentElement(Destination destination, const syntax::AugAssign &statement) {
  const SourceSpan span = statement.target->span;
  if (destination.slice)
    return augmentArray(sliceView(destination.array, *destination.slice, span), statement);
  if (destination.indices.size() < destination.array->type->ndim())
    return augmentArray(rowView(destination.array, destination.indices, span), statement);
  if (destination.array->type->element()->isRecord())
    failUnsupported(span, "a record cannot be changed as a whole", "change its fields");
  Items parts{destination.array};
  parts.insert(parts.end(), destination.indices.begin(), destination.indices.end());
  parts.push_back(expr(*statement.value));
  settle(parts);
  typed::Expr *array = materialize(parts.front()), *operand = parts.back();
  Items indices(parts.begin() + 1, parts.end() - 1), again;
  for (typed::Expr *&index : indices)
    index = materialize(index);
  for (const typed::Expr *index : indices)
    again.push_back(clone(index));
  typed::Expr *current = rowView(clone(array), again, span);
  store({array, indices}, binaryValue(statement.op, current, operand, statement.span), statement.span);
}

void Inference::store(const Destination &destination, typed::Expr *value, SourceSpan span) {
  typed::Expr *array = destination.array;
  if (destination.slice)
    return storeView(sliceView(array, *destination.slice, span), value, span);
  if (destination.indices.size() < array->type->ndim())
    return storeView(rowView(array, destination.indices, span), value, span);
  if (array->type->element()->isRecord())
    return storeRecord(rowView(array, destination.indices, span), value, span);
  value = elementValue(value, array->type->element(), storeMessage, value->span);
  out->writesMemory = true;
  storeElement(array, destination.indices, value, span);
}

void Inference::defineFunction(const syntax::FunctionDef &statement, NodeId node) {
  const Type *type = compilation.nestedFunction(*statement.function, statement.name, scope.nested(*statement.function),
                                                *request.known);
  define(node, nodes.unit(type, statement.span), statement.span);
}

} // namespace treadle
