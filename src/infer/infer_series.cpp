// What loops run over: range(), enumerate(), zip(), arrays and tuples; and ranges as values.
#include "infer/builtin_rules.h"

namespace treadle {

/// Integers: start, stop and step, in the type of the counter.
typed::Expr *BuiltinRules::callRange(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  const SourceSpan span = arguments.span;
  for (typed::Expr *&bound : given) {
    bound = unwrap(bound);
    if (!bound->type->isInteger()) {
      fail(bound->span, {.kind = CompileErrorKind::Typing,
                         .message = "the bounds of " + std::string(row.key) + "() must be integers",
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
  if (!type->isIterableSeries() && !isTuple && !(type->isArray() && type->ndim() > 0))
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
  if (series->type->is(Series::Text))
    return keptText(series);
  if (!series->type->isIterableSeries())
    return spill(series);
  Items parts = itemsOf(series);
  for (typed::Expr *&part : parts)
    part = part->kind == typed::ExprKind::Const ? part : settledSeries(part);
  return nodes.tuple(series->type, parts, series->span);
}

/// A copy of what settledSeries has made.
static std::span<typed::Expr *const> partsOf(const typed::Expr &series) { return series.as<typed::Tuple>().items; }

/// What `make` gives for the direction of the steps, which may be known only at run time.
template <typename Make> typed::Expr *ValueRules::alongRange(const typed::Expr &range, SourceSpan span, Make make) {
  const typed::Expr &step = *partsOf(range)[2];
  if (!step.type->isSigned())
    return make(true);
  if (const std::optional<int64_t> constant = constantInteger(step))
    return make(*constant > 0);
  typed::Expr *isUp = nodes.operation(Operation::Gt, types::boolean(),
                                      {clone(&step), convert(nodes.integer(types::intp(), 0, span), step.type)}, span);
  typed::Expr *up = make(true), *down = make(false);
  return nodes.operation(Operation::Select, up->type, {isUp, up, down}, span);
}

typed::Expr *ValueRules::countOf(const typed::Expr &series, SourceSpan span) {
  const Type *type = series.type;
  if (type->isArray())
    return nodes.attribute(clone(&series), typed::ArrayAttribute::Shape, 0, span);
  if (type->is(Series::Text))
    return lengthOf(clone(&series), span);
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
  return countOfRange(series, span);
}

/// Whether the steps of a settled range lead from one number to the other.
typed::Expr *ValueRules::isAhead(const typed::Expr &range, typed::Expr *from, typed::Expr *to, SourceSpan span) {
  return alongRange(range, span, [&](bool isUp) {
    return compareValues(isUp ? CompareOperator::Less : CompareOperator::Greater, clone(from), clone(to), span);
  });
}

/// How far it is from one number to the other, in the direction of the steps; up to 2^64, so it is unsigned.
typed::Expr *ValueRules::distanceIn(const typed::Expr &range, typed::Expr *from, typed::Expr *to, SourceSpan span) {
  return alongRange(range, span, [&](bool isUp) {
    typed::Expr *first = convert(clone(from), types::uint64()), *last = convert(clone(to), types::uint64());
    return nodes.operation(Operation::Sub, types::uint64(), {isUp ? last : first, isUp ? first : last}, span);
  });
}

typed::Expr *ValueRules::stepSize(const typed::Expr &range, SourceSpan span) {
  return alongRange(range, span, [&](bool isUp) {
    typed::Expr *step = convert(clone(partsOf(range)[2]), types::uint64());
    return isUp ? step : nodes.operation(Operation::Neg, types::uint64(), {step}, span);
  });
}

typed::Expr *ValueRules::countOfRange(const typed::Expr &range, SourceSpan span) {
  const auto parts = partsOf(range);
  auto zero = [&] { return nodes.integer(types::intp(), 0, span); };
  auto whole = [&](Operation op, const Type *type, typed::Expr *left, typed::Expr *right) {
    return nodes.operation(op, type, {left, right}, span);
  };
  if (constantInteger(*parts[2]) == 1) {
    auto part = [&](size_t i) { return convert(clone(parts[i]), types::intp()); };
    return whole(Operation::Max, types::intp(), zero(), whole(Operation::Sub, types::intp(), part(1), part(0)));
  }
  auto one = [&] { return nodes.integer(types::uint64(), 1, span); };
  typed::Expr *last = whole(Operation::Sub, types::uint64(), distanceIn(range, parts[0], parts[1], span), one());
  typed::Expr *steps = whole(Operation::FloorDiv, types::uint64(), last, stepSize(range, span));
  typed::Expr *count = convert(whole(Operation::Add, types::uint64(), steps, one()), types::intp());
  return nodes.operation(Operation::Select, types::intp(), {isAhead(range, parts[0], parts[1], span), count, zero()},
                         span);
}

typed::Expr *ValueRules::elementAt(const typed::Expr &series, const typed::Expr &index, SourceSpan span) {
  const Type *type = series.type;
  if (type->isArray())
    return rowView(clone(&series), {clone(&index)}, span);
  if (type->is(Series::Text))
    return characterAt(series, clone(&index), span);
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
    typed::Expr *count = materialize(countOf(*range, span));
    auto isNegative = [&](typed::Expr *place) {
      return nodes.operation(Operation::Lt, types::boolean(), {clone(place), nodes.integer(types::intp(), 0, span)},
                             span);
    };
    typed::Expr *fromEnd = nodes.operation(Operation::Add, types::intp(), {clone(index), clone(count)}, span);
    typed::Expr *place = materialize(
        nodes.operation(Operation::Select, types::intp(), {isNegative(index), fromEnd, clone(index)}, span));
    typed::Expr *isBeyond = nodes.operation(Operation::Ge, types::boolean(), {clone(place), clone(count)}, span);
    raiseWhere(nodes.operation(Operation::BitOr, types::boolean(), {isNegative(place), isBeyond}, span),
               "the index lies outside of the range", span, "IndexError");
    return elementAt(*range, *place, span);
  });
}

typed::Expr *ValueRules::isInRange(typed::Expr *range, typed::Expr *value, SourceSpan span) {
  return inBlock(span, [&] {
    value = materialize(value);
    range = settledSeries(range);
    const auto parts = partsOf(*range);
    auto both = [&](typed::Expr *left, typed::Expr *right) {
      return nodes.operation(Operation::BitAnd, types::boolean(), {left, right}, span);
    };
    typed::Expr *isBefore = isAhead(*range, value, parts[0], span);
    typed::Expr *isInside = both(nodes.operation(Operation::Not, types::boolean(), {isBefore}, span),
                                 isAhead(*range, value, parts[1], span));
    typed::Expr *rest = nodes.operation(Operation::Mod, types::uint64(),
                                        {distanceIn(*range, parts[0], value, span), stepSize(*range, span)}, span);
    typed::Expr *isStep =
        nodes.operation(Operation::Eq, types::boolean(), {rest, nodes.integer(types::uint64(), 0, span)}, span);
    return both(isInside, isStep);
  });
}

} // namespace treadle
