// DoubledStatements: a run of statements that a rule lets stand twice, after a test of values that they do not change.
#pragma once

#include "passes/analyses/liveness.h"
#include "passes/analyses/uses.h"
#include "passes/rewrites/rewriter.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace treadle {

struct DoubledStatements {
  typed::Body statements;
  llvm::BitVector defined;  ///< slots assigned before them, on every path
  llvm::BitVector assigned; ///< in them

  /// Does not change in them, and can be computed before them.
  bool isFixed(const typed::Expr &expression) const;

  /// The statements twice: all lanes run the first version if `test` holds for all of them, else the second.
  /// `replace`, which sets replacements, is called for the first only.
  typed::Stmt *inTwoVersions(const Rule::Rest &rest, const LivenessTable &liveness, typed::Expr *test,
                             llvm::function_ref<void()> replace) const;
};

/// Whether an integer is the thread's position plus a value that is the same for its neighbours. A guess: a rule that
/// relies on it must test it.
bool isOfThread(const typed::Expr &expression, const Uses &uses);

/// Whether they have at most `budget` nodes, none of which is unique, waits or calls.
bool mayStandTwice(typed::Body statements, unsigned budget);

} // namespace treadle
