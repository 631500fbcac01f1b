// RangeWalk: one walk over one function that finds the possible values of its integer expressions.
#pragma once

#include "passes/analyses/loop_slots.h"
#include "passes/analyses/short_rows.h"
#include "passes/ranges/interval.h"
#include "passes/ranges/ranges.h"

#include <unordered_map>
#include <vector>

namespace treadle {

/// The values passed to each function: the leaves of its parameters, joined over all calls.
using ParameterRanges = std::unordered_map<const TypedFunction *, std::vector<typed::Interval>>;

/// The number of integers that represent a value of that type: tuples as their items, anything else as one.
unsigned rangeLeaves(const Type *type);

/// Walks forward, once, tracking the values of all slots at the current point. Both arms of a branch are walked from
/// the same values, which a trail of changes restores. A loop is walked under a guess of the values of its slots at its
/// head; if an assignment violates the guess, the loop is walked again under a wider one, as long as total time stays
/// linear.
class RangeWalk {
public:
  RangeWalk(const TypedFunction &function, const RangeSeeds &seeds, RangeTable &table, ParameterRanges &parameters);
  void run();

private:
  using Interval = typed::Interval;

  // ranges.cpp: statements
  void walk(typed::Body body);
  void walk(const typed::Stmt &statement);
  void walkIf(const typed::If &statement);
  void walkWhile(const typed::While &statement);
  void walkRange(const typed::Range &statement);
  void assign(const typed::Assign &statement);
  /// The values of a range loop's slot at the start of an iteration; empty if there is none.
  Interval counterValues(const typed::Range &statement);

  /// The values of a loop's slot: before the loop, at its head, and all that the enclosing loop has assigned so far.
  struct Guess {
    uint32_t leaf;
    Interval entry, values, outerAssigned;
  };
  std::vector<Guess> guess(const LoopSlots &loop);
  /// Walks `iteration` under guesses that hold; each assigned slot is left with all its values at the loop's head.
  template <typename Iteration> void walkLoop(const LoopSlots &loop, Iteration iteration);
  bool widen(std::vector<Guess> &guesses, unsigned round) const;
  /// The state after a loop: `finish` for its normal end, joined with that at its breaks.
  template <typename Finish> void finishLoop(const LoopSlots &loop, Finish finish);

  // range_state.cpp: the values of slots
  struct Change {
    uint32_t leaf;
    bool isAssignment;
    Interval old;
  };
  struct ArmChange {
    Interval values;
    bool isAssignment;
  };
  struct Arm {
    bool isAlive = true;
    std::unordered_map<uint32_t, ArmChange> changed;
  };
  void set(uint32_t leaf, Interval values, bool isAssignment);
  /// Undoes and returns the changes made since `mark`.
  Arm takeBack(size_t mark);
  void merge(const Arm &first, const Arm &second);
  void narrowLeaf(uint32_t leaf, Interval values);

  // range_guard.cpp: what a test implies for the slots in it
  /// Evaluates the test and continues on both outcomes.
  template <typename Then, typename Otherwise> void branch(const typed::Expr &test, Then then, Otherwise otherwise);
  /// Evaluates the test and continues on the given outcome.
  void enter(const typed::Expr &test, bool outcome);
  void enterInside(const typed::Expr &test, bool outcome);
  /// Narrows slots according to a test that has just been evaluated.
  void assume(const typed::Expr &test, bool outcome);
  void assumeChoice(const typed::Conditional &choice, bool outcome);
  void assumeComparison(const typed::OperationExpr &test, bool outcome);
  void narrow(const typed::Expr &expression, Interval values);
  void narrowOperands(const typed::OperationExpr &sum, Interval values);
  Interval now(const typed::Expr &expression) const;
  /// The expression below conversions that preserve all its possible values.
  const typed::Expr &withoutConversions(const typed::Expr &expression) const;
  /// The leaf that a read of a slot, or of an item of one, refers to; noLeaf for other expressions.
  uint32_t leafOf(const typed::Expr &expression) const;

  // range_values.cpp: values of expressions. Each pushes rangeLeaves(type) intervals on `stack`.
  void push(const typed::Expr &expression);
  Interval evaluate(const typed::Expr &expression);
  void evaluateAll(std::span<typed::Expr *const> expressions);
  void pushConditional(const typed::Conditional &expression);
  void pushCall(const typed::Call &call);
  void pushAttribute(const typed::Attribute &attribute);
  void pushItem(const typed::Item &item);
  void pushUnknown(const Type *type);
  Interval operationValue(const typed::OperationExpr &expression);
  Interval seed(Operation op, const Type *type) const;
  Interval extent() const;
  Interval sizeOf(const Type *array) const;

  static constexpr uint32_t noLeaf = ~uint32_t(0);

  const TypedFunction &function;
  const RangeSeeds &seeds;
  const KnownExtents extents;
  RangeTable &table;
  ParameterRanges &parameters;
  Outline outline;
  size_t visitsLeft; ///< when used up, loops are no longer walked again, nor tests evaluated twice

  std::vector<uint32_t> firstLeaf; ///< per slot
  std::vector<Interval> bounds;    ///< per leaf: all values of its type
  std::vector<Interval> values;    ///< per leaf
  /// Per leaf: all values assigned since the current iteration of the innermost loop began.
  std::vector<Interval> assigned;
  /// Per leaf: a number that changes whenever the leaf's value may have changed.
  std::vector<uint64_t> version;
  /// Per leaf: the leaf it was copied from; both are equal as long as their versions are these.
  struct Copy {
    uint32_t source = noLeaf;
    uint64_t sourceVersion = 0, ownVersion = 0;
  };
  std::vector<Copy> copies;
  uint64_t versions = 0;
  std::vector<Change> trail;
  std::vector<Interval> stack;
  bool isAlive = true; ///< whether any thread can reach this point
};

template <typename Then, typename Otherwise>
void RangeWalk::branch(const typed::Expr &test, Then then, Otherwise otherwise) {
  bool wasAlive = isAlive;
  // A test that contains statements is evaluated once per outcome, so that the values they assign are known on each
  // path.
  bool isTwice = outline.withBlocks.contains(&test) && visitsLeft > 0;
  bool isPlain = !outline.withBlocks.contains(&test);
  if (!isTwice)
    evaluate(test);
  size_t mark = trail.size();
  auto arm = [&](bool outcome, auto &body) {
    if (isTwice)
      enter(test, outcome);
    else if (isPlain)
      assume(test, outcome);
    body();
    Arm changes = takeBack(mark);
    isAlive = wasAlive;
    return changes;
  };
  Arm first = arm(true, then), second = arm(false, otherwise);
  merge(first, second);
}

} // namespace treadle
