// Conversions, truth, and the parts of tuples.
#include "infer/value_rules.h"

#include "infer/fold.h"

namespace treadle {

typed::Expr *ValueRules::convert(typed::Expr *value, const Type *type) {
  const Type *from = value->type;
  if (from == type)
    return value;
  if (from->isNumber() && type->isNumber()) {
    if (value->kind == typed::ExprKind::Const)
      return foldConvert(nodes, value->as<typed::Const>(), type);
    return nodes.operation(Operation::Convert, type, {value}, value->span);
  }
  if (type->isOptional() || from->isOptional())
    return convertOptional(value, type);
  if (from->isArray() && type->isArray())
    return nodes.view(type, typed::ViewKind::Axes, value, {});
  if (type->is(Series::Text))
    return textIn(value, type);
  TREADLE_CHECK(from->isTuple() && type->isTuple());
  return convertTuple(value, type);
}

typed::Expr *ValueRules::convertOptional(typed::Expr *value, const Type *type) {
  const SourceSpan span = value->span;
  if (!type->isOptional())
    return convert(unwrap(value), type);
  if (value->type->isNone()) {
    return inBlock(span, [&] {
      emitValue(value, span);
      return nodes.operation(Operation::MakeNone, type, {}, span);
    });
  }
  if (!value->type->isOptional())
    return nodes.operation(Operation::MakeSome, type, {convert(value, type->element())}, span);
  return inBlock(span, [&] {
    typed::Expr *kept = materialize(value);
    typed::Expr *some =
        nodes.operation(Operation::MakeSome, type, {convert(unwrap(clone(kept)), type->element())}, span);
    typed::Expr *none = nodes.operation(Operation::MakeNone, type, {}, span);
    return nodes.conditional(nodes.operation(Operation::HasValue, types::boolean(), {kept}, span), some, none, span);
  });
}

typed::Expr *ValueRules::convertTuple(typed::Expr *value, const Type *type) {
  return inBlock(value->span, [&] {
    Items items = itemsOf(value);
    for (size_t i = 0; i < items.size(); ++i)
      items[i] = convert(items[i], type->items()[i]);
    return nodes.tuple(type, items, value->span);
  });
}

typed::Expr *ValueRules::convertFor(typed::Expr *value, const Type *type, std::string_view message, SourceSpan span) {
  if (value->type == type || rules.canStore(value->type, type))
    return convert(value, type);
  std::string remedy;
  if (value->type->isComplex() && type->isReal())
    remedy = "take a part of it: .real, .imag or abs()";
  else if (value->type->isNone())
    remedy = "a function that returns nothing has no value to use: check that it returns one on every path";
  else if (value->type->isArray() && type->isNumber())
    remedy = "index the array";
  fail(span, {.kind = CompileErrorKind::Typing,
              .message = std::string(message),
              .found = value->type->name(),
              .expected = type->name(),
              .remedy = remedy});
}

typed::Expr *ValueRules::unwrap(typed::Expr *value) {
  if (!value->type->isOptional())
    return value;
  return nodes.operation(Operation::Unwrap, value->type->element(), {value}, value->span);
}

typed::Expr *ValueRules::truth(typed::Expr *value) {
  const Type *type = value->type;
  const SourceSpan span = value->span;
  if (type->isNumber())
    return convert(value, types::boolean());
  if (type->is(Series::Time))
    return applied("time.bool", {value}, span);
  if (type->isFlags())
    return inBlock(span, [&] { return truth(valueOfMember(value, span)); });
  if (type->is(Series::Text))
    return isNotEmpty(value, span);
  if (type->isArray() || type->is(Series::Elementwise)) {
    fail(span, {.kind = CompileErrorKind::Typing,
                .message = "an array has no truth value",
                .found = type->name(),
                .expected = "a number or a condition",
                .remedy = "test its length or an element: len(a) > 0, a[i] != 0"});
  }
  if (type->isOptional()) {
    return inBlock(span, [&] {
      typed::Expr *kept = materialize(value);
      typed::Expr *hasValue = nodes.operation(Operation::HasValue, types::boolean(), {clone(kept)}, span);
      return nodes.conditional(hasValue, truth(unwrap(kept)), nodes.boolean(false, span), span);
    });
  }
  if (type->is(Series::Range)) {
    return inBlock(span, [&] {
      typed::Expr *count = countOf(*settledSeries(value), span);
      return nodes.operation(Operation::Gt, types::boolean(), {count, nodes.integer(types::intp(), 0, span)}, span);
    });
  }
  checkTruth(*value);
  const bool isTrue = type->isTuple()              ? !type->isPlainTuple() || !type->items().empty()
                      : type->is(TypeKind::String) ? !type->text().empty()
                                                   : !type->isNone();
  return inBlock(span, [&] {
    emitValue(value, span);
    return nodes.boolean(isTrue, span);
  });
}

ValueRules::Items ValueRules::itemsOf(typed::Expr *tuple) {
  if (tuple->kind == typed::ExprKind::Tuple) {
    const auto &items = tuple->as<typed::Tuple>().items;
    return {items.begin(), items.end()};
  }
  Items items;
  const uint32_t count = uint32_t(tuple->type->items().size());
  if (tuple->kind == typed::ExprKind::Attribute) {
    // The array is evaluated once; its extents are read one by one.
    auto &whole = tuple->as<typed::Attribute>();
    typed::Expr *array = materialize(whole.array);
    for (uint32_t i = 0; i < count; ++i)
      items.push_back(nodes.attribute(clone(array), whole.attribute, int32_t(i), tuple->span));
    return items;
  }
  tuple = materialize(tuple);
  for (uint32_t i = 0; i < count; ++i)
    items.push_back(itemOf(clone(tuple), i, tuple->span));
  return items;
}

typed::Expr *ValueRules::itemOf(typed::Expr *tuple, uint32_t index, SourceSpan span) {
  const Type *type = tuple->type->items()[index];
  if (!typed::hasStorage(type))
    return after({tuple}, nodes.unit(type, span));
  if (tuple->kind == typed::ExprKind::Attribute) {
    auto &whole = tuple->as<typed::Attribute>();
    return nodes.attribute(whole.array, whole.attribute, int32_t(index), span);
  }
  if (tuple->kind != typed::ExprKind::Tuple)
    return nodes.item(tuple, index, span);
  // The other items of a display are dropped, but not their effects.
  const auto given = tuple->as<typed::Tuple>().items;
  return inBlock(span, [&] {
    Items items(given.begin(), given.end());
    settle(items, Settled::Optional);
    typed::Expr *chosen = nullptr;
    for (uint32_t i = 0; i < items.size(); ++i) {
      if (i != index)
        emitValue(items[i], span);
      else
        chosen = items[i];
    }
    return chosen;
  });
}

Operand ValueRules::operandOf(const typed::Expr &value) const {
  Operand operand{value.type};
  if (value.kind == typed::ExprKind::Const) {
    const auto &constant = value.as<typed::Const>();
    operand.isLiteral = constant.isLiteral;
    operand.integer = constant.integer;
    operand.real = constant.real;
  }
  return operand;
}

std::optional<int64_t> ValueRules::constantInteger(const typed::Expr &value) const {
  if (value.kind != typed::ExprKind::Const || !value.type->isInt())
    return std::nullopt;
  return value.as<typed::Const>().integer;
}

} // namespace treadle
