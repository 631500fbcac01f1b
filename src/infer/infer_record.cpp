// Records: their fields by attribute, by name in brackets and by constant position, and assignments of whole records.
#include "infer/inference.h"

#include <algorithm>

namespace treadle {

using syntax::ExprKind;

/// In a record, fields take precedence; in an array of records, the attributes of arrays do.
std::optional<uint32_t> ExpressionRules::attributeField(const typed::Expr &value, const syntax::Attribute &expression) {
  if (!value.type->isArray() || !value.type->element()->isRecord())
    return std::nullopt;
  constexpr std::string_view ofArrays[] = {"shape", "strides", "size", "nbytes", "ndim", "itemsize", "dtype", "T"};
  if (!value.type->isRecordReference() && std::ranges::find(ofArrays, expression.name) != std::end(ofArrays))
    return std::nullopt;
  const int field = value.type->element()->fieldIndex(expression.name);
  return field < 0 ? std::nullopt : std::optional(uint32_t(field));
}

/// `r["x"]`, `records["x"]`, `r[0]`. Names may come from variables whose value is known while compiling.
std::optional<uint32_t> ExpressionRules::subscriptField(const typed::Expr &value, const syntax::Expr &index) {
  if (!value.type->isArray() || !value.type->element()->isRecord())
    return std::nullopt;
  const Type *record = value.type->element();
  const bool isReference = value.type->isRecordReference();
  // Only expressions without effects: an index that is not a field's name is evaluated again.
  const bool mayBeName =
      index.kind == ExprKind::String || index.kind == ExprKind::Literal || index.kind == ExprKind::Name ||
      index.kind == ExprKind::Attribute ||
      (index.kind == ExprKind::Unary && index.as<syntax::Unary>().operand->kind == ExprKind::Literal);
  const typed::Expr *key = mayBeName ? expr(index) : nullptr;
  if (key && key->type->is(TypeKind::String)) {
    if (const int field = record->fieldIndex(key->type->text()); field >= 0)
      return uint32_t(field);
    std::vector<std::string_view> names;
    for (const RecordField &field : record->fields())
      names.push_back(field.name);
    const std::string_view closest = closestName(key->type->text(), names);
    fail(index.span, {.kind = CompileErrorKind::Typing,
                      .message = "the record has no field of this name",
                      .found = quoted(key->type->text()),
                      .expected = "a field of " + record->name(),
                      .remedy = closest.empty() ? "" : "did you mean " + quoted(closest) + "?"});
  }
  if (!isReference)
    return std::nullopt;
  const std::optional<int64_t> position = key ? constantInteger(*key) : std::nullopt;
  const int64_t count = int64_t(record->fields().size());
  if (position && *position >= -count && *position < count)
    return uint32_t(*position < 0 ? *position + count : *position);
  if (index.kind == ExprKind::Tuple || index.kind == ExprKind::Slice || (key && !key->type->isInt()))
    return std::nullopt;
  fail(index.span, {.kind = CompileErrorKind::Typing,
                    .message = "a field is chosen by its name, or by its position known while compiling",
                    .found = position ? std::to_string(*position) : "a value known only at run time",
                    .expected = "a field of " + record->name(),
                    .remedy = {},
                    .needsConstant = !position});
}

/// The field is selected before the indices are applied, so that records[i].x is one access.
void ValueRules::selectField(typed::Expr *&array, Items &indices, uint32_t field, SourceSpan span) {
  const RecordField &chosen = array->type->element()->fields()[field];
  if (!chosen.type->isElement())
    failUnsupported(
        span, "field " + quoted(chosen.name) + " has dtype " + chosen.type->name() + ", which kernels do not have",
        "use fields of numbers, arrays of them, and records");
  mergeRowView(array, indices);
  if (array->type->ndim() + chosen.shape.size() > 8)
    failTyping(span, "an array has at most 8 dimensions");
  array = nodes.fieldView(array, field, span);
}

typed::Expr *ValueRules::fieldOf(typed::Expr *array, uint32_t field, SourceSpan span) {
  Items indices;
  selectField(array, indices, field, span);
  return rowView(array, indices, span);
}

/// Field by field, in order. Padding between them is left unchanged.
void Inference::storeRecord(typed::Expr *target, typed::Expr *value, SourceSpan span) {
  const Type *record = target->type->element();
  if (!value->type->isRecordReference() || value->type->element() != record)
    fail(value->span, {.kind = CompileErrorKind::Typing,
                       .message = "only a record of the same dtype can be assigned to a record",
                       .found = value->type->name(),
                       .expected = record->name(),
                       .remedy = "assign its fields one by one"});
  value = spill(value);
  target = spill(target);
  for (uint32_t field = 0; field < record->fields().size(); ++field) {
    Destination destination{clone(target), {}};
    selectField(destination.array, destination.indices, field, span);
    store(destination, fieldOf(clone(value), field, span), span);
  }
}

} // namespace treadle
