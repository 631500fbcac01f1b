// spin_loops: loops that may wait for what another thread writes.
#pragma once

#include "passes/array_origins.h"
#include "typed/typed.h"

#include <unordered_map>
#include <unordered_set>

namespace treadle {

/// How long a loop runs on before other threads have a turn.
enum class Patience : uint8_t {
  Endless, ///< it ends, or not, whatever others do: they need no turn
  Long,    ///< it may wait: others have a turn once it has run very many rounds
  Short,   ///< all that it does looks like waiting
};

/// A loop may wait where its end hangs on what other threads write. That is decided by what flows into its test and
/// into the conditions of its `break` and `return` statements, by data and by control, and by nothing else:
///
/// - A `while` loop without a bound of its own may wait if any of them comes from an atomic operation, from a load of
///   memory that the launch writes, or from a call of a function that has one of these.
/// - A loop with a bound of its own (a range, or a `while` loop with a counter that all its rounds move towards a fixed
///   stop) ends anyhow. It may wait if one of them comes from one place again and again, or if any condition in it
///   comes from an atomic operation that polls.
/// - One place again and again: an atomic operation or a load whose place no round changes. An atomic operation polls
///   if it is `cas`, `compare_and_swap` or `exch` of such a place, or adds (ors, ...) a constant 0.
///
/// What only looks like waiting costs time. What waits and is not found would never end, so the rule errs to the first;
/// how patient a loop is decides speed only. In a loop with a barrier all threads of the block take part, so it waits
/// for other blocks at most.
class WaitingLoops {
public:
  /// `noOverlap`: different arguments are different memory.
  WaitingLoops(const TypedFunction &kernel, bool noOverlap);

  Patience of(const typed::Stmt &loop) const;
  /// Whether the function, or one that it calls, has a loop in which threads of one block may wait for each other.
  bool mayWaitIn(const TypedFunction &function) const { return waiting.contains(&function); }
  /// Whether there is a loop at all that may wait.
  bool any() const { return !patience.empty(); }
  /// A load that is all a loop waits for: it must be made anew in each round.
  bool isPolled(const typed::Expr &load) const { return polled.contains(&load); }

private:
  void study(const TypedFunction &function);

  const ArrayOrigins origins;
  std::unordered_set<const TypedFunction *> seen, waiting;
  std::unordered_map<const typed::Stmt *, Patience> patience; ///< without the endless ones
  std::unordered_set<const typed::Expr *> polled;
};

} // namespace treadle
