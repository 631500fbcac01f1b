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

/// Facts::rows counts the parameters of the kernel, so it says nothing about those of a device function. The budget of
/// visits is what keeps the time linear: each of several nested loops may be walked again for each walk of the one
/// around it. A recursive function has arguments that are not known before it has been walked, so its parameters start
/// as unknown.
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

/// `assigned` collects what loops check their guesses against, `values` what holds from here on.
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

/// A slot that grows by some amount in each iteration would violate one guess after the other, so its upper end starts
/// as the type's. A lower end goes to 0 before it goes to the type's: generators ask whether an index may be negative,
/// and a variable that is counted down from a positive number mostly is not.
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

/// Ends only move outwards, each at most to the bounds of its type, where no assignment can violate it. When the budget
/// is used up all guesses go there at once, since one that holds may depend on one that does not.
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

/// By induction: the guess includes the values before the loop, and a walk under it assigns nothing outside. The walk
/// that shows this is the last one, and its values are those that slots keep. The loop may have no iteration, so that
/// what follows it is reached whatever happens inside.
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

/// Whatever the step, the slot is between start and stop in the direction of the step; a step of 0 has no iteration.
/// Where start and stop admit no iteration for any of their values, the body is never reached.
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

/// The slot has the counter's values at the start of each iteration, even if the body assigns it: the counter is
/// hidden.
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

/// A function is walked once, after all its callers: by then `parameters` has the arguments of every call, joined.
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
