// liveness: which slots are live where control flow joins, for generators that make lanes wait there.
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
  /// Before each statement, and after it; for functions with barriers, and if requested.
  const llvm::BitVector &before(const typed::Stmt &statement) const { return statements.at(&statement).before; }
  const llvm::BitVector &after(const typed::Stmt &statement) const { return statements.at(&statement).after; }

private:
  friend class LivenessPass;
  std::unordered_map<const typed::Stmt *, JoinLiveness> joins;
  struct Around {
    llvm::BitVector before, after;
  };
  std::unordered_map<const typed::Stmt *, Around> statements;
};

/// Needs no other pass. The function is walked until no loop has more live slots at its head, so at most once more than
/// the loop nesting depth. Parameters are slots as well. `keepsAll`: for LivenessTable::before and after.
LivenessTable findLiveness(const TypedFunction &function, bool keepsAll = false);

/// Whether it contains a barrier, directly or in a device function that it calls.
bool containsBarrier(const typed::Stmt &statement);
bool containsBarrier(const typed::Expr &expression);

} // namespace treadle
