// Iterables: range(), enumerate(), zip(), arrays and tuples; and ranges as values.
#include "infer/values/sequences.h"

namespace treadle {

/// Parts are evaluated once, in order, however often the loop reads them. Constants stay: a known step makes shorter
/// code.
typed::Expr *Sequences::settledSeries(typed::Expr *series) {
  if (series->type->is(Series::Text))
    return characters.keptText(series);
  if (!series->type->isIterableSeries())
    return tree.spill(series);
  Items parts = tree.itemsOf(series);
  for (typed::Expr *&part : parts)
    part = part->kind == typed::ExprKind::Const ? part : settledSeries(part);
  return tree.tuple(series->type, parts, series->span);
}

namespace {

/// A copy of a result of settledSeries.
std::span<typed::Expr *const> partsOf(const typed::Expr &series) { return series.as<typed::Tuple>().items; }

} // namespace

/// The result of `make` for the direction of the steps, which may be known only at run time.
/// Both directions are computed and one is selected: a branch would cost more than a subtraction.
template <typename Make> typed::Expr *Sequences::alongRange(const typed::Expr &range, SourceSpan span, Make make) {
  const typed::Expr &step = *partsOf(range)[2];
  if (!step.type->isSigned())
    return make(true);
  if (const std::optional<int64_t> constant = constantInteger(step))
    return make(*constant > 0);
  typed::Expr *isUp = tree.test(Operation::Gt, {tree.clone(&step), tree.convert(tree.index(0, span), step.type)}, span);
  typed::Expr *up = make(true), *down = make(false);
  return tree.operation(Operation::Select, up->type, {isUp, up, down}, span);
}

/// zip() ends with its shortest part. Of an array, the extent of the first axis; enumerate() has as many as what it
/// counts.
typed::Expr *Sequences::countOf(const typed::Expr &series, SourceSpan span) {
  const Type *type = series.type;
  if (type->isArray())
    return tree.attribute(tree.clone(&series), typed::ArrayAttribute::Shape, 0, span);
  if (type->is(Series::Text))
    return characters.lengthOf(tree.clone(&series), span);
  if (!type->isSeries())
    return tree.index(int64_t(type->items().size()), span);
  if (type->is(Series::Elementwise))
    return broadcastExtent(series, 0, axesOf(*series.type), span);
  const auto parts = partsOf(series);
  if (type->is(Series::Enumerate))
    return countOf(*parts[0], span);
  if (type->is(Series::Zip)) {
    typed::Expr *count = nullptr;
    for (const typed::Expr *part : parts) {
      typed::Expr *length = countOf(*part, span);
      count = count ? tree.operation(Operation::Min, types::intp(), {count, length}, span) : length;
    }
    return count;
  }
  return countOfRange(series, span);
}

/// Whether the steps of a settled range lead from one number towards the other.
/// A range whose start is not before its stop, in the direction of the steps, is empty.
typed::Expr *Sequences::isAhead(const typed::Expr &range, typed::Expr *from, typed::Expr *to, SourceSpan span) {
  return alongRange(range, span, [&](bool isUp) {
    return whole.compareValues(isUp ? CompareOperator::Less : CompareOperator::Greater, tree.clone(from),
                               tree.clone(to), span);
  });
}

/// The distance from one number to the other, in the direction of the steps; up to 2^64, so it is unsigned.
typed::Expr *Sequences::distanceIn(const typed::Expr &range, typed::Expr *from, typed::Expr *to, SourceSpan span) {
  return alongRange(range, span, [&](bool isUp) {
    typed::Expr *first = tree.convert(tree.clone(from), types::uint64()),
                *last = tree.convert(tree.clone(to), types::uint64());
    return tree.operation(Operation::Sub, types::uint64(), {isUp ? last : first, isUp ? first : last}, span);
  });
}

/// The absolute value of the step, unsigned as distances are: the smallest int64 has no positive counterpart.
typed::Expr *Sequences::stepSize(const typed::Expr &range, SourceSpan span) {
  return alongRange(range, span, [&](bool isUp) {
    typed::Expr *step = tree.convert(tree.clone(partsOf(range)[2]), types::uint64());
    return isUp ? step : tree.operation(Operation::Neg, types::uint64(), {step}, span);
  });
}

/// As CPython: (distance - 1) // step + 1, or 0 if the range is empty. With the step 1, the common case, no division.
typed::Expr *Sequences::countOfRange(const typed::Expr &range, SourceSpan span) {
  const auto parts = partsOf(range);
  auto zero = [&] { return tree.index(0, span); };
  auto whole = [&](Operation op, const Type *type, typed::Expr *left, typed::Expr *right) {
    return tree.operation(op, type, {left, right}, span);
  };
  if (constantInteger(*parts[2]) == 1) {
    auto part = [&](size_t i) { return tree.convert(tree.clone(parts[i]), types::intp()); };
    return whole(Operation::Max, types::intp(), zero(), whole(Operation::Sub, types::intp(), part(1), part(0)));
  }
  auto one = [&] { return tree.integer(types::uint64(), 1, span); };
  typed::Expr *last = whole(Operation::Sub, types::uint64(), distanceIn(range, parts[0], parts[1], span), one());
  typed::Expr *steps = whole(Operation::FloorDiv, types::uint64(), last, stepSize(range, span));
  typed::Expr *count = tree.convert(whole(Operation::Add, types::uint64(), steps, one()), types::intp());
  return tree.operation(Operation::Select, types::intp(), {isAhead(range, parts[0], parts[1], span), count, zero()},
                        span);
}

/// The counter of the loop is 0, 1, ...: a range gives start + index * step in its own type, enumerate() a pair, zip()
/// a tuple of the parts' items.
typed::Expr *Sequences::elementAt(const typed::Expr &series, const typed::Expr &index, SourceSpan span) {
  const Type *type = series.type;
  if (type->isArray())
    return access.rowView(tree.clone(&series), {tree.clone(&index)}, span);
  if (type->is(Series::Text))
    return characters.characterAt(series, tree.clone(&index), span);
  if (!type->isSeries())
    return tree.itemAt(tree.clone(&series), tree.clone(&index), span);
  if (type->is(Series::Elementwise))
    return broadcastElement(series, {const_cast<typed::Expr *>(&index)}, axesOf(*series.type), span);
  const auto parts = partsOf(series);
  if (type->is(Series::Range)) {
    const Type *counter = type->items()[0];
    typed::Expr *offset = tree.operation(Operation::Mul, counter,
                                         {tree.convert(tree.clone(&index), counter), tree.clone(parts[2])}, span);
    return tree.operation(Operation::Add, counter, {tree.clone(parts[0]), offset}, span);
  }
  if (type->is(Series::Enumerate)) {
    typed::Expr *count =
        tree.operation(Operation::Add, types::intp(), {tree.clone(&index), tree.clone(parts[1])}, span);
    return tree.makeTuple({count, elementAt(*parts[0], index, span)}, span);
  }
  Items items;
  for (const typed::Expr *part : parts)
    items.push_back(elementAt(*part, index, span));
  return tree.makeTuple(items, span);
}

/// Negative indices count from the end. Precondition: in range, unchecked as with arrays.
/// `range(10)[-1]` is 9. Out of range, debug kernels raise IndexError.
typed::Expr *Sequences::rangeItem(typed::Expr *range, typed::Expr *index, SourceSpan span) {
  return tree.inBlock(span, [&] {
    range = settledSeries(range);
    index = tree.materialize(tree.convert(index, types::intp()));
    typed::Expr *count = tree.materialize(countOf(*range, span));
    auto isNegative = [&](typed::Expr *place) {
      return tree.test(Operation::Lt, {tree.clone(place), tree.index(0, span)}, span);
    };
    typed::Expr *fromEnd = tree.operation(Operation::Add, types::intp(), {tree.clone(index), tree.clone(count)}, span);
    typed::Expr *place = tree.materialize(
        tree.operation(Operation::Select, types::intp(), {isNegative(index), fromEnd, tree.clone(index)}, span));
    typed::Expr *isBeyond = tree.test(Operation::Ge, {tree.clone(place), tree.clone(count)}, span);
    tree.raiseWhere(tree.test(Operation::BitOr, {isNegative(place), isBeyond}, span),
                    "the index lies outside of the range", span, "IndexError");
    return elementAt(*range, *place, span);
  });
}

/// `k in range(a, b, s)`, without a loop: not before a, still before b, and a whole number of steps away, as CPython
/// does.
typed::Expr *Sequences::isInRange(typed::Expr *range, typed::Expr *value, SourceSpan span) {
  return tree.inBlock(span, [&] {
    value = tree.materialize(value);
    range = settledSeries(range);
    const auto parts = partsOf(*range);
    auto both = [&](typed::Expr *left, typed::Expr *right) {
      return tree.test(Operation::BitAnd, {left, right}, span);
    };
    typed::Expr *isBefore = isAhead(*range, value, parts[0], span);
    typed::Expr *isInside = both(tree.test(Operation::Not, {isBefore}, span), isAhead(*range, value, parts[1], span));
    typed::Expr *rest = tree.operation(Operation::Mod, types::uint64(),
                                       {distanceIn(*range, parts[0], value, span), stepSize(*range, span)}, span);
    typed::Expr *isStep = tree.test(Operation::Eq, {rest, tree.integer(types::uint64(), 0, span)}, span);
    return both(isInside, isStep);
  });
}

} // namespace treadle
