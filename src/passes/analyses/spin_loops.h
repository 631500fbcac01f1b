// spin_loops: loops that may wait for another thread's write.
#pragma once

#include "passes/analyses/array_origins.h"
#include "passes/analyses/uses.h"
#include "typed/typed.h"

#include <unordered_map>
#include <unordered_set>

namespace treadle {

/// How long a loop runs before it yields to other threads.
enum class Patience : uint8_t {
  Endless, ///< whether it ends does not depend on other threads, so it never yields
  Long,    ///< may wait: yields after very many iterations
  Short,   ///< all signs of waiting: yields soon
};

/// A loop may wait if its end depends on what other threads write. That is decided only by the data and control flow
/// into its test and into the conditions of its `break` and `return` statements:
///
/// - A `while` loop without its own bound may wait if one of them depends on an atomic operation, on a load from memory
///   that the launch writes, or on a call of a function that has one of these.
/// - A loop with its own bound (a range, or a `while` loop with a counter that every round moves towards a fixed stop)
///   ends in any case. It may wait if one of them depends on a place that is read repeatedly, or if any condition in
///   the loop depends on an atomic operation that polls, or if the bound is a constant that counts attempts and one of
///   them depends on anything that the launch writes.
/// - A place is read repeatedly by an atomic operation or a load whose address is the same in all rounds. An atomic
///   operation polls if it is `cas`, `compare_and_swap` or `exch` on such a place, or adds (ors, ...) a constant 0.
///
/// Taking a loop for a waiting one costs only time, whereas overlooking a waiting loop makes it hang, or, if it has a
/// bound, use up its rounds before others make progress; so the rule errs on the safe side. A loop's patience affects
/// speed only. In a loop with a barrier all threads of the block take part, so it can wait for other blocks only.
class WaitingLoops {
public:
  /// `noOverlap`: different arguments are different memory.
  WaitingLoops(const TypedFunction &kernel, const UsesTable &uses, bool noOverlap);

  Patience of(const typed::Stmt &loop) const;
  /// Whether the function, or one of its callees, has a loop in which threads of one block may wait for each other.
  bool mayWaitIn(const TypedFunction &function) const { return waiting.contains(&function); }
  /// Whether any loop may wait.
  bool any() const { return !patience.empty(); }
  /// Whether the load is all that a loop waits for: it must be repeated in each round.
  bool isPolled(const typed::Expr &load) const { return polled.contains(&load); }

private:
  void study(const TypedFunction &function, const UsesTable &uses);

  const ArrayOrigins origins;
  std::unordered_set<const TypedFunction *> seen, waiting;
  std::unordered_map<const typed::Stmt *, Patience> patience; ///< without the endless loops
  std::unordered_set<const typed::Expr *> polled;
};

} // namespace treadle
