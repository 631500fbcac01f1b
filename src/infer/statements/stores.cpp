// Stores into elements, fields, records and whole arrays.
// A place is an element, a field, a row or a slice. In `place = value`, Python evaluates the value, then the place,
// then stores. An augmented assignment, `place op= value`, evaluates the place first, reads it, and then the value.
#include "infer/statements/stores.h"

namespace treadle {

using syntax::ExprKind;

namespace {

constexpr std::string_view storeMessage = "this value cannot be stored into an element of the array";

} // namespace

/// What the place evaluates comes after the value, which becomes a temporary if that could change it.
void Stores::assignToDestination(const syntax::Expr &target, typed::Expr *value) {
  Destination destination;
  tree.emitAfterwards(value, tree.collect([&] { destination = destinationOf(target); }));
  store(destination, value, target.span);
}

/// The destination of an assignment to a subscript or an attribute. An attribute must be a field of records.
/// Whether it can be stored into is checked before its index is looked at: an error about a tuple or a read-only array
/// should not be about the index.
Stores::Destination Stores::destinationOf(const syntax::Expr &target) {
  Destination destination;
  if (target.kind == ExprKind::Attribute) {
    const auto &attribute = target.as<syntax::Attribute>();
    destination.array = tree.unwrap(whole.expr(*attribute.value));
    if (const std::optional<uint32_t> field = attributes.fieldOf(*destination.array, attribute)) {
      access.checkStorable(*destination.array, target.span);
      access.selectField(destination.array, destination.indices, *field, target.span);
      return destination;
    }
    if (destination.array->type->isArray() && destination.array->type->element()->isRecord())
      attributes.arrayAttribute(destination.array, attribute); // an error unless all arrays have the attribute
    tree.failUnsupported(target.span, "an attribute cannot be assigned", "assign a variable or an element");
  }
  const auto &subscript = target.as<syntax::Subscript>();
  destination.array = whole.expr(*subscript.value);
  if (isFlat(*destination.array->type)) {
    if (subscripts.isViewIndex(*subscript.index))
      tree.failUnsupported(target.span, "slices of `flat` can be assigned in arrays in C order only",
                           "assign the elements in a loop");
    subscripts.indexFlat(destination.array, destination.indices,
                         access.checkedIndex(whole.expr(*subscript.index), subscript.index->span), target.span);
    access.checkStorable(*destination.array, target.span);
    return destination;
  }
  access.checkStorable(*destination.array, target.span);
  if (const std::optional<uint32_t> field = subscripts.fieldOf(*destination.array, *subscript.index)) {
    access.selectField(destination.array, destination.indices, *field, target.span);
    return destination;
  }
  if (subscripts.isViewIndex(*subscript.index)) {
    destination.slice = subscript.index;
    return destination;
  }
  destination.indices = subscripts.indicesOf(destination.array, *subscript.index);
  access.mergeRowView(destination.array, destination.indices);
  access.checkIndexCount(*destination.array, destination.indices.size(), target.span);
  return destination;
}

/// Updates all elements of an array in place, as NumPy does.
/// `a[1:] += b`, `a += b`. The value may read the array: Aliasing finds an order that is right.
void Stores::augmentArray(typed::Expr *array, const syntax::AugAssign &statement) {
  access.checkStorable(*array, statement.target->span);
  if (array->type->element()->isRecord())
    tree.failUnsupported(statement.target->span, "records cannot be changed as a whole", "change their fields");
  Items both{array, whole.expr(*statement.value)};
  tree.settle(both);
  array = tree.spill(both[0]);
  storeView(tree.clone(array), operators.binaryValue(statement.op, array, both[1], statement.span), statement.span);
}

/// Array and indices are evaluated once, before the value; the store after it uses them again.
/// `x[f()] += g()` calls f, reads the element, and calls g, as in Python: operations evaluate their left operand first.
void Stores::augmentElement(const syntax::AugAssign &statement) {
  Destination destination = destinationOf(*statement.target);
  const SourceSpan span = statement.target->span;
  if (destination.slice)
    return augmentArray(subscripts.sliceView(destination.array, *destination.slice, span), statement);
  if (destination.indices.size() < destination.array->type->ndim())
    return augmentArray(access.rowView(destination.array, destination.indices, span), statement);
  if (destination.array->type->element()->isRecord())
    tree.failUnsupported(span, "a record cannot be changed as a whole", "change its fields");
  Items parts{destination.array};
  parts.insert(parts.end(), destination.indices.begin(), destination.indices.end());
  parts.push_back(whole.expr(*statement.value));
  tree.settle(parts);
  typed::Expr *array = tree.materialize(parts.front()), *operand = parts.back();
  Items indices(parts.begin() + 1, parts.end() - 1), again;
  for (typed::Expr *&index : indices)
    index = tree.materialize(index);
  for (const typed::Expr *index : indices)
    again.push_back(tree.clone(index));
  typed::Expr *current = access.rowView(tree.clone(array), again, span);
  store({array, indices}, operators.binaryValue(statement.op, current, operand, statement.span), statement.span);
}

/// By what the destination selects: a slice, a row, a record, or one element.
void Stores::store(const Destination &destination, typed::Expr *value, SourceSpan span) {
  typed::Expr *array = destination.array;
  if (destination.slice)
    return storeView(subscripts.sliceView(array, *destination.slice, span), value, span);
  if (destination.indices.size() < array->type->ndim())
    return storeView(access.rowView(array, destination.indices, span), value, span);
  if (array->type->element()->isRecord())
    return storeRecord(access.rowView(array, destination.indices, span), value, span);
  value = access.elementValue(value, array->type->element(), storeMessage, value->span);
  out.writesMemory = true;
  access.storeElement(array, destination.indices, value, span);
}

/// Field by field, in order. Padding between them is left unchanged.
/// Both records are references: their places are evaluated once.
void Stores::storeRecord(typed::Expr *target, typed::Expr *value, SourceSpan span) {
  const Type *record = target->type->element();
  if (!value->type->isRecordReference() || value->type->element() != record)
    tree.fail(value->span, {.kind = CompileErrorKind::Typing,
                            .message = "only a record of the same dtype can be assigned to a record",
                            .found = value->type->name(),
                            .expected = record->name(),
                            .remedy = "assign its fields one by one"});
  value = tree.spill(value);
  target = tree.spill(target);
  for (uint32_t field = 0; field < record->fields().size(); ++field) {
    Destination destination{tree.clone(target), {}};
    access.selectField(destination.array, destination.indices, field, span);
    store(destination, access.fieldOf(tree.clone(value), field, span), span);
  }
}

} // namespace treadle
