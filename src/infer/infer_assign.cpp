// Assignments: to names, elements and tuples of them.
#include "infer/inference.h"

#include <algorithm>

namespace treadle {

using syntax::ExprKind;

static constexpr std::string_view storeMessage = "this value cannot be stored into an element of the array";

void Inference::assign(const syntax::Assign &statement) {
  typed::Expr *value = expr(*statement.value);
  if (statement.targets.size() == 1)
    return assignTo(*statement.targets[0], value);
  value = once(value);
  for (const syntax::Expr *target : statement.targets)
    assignTo(*target, duplicate(value));
}

void Inference::assignTo(const syntax::Expr &target, typed::Expr *value) {
  switch (target.kind) {
  case ExprKind::Name:
    return define(flow.writes.at(&target), value, target.span);
  case ExprKind::Tuple:
  case ExprKind::List:
    return unpack(static_cast<const syntax::Sequence &>(target), value);
  case ExprKind::Subscript:
    if (isSolving)
      return;
    return store(target.as<syntax::Subscript>(), value);
  case ExprKind::Starred:
    failUnsupported(target.span, "unpacking into a starred name is not supported", "name each value");
  default:
    failUnsupported(target.span, "an attribute cannot be assigned", "assign a variable or an element");
  }
}

/// Assigning the targets cannot change the value: it reads neither memory nor variables, but for the extents of an
/// array variable where only numbers are assigned.
static bool isUnaffected(const typed::Expr &value, bool numbersOnly) {
  if (value.kind == typed::ExprKind::Attribute)
    return numbersOnly && value.as<typed::Attribute>().array->kind == typed::ExprKind::Slot;
  return value.kind == typed::ExprKind::Const ||
         (value.kind == typed::ExprKind::Operation && value.as<typed::OperationExpr>().operands.empty());
}

void Inference::unpack(const syntax::Sequence &targets, typed::Expr *value) {
  for (const syntax::Expr *target : targets.items)
    if (target->kind == ExprKind::Starred)
      failUnsupported(target->span, "unpacking into a starred name is not supported", "name each value");
  if (!value->type->isTuple()) {
    fail(value->span,
         {.kind = CompileErrorKind::Typing,
          .message = "only a tuple can be unpacked",
          .found = value->type->name(),
          .expected = "a tuple of " + counted(targets.items.size(), "value"),
          .remedy = value->type->isArray() ? "index the array: its length is not known while compiling" : ""});
  }
  if (value->type->items().size() != targets.items.size()) {
    fail(targets.span, {.kind = CompileErrorKind::Value,
                        .message = "the tuple does not have as many values as there are targets",
                        .found = counted(value->type->items().size(), "value"),
                        .expected = counted(targets.items.size(), "value"),
                        .remedy = {}});
  }
  // All values are there before the first target changes: a, b = b, a.
  Items items = itemsOf(value);
  const bool areNumbers = std::all_of(items.begin(), items.end(), [](auto *item) { return item->type->isNumber(); });
  for (typed::Expr *&item : items)
    if (!isUnaffected(*item, areNumbers))
      item = storedOnce(item);
  for (size_t i = 0; i < items.size(); ++i)
    assignTo(*targets.items[i], items[i]);
}

void Inference::augment(const syntax::AugAssign &statement) {
  if (statement.target->kind == ExprKind::Name) {
    const auto &target = statement.target->as<syntax::Name>();
    typed::Expr *value = augmentedValue(statement, name(target));
    return define(flow.writes.at(&target), value, statement.span);
  }
  if (statement.target->kind != ExprKind::Subscript)
    failUnsupported(statement.target->span, "an attribute cannot be assigned", "assign a variable or an element");
  augmentElement(statement.target->as<syntax::Subscript>(), statement);
}

typed::Expr *Inference::augmentedValue(const syntax::AugAssign &statement, typed::Expr *current) {
  return binaryValue(statement.op, current, expr(*statement.value), statement.span);
}

/// Array and indices are evaluated once, before the value.
void Inference::augmentElement(const syntax::Subscript &target, const syntax::AugAssign &statement) {
  typed::Expr *array = expr(*target.value);
  checkStorable(*array, target.span);
  if (isViewIndex(*target.index))
    failUnsupported(target.span, "a slice of an array cannot be changed as a whole", "change its elements in a loop");
  Items indices = indicesOf(*target.index);
  mergeRowView(array, indices);
  checkIndexCount(*array, indices.size(), target.span);
  if (indices.size() < array->type->ndim())
    failUnsupported(target.span, "a row of an array cannot be changed as a whole", "change its elements in a loop");
  array = once(array);
  for (typed::Expr *&index : indices)
    index = once(index);
  Items again;
  for (const typed::Expr *index : indices)
    again.push_back(duplicate(index));
  typed::Expr *current = nodes.load(duplicate(array), again, target.span);
  typed::Expr *value =
      convertFor(augmentedValue(statement, current), array->type->element(), storeMessage, statement.span);
  out->writesMemory = true;
  emit(nodes.statement<typed::Store>(typed::StmtKind::Store, statement.span,
                                     typed::Indexed{array, nodes.memory().list(indices)}, value));
}

void Inference::store(const syntax::Subscript &target, typed::Expr *value) {
  typed::Expr *array = expr(*target.value);
  checkStorable(*array, target.span);
  if (isViewIndex(*target.index))
    return storeView(sliceView(array, *target.index, target.span), value, target.span);
  Items indices = indicesOf(*target.index);
  mergeRowView(array, indices);
  checkIndexCount(*array, indices.size(), target.span);
  if (indices.size() < array->type->ndim())
    return storeView(rowView(array, indices, target.span), value, target.span);
  value = convertFor(value, array->type->element(), storeMessage, value->span);
  out->writesMemory = true;
  emit(nodes.statement<typed::Store>(typed::StmtKind::Store, target.span,
                                     typed::Indexed{array, nodes.memory().list(indices)}, value));
}

void Inference::defineFunction(const syntax::FunctionDef &statement, NodeId node) {
  const Type *type = compilation.nestedFunction(*statement.function, statement.name, scope.nested(*statement.function),
                                                *request.known);
  define(node, nodes.unit(type, statement.span), statement.span);
}

} // namespace treadle
