// liveness: which slots are still needed where control flow joins, for generators that keep lanes waiting there.
#pragma once

#include "typed/typed.h"

#include "llvm/ADT/BitVector.h"

#include <unordered_map>

namespace treadle {

/// Per slot index of one function: may its value still be read.
struct JoinLiveness {
  llvm::BitVector after;     ///< after the statement (for loops: where `break` goes)
  llvm::BitVector otherwise; ///< If: before the else arm; loops: before the else clause
  llvm::BitVector head;      ///< loops: before the test of an iteration, where `continue` goes
};

class LivenessTable {
public:
  /// Of an If, While or Range of the function.
  const JoinLiveness &of(const typed::Stmt &statement) const { return joins.at(&statement); }
  /// Slots that some path may read before it has assigned them.
  const llvm::BitVector &atEntry() const { return entry; }
  /// Before each statement; functions with barriers, and where it is wanted.
  const llvm::BitVector &before(const typed::Stmt &statement) const { return beforeStatement.at(&statement); }

private:
  friend class LivenessPass;
  llvm::BitVector entry;
  std::unordered_map<const typed::Stmt *, JoinLiveness> joins;
  std::unordered_map<const typed::Stmt *, llvm::BitVector> beforeStatement;
};

/// Needs nothing. A loop's body is walked twice, nested loops as well, so deep nests are walked 2^depth times at the
/// most up to a depth of 8; deeper ones are taken as needing every slot. A parameter is a slot as well.
/// `keepsBefore`: LivenessTable::before is wanted.
LivenessTable findLiveness(const TypedFunction &function, bool keepsBefore = false);

/// Contains a barrier, in itself or in a device function it calls.
bool containsBarrier(const typed::Stmt &statement);
bool containsBarrier(const typed::Expr &expression);

} // namespace treadle
