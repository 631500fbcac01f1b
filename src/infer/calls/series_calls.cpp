// Calls of builtins: range(), enumerate(), zip().
#include "infer/calls/series_calls.h"

namespace treadle {

/// Integers: start, stop and step, in the type of the counter.
/// `range(n)`. The type of the counter is Numba's: int32 if all bounds are, else int64, where literals count as int64.
/// A step of 0 that is known only at run time is not found here.
typed::Expr *SeriesCalls::callRange(const Builtin &row, const Arguments &arguments) {
  Items given = arguments.positional;
  const SourceSpan span = arguments.span;
  for (typed::Expr *&bound : given) {
    bound = tree.unwrap(bound);
    if (!bound->type->isInteger()) {
      tree.fail(bound->span, {.kind = CompileErrorKind::Typing,
                              .message = "the bounds of " + std::string(row.key) + "() must be integers",
                              .found = bound->type->name(),
                              .expected = "an integer",
                              .remedy = bound->type->isFloat() ? "convert it: int(...)" : ""});
    }
  }
  auto literal = [&](int64_t value) {
    typed::Const *made = tree.integer(types::int64(), value, span);
    made->isLiteral = true;
    return made;
  };
  typed::Expr *start = given.size() == 1 ? literal(0) : given[0];
  typed::Expr *stop = given.size() == 1 ? given[0] : given[1];
  typed::Expr *step = given.size() == 3 ? given[2] : literal(1);
  if (constantInteger(*step) == 0)
    tree.fail(step->span, {.kind = CompileErrorKind::Value, .message = "the step of range() must not be zero"});
  // An omitted bound does not affect the counter's type.
  const Operand first = given.size() == 1 ? operandOf(*stop) : operandOf(*start);
  const Operand last = given.size() == 3 ? operandOf(*step) : operandOf(*stop);
  const Type *counter = tree.rules.rangeCounter(first, operandOf(*stop), last);
  const Type *items[] = {counter, counter, counter};
  return tree.tuple(types::series(Series::Range, items),
                    {tree.convert(start, counter), tree.convert(stop, counter), tree.convert(step, counter)}, span);
}

/// Items of several types have no common place in a loop body; `for` unrolls such a tuple by itself, but not within
/// zip().
void SeriesCalls::checkSeries(const Builtin &row, const typed::Expr &value) {
  const Type *type = value.type;
  const bool isTuple = type->isUniTuple() && typed::hasStorage(type->items()[0]);
  if (!type->isIterableSeries() && !isTuple && !(type->isArray() && type->ndim() > 0))
    failArgument(tree, row, value, "an array, a tuple of one type, range(), zip() or enumerate()");
}

/// A tuple of what it counts and the first number; loops read it item by item (Sequences::elementAt).
typed::Expr *SeriesCalls::callEnumerate(const Builtin &row, const Arguments &arguments) {
  typed::Expr *series = arguments.positional[0];
  checkSeries(row, *series);
  typed::Expr *start = tree.index(0, arguments.span);
  if (arguments.positional.size() == 2) {
    start = tree.unwrap(arguments.positional[1]);
    if (!start->type->isInt())
      failArgument(tree, row, *start, "an integer");
    start = tree.convert(start, types::intp());
  }
  const Type *items[] = {series->type, types::intp()};
  return tree.tuple(types::series(Series::Enumerate, items), {series, start}, arguments.span);
}

/// The parts are kept as they are: countOf() ends with the shortest.
typed::Expr *SeriesCalls::callZip(const Builtin &row, const Arguments &arguments) {
  std::vector<const Type *> items;
  for (const typed::Expr *series : arguments.positional) {
    checkSeries(row, *series);
    items.push_back(series->type);
  }
  return tree.tuple(types::series(Series::Zip, items), arguments.positional, arguments.span);
}

} // namespace treadle
