// RangeWalk: one walk over one function that finds what its integer expressions can be.
#pragma once

#include "passes/interval.h"
#include "passes/loop_slots.h"
#include "passes/ranges.h"

#include <unordered_map>
#include <vector>

namespace treadle {

/// What calls pass to each function: the leaves of its parameters, joined over all calls.
using ParameterRanges = std::unordered_map<const TypedFunction *, std::vector<typed::Interval>>;

/// How many integers a value of that type is followed as: tuples as their items, anything else as one.
unsigned rangeLeaves(const Type *type);

/// Walks forwards, once, with the values of all slots at the point where it stands. The two arms of a branch are walked
/// from the same values, which a trail of changes brings back. A loop is walked under a guess of what its slots can be
/// at its head; where an assignment in it breaks the guess it is walked again under a wider one, as long as that keeps
/// the whole linear.
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
  /// What the slot of a range loop can be at the start of an iteration; empty when there is none.
  Interval counterValues(const typed::Range &statement);

  /// What a loop's slot can be: before the loop, at its head, and all that the loop around assigned to it so far.
  struct Guess {
    uint32_t leaf;
    Interval entry, values, outerAssigned;
  };
  std::vector<Guess> guess(const LoopSlots &loop);
  /// Walks `iteration` under guesses that hold, and leaves each assigned slot with all it had at the loop's head.
  template <typename Iteration> void walkLoop(const LoopSlots &loop, Iteration iteration);
  bool widen(std::vector<Guess> &guesses, unsigned round) const;
  /// What comes after a loop: `finish` where it ends by itself, joined with where it breaks.
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
  /// Ends what began at `mark`: its changes are taken back and returned.
  Arm takeBack(size_t mark);
  void merge(const Arm &first, const Arm &second);
  void narrowLeaf(uint32_t leaf, Interval values);

  // range_guard.cpp: what a test says about the slots in it
  /// Evaluates the test and goes both ways from it.
  template <typename Then, typename Otherwise> void branch(const typed::Expr &test, Then then, Otherwise otherwise);
  /// Evaluates the test and goes on where it has that outcome.
  void enter(const typed::Expr &test, bool outcome);
  void enterInside(const typed::Expr &test, bool outcome);
  /// Narrows slots for a test that was evaluated just before.
  void assume(const typed::Expr &test, bool outcome);
  void assumeChoice(const typed::Conditional &choice, bool outcome);
  void assumeComparison(const typed::OperationExpr &test, bool outcome);
  void narrow(const typed::Expr &expression, Interval values);
  void narrowOperands(const typed::OperationExpr &sum, Interval values);
  Interval now(const typed::Expr &expression) const;
  /// What is left of the expression without conversions that keep every value it can have.
  const typed::Expr &withoutConversions(const typed::Expr &expression) const;
  /// The leaf that a read of a slot, or of an item of one, stands for; noLeaf for other expressions.
  uint32_t leafOf(const typed::Expr &expression) const;

  // range_values.cpp: values of expressions. Each pushes rangeLeaves(type) intervals on `stack`.
  void push(const typed::Expr &expression);
  Interval evaluate(const typed::Expr &expression);
  void evaluateAll(std::span<typed::Expr *const> expressions);
  void evaluateIndexed(const typed::Indexed &at);
  void pushConditional(const typed::Conditional &expression);
  void pushCall(const typed::Call &call);
  void pushView(const typed::View &view);
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
  RangeTable &table;
  ParameterRanges &parameters;
  Outline outline;
  size_t visitsLeft; ///< before loops get no second try, and tests no second look

  std::vector<uint32_t> firstLeaf; ///< per slot
  std::vector<Interval> bounds;    ///< per leaf: all that its type can hold
  std::vector<Interval> values;    ///< per leaf
  /// Per leaf: all that was assigned to it since the innermost loop's iteration began.
  std::vector<Interval> assigned;
  /// Per leaf: a number that changes whenever the leaf may have got another value.
  std::vector<uint64_t> version;
  /// Per leaf: the leaf it was copied from, which is still equal to it while both have these versions.
  struct Copy {
    uint32_t source = noLeaf;
    uint64_t sourceVersion = 0, ownVersion = 0;
  };
  std::vector<Copy> copies;
  uint64_t versions = 0;
  std::vector<Change> trail;
  std::vector<Interval> stack;
  bool isAlive = true; ///< whether any thread gets here
};

template <typename Then, typename Otherwise>
void RangeWalk::branch(const typed::Expr &test, Then then, Otherwise otherwise) {
  bool wasAlive = isAlive;
  // A test with statements in it is evaluated once for each outcome, so that what they assign is known on each way.
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
