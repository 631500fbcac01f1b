// What loops run over: range(), enumerate(), zip(), arrays and tuples; and ranges as values.
#include "infer/builtin_rules.h"

namespace treadle {

/// Integers: start, stop and step, in the type of the counter.
typed::Expr *BuiltinRules::callRange(const Builtin &, const Arguments &arguments) {
  Items given = arguments.positional;
  const SourceSpan span = arguments.span;
  for (typed::Expr *&bound : given) {
    bound = unwrap(bound);
    if (!bound->type->isInteger()) {
      fail(bound->span, {.kind = CompileErrorKind::Typing,
                         .message = "the bounds of range() must be integers",
                         .found = bound->type->name(),
                         .expected = "an integer",
                         .remedy = bound->type->isFloat() ? "convert it: int(...)" : ""});
    }
  }
  auto literal = [&](int64_t value) {
    typed::Const *made = nodes.integer(types::int64(), value, span);
    made->isLiteral = true;
    return made;
  };
  typed::Expr *start = given.size() == 1 ? literal(0) : given[0];
  typed::Expr *stop = given.size() == 1 ? given[0] : given[1];
  typed::Expr *step = given.size() == 3 ? given[2] : literal(1);
  if (constantInteger(*step) == 0)
    fail(step->span, {.kind = CompileErrorKind::Value,
                      .message = "the step of range() must not be zero",
                      .found = {},
                      .expected = {},
                      .remedy = {}});
  // A bound that is left out does not affect the counter's type.
  const Operand first = given.size() == 1 ? operandOf(*stop) : operandOf(*start);
  const Operand last = given.size() == 3 ? operandOf(*step) : operandOf(*stop);
  const Type *counter = rules.rangeCounter(first, operandOf(*stop), last);
  const Type *items[] = {counter, counter, counter};
  return nodes.tuple(types::series(Series::Range, items),
                     {convert(start, counter), convert(stop, counter), convert(step, counter)}, span);
}

void BuiltinRules::checkSeries(const Builtin &row, const typed::Expr &value) {
  const Type *type = value.type;
  const bool isTuple = type->isUniTuple() && typed::hasStorage(type->items()[0]);
  if (!type->isSeries() && !isTuple && !(type->isArray() && type->ndim() > 0))
    failArgument(row, value, "an array, a tuple of one type, range(), zip() or enumerate()");
}

typed::Expr *BuiltinRules::callEnumerate(const Builtin &row, const Arguments &arguments) {
  typed::Expr *series = arguments.positional[0];
  checkSeries(row, *series);
  typed::Expr *start = nodes.integer(types::intp(), 0, arguments.span);
  if (arguments.positional.size() == 2) {
    start = unwrap(arguments.positional[1]);
    if (!start->type->isInt())
      failArgument(row, *start, "an integer");
    start = convert(start, types::intp());
  }
  const Type *items[] = {series->type, types::intp()};
  return nodes.tuple(types::series(Series::Enumerate, items), {series, start}, arguments.span);
}

typed::Expr *BuiltinRules::callZip(const Builtin &row, const Arguments &arguments) {
  std::vector<const Type *> items;
  for (const typed::Expr *series : arguments.positional) {
    checkSeries(row, *series);
    items.push_back(series->type);
  }
  return nodes.tuple(types::series(Series::Zip, items), arguments.positional, arguments.span);
}

typed::Expr *ValueRules::settledSeries(typed::Expr *series) {
  if (!series->type->isSeries())
    return spill(series);
  Items parts = itemsOf(series);
  for (typed::Expr *&part : parts)
    part = part->type->isSeries() ? settledSeries(part) : part->kind == typed::ExprKind::Const ? part : spill(part);
  return nodes.tuple(series->type, parts, series->span);
}

/// A copy of what settledSeries has made.
static std::span<typed::Expr *const> partsOf(const typed::Expr &series) { return series.as<typed::Tuple>().items; }

typed::Expr *ValueRules::countOf(const typed::Expr &series, SourceSpan span) {
  const Type *type = series.type;
  if (type->isArray())
    return nodes.attribute(clone(&series), typed::ArrayAttribute::Shape, 0, span);
  if (!type->isSeries())
    return nodes.integer(types::intp(), int64_t(type->items().size()), span);
  if (type->is(Series::Elementwise))
    return broadcastExtent(series, 0, axesOf(*series.type), span);
  const auto parts = partsOf(series);
  if (type->is(Series::Enumerate))
    return countOf(*parts[0], span);
  if (type->is(Series::Zip)) {
    typed::Expr *count = nullptr;
    for (const typed::Expr *part : parts) {
      typed::Expr *length = countOf(*part, span);
      count = count ? nodes.operation(Operation::Min, types::intp(), {count, length}, span) : length;
    }
    return count;
  }
  auto operation = [&](Operation op, typed::Expr *left, typed::Expr *right) {
    return nodes.operation(op, types::intp(), {left, right}, span);
  };
  auto part = [&](size_t i) { return convert(clone(parts[i]), types::intp()); };
  typed::Expr *zero = nodes.integer(types::intp(), 0, span);
  if (constantInteger(*parts[2]) == 1)
    return operation(Operation::Max, zero, operation(Operation::Sub, part(1), part(0)));
  // The quotient rounded up, whatever the sign of the step.
  typed::Expr *below = operation(Operation::FloorDiv, operation(Operation::Sub, part(0), part(1)), part(2));
  return operation(Operation::Max, zero, nodes.operation(Operation::Neg, types::intp(), {below}, span));
}

typed::Expr *ValueRules::elementAt(const typed::Expr &series, const typed::Expr &index, SourceSpan span) {
  const Type *type = series.type;
  if (type->isArray())
    return rowView(clone(&series), {clone(&index)}, span);
  if (!type->isSeries())
    return nodes.itemAt(clone(&series), clone(&index), span);
  if (type->is(Series::Elementwise))
    return broadcastElement(series, {const_cast<typed::Expr *>(&index)}, axesOf(*series.type), span);
  const auto parts = partsOf(series);
  if (type->is(Series::Range)) {
    const Type *counter = type->items()[0];
    typed::Expr *offset =
        nodes.operation(Operation::Mul, counter, {convert(clone(&index), counter), clone(parts[2])}, span);
    return nodes.operation(Operation::Add, counter, {clone(parts[0]), offset}, span);
  }
  if (type->is(Series::Enumerate)) {
    typed::Expr *count = nodes.operation(Operation::Add, types::intp(), {clone(&index), clone(parts[1])}, span);
    return makeTuple({count, elementAt(*parts[0], index, span)}, span);
  }
  Items items;
  for (const typed::Expr *part : parts)
    items.push_back(elementAt(*part, index, span));
  return makeTuple(items, span);
}

/// Negative indices count from the end. In range: unchecked, as indices of arrays are.
typed::Expr *ValueRules::rangeItem(typed::Expr *range, typed::Expr *index, SourceSpan span) {
  return inBlock(span, [&] {
    range = settledSeries(range);
    index = materialize(convert(index, types::intp()));
    typed::Expr *isNegative =
        nodes.operation(Operation::Lt, types::boolean(), {clone(index), nodes.integer(types::intp(), 0, span)}, span);
    typed::Expr *fromEnd = nodes.operation(Operation::Add, types::intp(), {clone(index), countOf(*range, span)}, span);
    typed::Expr *place =
        materialize(nodes.operation(Operation::Select, types::intp(), {isNegative, fromEnd, clone(index)}, span));
    return elementAt(*range, *place, span);
  });
}

typed::Expr *ValueRules::isInRange(typed::Expr *range, typed::Expr *value, SourceSpan span) {
  return inBlock(span, [&] {
    value = materialize(convert(value, types::intp()));
    range = settledSeries(range);
    auto part = [&](size_t i) { return convert(clone(partsOf(*range)[i]), types::intp()); };
    auto zero = [&] { return nodes.integer(types::intp(), 0, span); };
    auto operation = [&](Operation op, typed::Expr *left, typed::Expr *right) {
      return nodes.operation(op, types::intp(), {left, right}, span);
    };
    auto both = [&](typed::Expr *left, typed::Expr *right) {
      return nodes.operation(Operation::BitAnd, types::boolean(), {left, right}, span);
    };
    auto holds = [&](Operation op, typed::Expr *left, typed::Expr *right) {
      return nodes.operation(op, types::boolean(), {left, right}, span);
    };
    typed::Expr *up = both(holds(Operation::Ge, clone(value), part(0)), holds(Operation::Lt, clone(value), part(1)));
    typed::Expr *down = both(holds(Operation::Le, clone(value), part(0)), holds(Operation::Gt, clone(value), part(1)));
    typed::Expr *isUp = holds(Operation::Gt, part(2), zero());
    typed::Expr *isInside = nodes.operation(Operation::Select, types::boolean(), {isUp, up, down}, span);
    typed::Expr *rest = operation(Operation::Mod, operation(Operation::Sub, clone(value), part(0)), part(2));
    return both(isInside, holds(Operation::Eq, rest, zero()));
  });
}

} // namespace treadle
