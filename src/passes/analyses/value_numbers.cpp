// value_numbers: keys of expressions, and properties derived from their operands.
#include "passes/analyses/value_numbers.h"

#include "support/error.h"

#include <algorithm>
#include <bit>

namespace treadle {

using namespace typed;

using Number = ValueNumbers::Number;

namespace {

/// What distinguishes expressions besides their operands.
/// Without the numbers of the operands, which the caller appends. Types are compared by address: there is one object
/// for each type. Of a view, which of its bounds are given is part of the key, since operands are listed without gaps.
std::vector<uint64_t> keyOf(const Expr &expression) {
  std::vector<uint64_t> key{uint64_t(expression.kind), std::bit_cast<uintptr_t>(expression.type)};
  switch (expression.kind) {
  case ExprKind::Const:
    key.push_back(uint64_t(expression.as<Const>().integer));
    break;
  case ExprKind::Operation:
    key.push_back(uint64_t(expression.as<OperationExpr>().op));
    break;
  case ExprKind::Attribute:
    key.push_back(uint64_t(expression.as<Attribute>().attribute));
    key.push_back(uint64_t(int64_t(expression.as<Attribute>().axis)));
    break;
  case ExprKind::Captured:
    key.push_back(expression.as<Captured>().id);
    break;
  case ExprKind::View: {
    const View &view = expression.as<View>();
    key.push_back(uint64_t(view.view));
    key.push_back(view.field);
    for (const ViewAxis &axis : view.axes)
      key.push_back(uint64_t(axis.kind) << 3 | (axis.start ? 4 : 0) | (axis.stop ? 2 : 0) | (axis.step ? 1 : 0));
    break;
  }
  default:
    failCheck("an expression that has numbers", __FILE__, __LINE__);
  }
  return key;
}

} // namespace

Number ValueNumbers::fresh(Value value) {
  values.push_back(value);
  return Number(values.size() - 1);
}

Number ValueNumbers::of(const Expr &expression, const std::vector<Number> &parts) {
  std::vector<uint64_t> key = keyOf(expression);
  key.insert(key.end(), parts.begin(), parts.end());
  Number &number = known[std::move(key)];
  if (number == 0)
    number = fresh(describe(expression, parts));
  return number;
}

bool ValueNumbers::areUniform(const std::vector<Number> &parts) const {
  return std::ranges::all_of(parts, [&](Number part) { return values[part].place.isUniform(); });
}

/// What is asked of a place is whether the threads of a block differ in it. `n - i` distinguishes them as `i` does, and
/// so does a conversion to 16 bits, as a block has at most 1024 threads on an axis; one to 8 bits does not.
ValueNumbers::Value ValueNumbers::describe(const Expr &expression, const std::vector<Number> &parts) const {
  const ThreadPlace ofParts = areUniform(parts) ? ThreadPlace::uniform() : ThreadPlace::unknown();
  switch (expression.kind) {
  case ExprKind::Const:
    return {ThreadPlace::uniform(), expression.as<Const>().integer};
  case ExprKind::View:
    return describeView(expression.as<View>(), parts);
  case ExprKind::Operation: {
    const Operation op = expression.as<OperationExpr>().op;
    const auto position = positionOf(op);
    if (position && (position->position == Position::Grid || position->position == Position::ThreadIdx))
      return {ThreadPlace::on(position->axis)};
    if (op == Operation::Add || op == Operation::Sub)
      return {values[parts[0]].place.sum(values[parts[1]].place)};
    if (op == Operation::Convert && expression.type->isInt() && expression.type->bits() >= 16)
      return {values[parts[0]].place};
    return {isOneForBlock(op) ? ofParts : ThreadPlace::unknown()};
  }
  case ExprKind::Attribute:
  case ExprKind::Captured:
    return {ofParts};
  default:
    failCheck("an expression that has numbers", __FILE__, __LINE__);
  }
}

ValueNumbers::Value ValueNumbers::describeView(const View &view, const std::vector<Number> &parts) const {
  Value value{placeOfView(view, parts)};
  value.root = values[parts[0]].root;
  value.isField = view.view == ViewKind::Field || values[parts[0]].isField;
  return value;
}

/// `parts` are the array, then the bounds that are given, in the order of the axes. A slice whose bounds differ between
/// threads may let their elements overlap.
ThreadPlace ValueNumbers::placeOfView(const View &view, const std::vector<Number> &parts) const {
  ThreadPlace place = values[parts[0]].place;
  if (view.view == ViewKind::Peer)
    return ThreadPlace::unknown(); // other blocks' threads own these elements
  if (view.view != ViewKind::Axes)
    return areUniform({parts.begin() + 1, parts.end()}) ? place : ThreadPlace::unknown();
  size_t next = 1;
  for (const ViewAxis &axis : view.axes) {
    if (axis.kind == ViewAxis::Kind::NewAxis)
      return ThreadPlace::unknown();
    if (axis.kind == ViewAxis::Kind::Index)
      place = place.indexedBy(values[parts[next++]].place);
    if (axis.kind == ViewAxis::Kind::Slice)
      for (const Expr *bound : {axis.start, axis.stop, axis.step})
        if (bound && !values[parts[next++]].place.isUniform())
          return ThreadPlace::unknown();
  }
  return place;
}

} // namespace treadle
