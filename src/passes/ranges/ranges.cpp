// The walk over statements that finds ranges, and the order of functions.
#include "passes/ranges/ranges.h"

#include "passes/analyses/tree_walk.h"
#include "passes/ranges/range_walk.h"
#include "typed/traits.h"

#include <algorithm>

namespace treadle {

using namespace typed;
using intervals::contains;
using intervals::join;

Interval RangeTable::of(const Expr &expression) const {
  auto place = found.find(&expression);
  return place == found.end() ? intervals::ofType(expression.type) : place->second;
}

void RangeTable::add(const Expr &expression, Interval values) {
  auto [place, isNew] = found.try_emplace(&expression, values);
  if (!isNew)
    place->second = join(place->second, values);
}

RangeWalk::RangeWalk(const TypedFunction &function, const RangeSeeds &seeds, RangeTable &table,
                     ParameterRanges &parameters)
    : function(function), seeds(seeds), extents(function, function.isKernel ? seeds.facts : Facts{}), table(table),
      parameters(parameters) {
  outline = outlineOf(function);
  visitsLeft = 4 * outline.nodes + 1000;
  for (const Slot *slot : function.slots) {
    firstLeaf.push_back(uint32_t(stack.size()));
    pushUnknown(slot->type);
  }
  bounds.swap(stack);
  values = bounds;
  // A slot that was never assigned has any value, not none.
  if (auto known = parameters.find(&function); known != parameters.end() && !function.isRecursive)
    std::copy(known->second.begin(), known->second.end(), values.begin());
  assigned.assign(values.size(), intervals::empty());
  version.assign(values.size(), 0);
  copies.resize(values.size());
}

void RangeWalk::run() { walk(function.body); }

void RangeWalk::walk(Body body) {
  for (const Stmt *statement : body) {
    if (!isAlive)
      return;
    walk(*statement);
  }
}

void RangeWalk::walk(const Stmt &statement) {
  visitsLeft -= visitsLeft > 0;
  switch (statement.kind) {
  case StmtKind::Assign:
    return assign(statement.as<Assign>());
  case StmtKind::If:
    return walkIf(statement.as<If>());
  case StmtKind::While:
    return walkWhile(statement.as<While>());
  case StmtKind::Range:
    return walkRange(statement.as<Range>());
  case StmtKind::Store:
  case StmtKind::Effect:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Return:
  case StmtKind::Barrier:
  case StmtKind::Raise:
  case StmtKind::Assert:
  case StmtKind::Print:
    forEachExpression(statement, [&](const Expr &part) { evaluate(part); });
    isAlive &= !traits(statement.kind).jumps;
  }
}

void RangeWalk::assign(const Assign &statement) {
  size_t first = stack.size();
  push(*statement.value);
  uint32_t leaf = firstLeaf[statement.slot->index];
  uint32_t source = leafOf(withoutConversions(*statement.value));
  for (uint32_t i = 0; first + i < stack.size(); ++i) {
    Interval newValues = stack[first + i];
    assigned[leaf + i] = join(assigned[leaf + i], newValues);
    set(leaf + i, newValues, true);
    copies[leaf + i] = {};
    if (source != noLeaf && source != leaf)
      copies[leaf + i] = {source + i, version[source + i], version[leaf + i]};
  }
  stack.resize(first);
}

void RangeWalk::walkIf(const If &statement) {
  branch(*statement.test, [&] { walk(statement.then); }, [&] { walk(statement.otherwise); });
}

std::vector<RangeWalk::Guess> RangeWalk::guess(const LoopSlots &loop) {
  std::vector<Guess> guesses;
  for (const LoopSlots::Assigned &slot : loop.slots) {
    uint32_t first = firstLeaf[slot.slot->index];
    uint32_t end = first + rangeLeaves(slot.slot->type);
    for (uint32_t leaf = first; leaf < end; ++leaf) {
      Interval all = bounds[leaf];
      Interval head = visitsLeft == 0 ? all : values[leaf];
      if (slot.mayGrow)
        head.high = all.high;
      if (slot.mayShrink)
        head.low = head.low >= 0 ? 0 : all.low;
      guesses.push_back({leaf, values[leaf], head, assigned[leaf]});
    }
  }
  return guesses;
}

bool RangeWalk::widen(std::vector<Guess> &guesses, unsigned round) const {
  bool holds = true;
  bool hasPatience = visitsLeft > 0 && round < 3;
  for (Guess &guess : guesses) {
    Interval got = assigned[guess.leaf], all = bounds[guess.leaf];
    if (contains(guess.values, got))
      continue;
    holds = false;
    if (got.low < guess.values.low)
      guess.values.low = got.low >= 0 ? 0 : all.low;
    if (got.high > guess.values.high)
      guess.values.high = all.high;
  }
  if (!holds && !hasPatience)
    for (Guess &guess : guesses)
      guess.values = bounds[guess.leaf];
  return holds;
}

template <typename Iteration> void RangeWalk::walkLoop(const LoopSlots &loop, Iteration iteration) {
  std::vector<Guess> guesses = guess(loop);
  size_t mark = trail.size();
  for (unsigned round = 0;; ++round) {
    for (const Guess &guess : guesses) {
      set(guess.leaf, guess.values, true);
      assigned[guess.leaf] = intervals::empty();
    }
    iteration();
    takeBack(mark);
    isAlive = true;
    if (widen(guesses, round))
      break;
  }
  for (const Guess &guess : guesses) {
    set(guess.leaf, join(guess.entry, assigned[guess.leaf]), true);
    assigned[guess.leaf] = join(guess.outerAssigned, assigned[guess.leaf]);
  }
}

void RangeWalk::walkWhile(const While &statement) {
  const LoopSlots &loop = outline.loops.at(&statement);
  walkLoop(loop, [&] {
    enter(*statement.test, true);
    walk(statement.body);
  });
  // The slots now have all their values at the head: evaluate the test again for what its failure implies.
  auto fail = [&] {
    enter(*statement.test, false);
    walk(statement.otherwise);
  };
  finishLoop(loop, fail);
}

template <typename Finish> void RangeWalk::finishLoop(const LoopSlots &loop, Finish finish) {
  size_t mark = trail.size();
  finish();
  if (!loop.hasBreak)
    return;
  // At a `break` a slot has its value at the head or one that the loop assigns; both are covered here.
  Arm end = takeBack(mark);
  merge(end, Arm{});
}

RangeWalk::Interval RangeWalk::counterValues(const Range &statement) {
  Interval start = evaluate(*statement.start), stop = evaluate(*statement.stop), step = evaluate(*statement.step);
  const Type *type = statement.counter;
  bool isBeyondInt64 = type->bits() == 64 && !type->isSigned() && (start.low < 0 || stop.low < 0 || step.low < 0);
  if (isBeyondInt64)
    return intervals::ofType(statement.slot->type);
  Interval found = intervals::empty();
  if (step.high > 0 && start.low < stop.high)
    found = join(found, {start.low, stop.high - 1});
  if (step.low < 0 && stop.low < start.high)
    found = join(found, {stop.low + 1, start.high});
  return intervals::isEmpty(found) ? found : intervals::convert(statement.slot->type, found);
}

void RangeWalk::walkRange(const Range &statement) {
  const LoopSlots &loop = outline.loops.at(&statement);
  Interval counter = counterValues(statement);
  uint32_t leaf = firstLeaf[statement.slot->index];
  walkLoop(loop, [&] {
    if (intervals::isEmpty(counter))
      return;
    assigned[leaf] = join(assigned[leaf], counter);
    set(leaf, counter, true);
    walk(statement.body);
  });
  finishLoop(loop, [&] { walk(statement.otherwise); });
}

namespace {

/// Orders callees after all their callers.
void orderByCalls(const TypedFunction &function, std::unordered_map<const TypedFunction *, bool> &seen,
                  std::vector<const TypedFunction *> &reversed) {
  if (!seen.try_emplace(&function, true).second)
    return;
  for (const auto &callee : function.callees)
    orderByCalls(*callee, seen, reversed);
  reversed.push_back(&function);
}

} // namespace

RangeTable findRanges(const TypedFunction &function, const RangeSeeds &seeds) {
  std::unordered_map<const TypedFunction *, bool> seen;
  std::vector<const TypedFunction *> order;
  orderByCalls(function, seen, order);
  RangeTable table;
  ParameterRanges parameters;
  for (auto place = order.rbegin(); place != order.rend(); ++place)
    RangeWalk(**place, seeds, table, parameters).run();
  return table;
}

} // namespace treadle
