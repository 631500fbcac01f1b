// DoubledStatements: a run of statements that a rule lets stand twice, after a test of values that they do not change.
#pragma once

#include "passes/analyses/liveness.h"
#include "passes/analyses/uses.h"
#include "passes/rewrites/rewriter.h"

#include "llvm/ADT/BitVector.h"

namespace treadle {

struct DoubledStatements {
  typed::Body statements;
  llvm::BitVector defined;  ///< slots assigned before them, on every path
  llvm::BitVector assigned; ///< in them

  /// Does not change in them, and can be computed before them.
  bool isFixed(const typed::Expr &expression) const;
};

/// Whether an integer is the thread's position plus a value that is the same for its neighbours. A guess: a rule that
/// relies on it must test it.
bool isOfThread(const typed::Expr &expression, const Uses &uses);

/// Whether they have at most `budget` nodes, none of which is unique, waits or calls.
bool mayStandTwice(typed::Body statements, unsigned budget);

/// Until the end of a scope, copies of the statements assign to other slots than the originals, where the values are
/// needed neither after them nor by their next run: the two copies may have different shapes.
class OwnSlots {
public:
  OwnSlots(Rewriter &copy, const DoubledStatements &doubled, const LivenessTable &liveness);
  OwnSlots(const OwnSlots &) = delete;
  OwnSlots &operator=(const OwnSlots &) = delete;
  ~OwnSlots() { copy.slots = kept; }

private:
  Rewriter &copy;
  const std::vector<typed::Slot *> kept;
};

} // namespace treadle
