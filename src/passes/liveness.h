// liveness: which slots are still needed where control flow joins, for generators that make lanes wait there.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"

#include <unordered_map>

namespace treadle {

/// Which slots of one function, by index, may still be read.
struct JoinLiveness {
  llvm::BitVector after;     ///< after the statement (for loops: the target of `break`)
  llvm::BitVector otherwise; ///< If: before the else arm; loops: before the else clause
  llvm::BitVector head;      ///< loops: before the test of an iteration, the target of `continue`
};

class LivenessTable {
public:
  /// For an If, While or Range of the function.
  const JoinLiveness &of(const typed::Stmt &statement) const { return joins.at(&statement); }
  /// Slots that some path may read before assigning them.
  const llvm::BitVector &atEntry() const { return entry; }
  /// Before each statement; for functions with barriers, and if requested.
  const llvm::BitVector &before(const typed::Stmt &statement) const { return beforeStatement.at(&statement); }

private:
  friend class LivenessPass;
  llvm::BitVector entry;
  std::unordered_map<const typed::Stmt *, JoinLiveness> joins;
  std::unordered_map<const typed::Stmt *, llvm::BitVector> beforeStatement;
};

/// Needs no other pass. A loop's body is walked twice, including nested loops, so nests are walked up to 2^depth times
/// up to a depth of 8; deeper loops are assumed to need every slot. Parameters are slots as well. `keepsBefore`: fill
/// LivenessTable::before.
LivenessTable findLiveness(const TypedFunction &function, bool keepsBefore = false);

/// Whether it contains a barrier, directly or in a device function that it calls.
bool containsBarrier(const typed::Stmt &statement);
bool containsBarrier(const typed::Expr &expression);

} // namespace treadle
