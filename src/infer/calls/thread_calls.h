// ThreadCalls: threads, barriers, warps, atomics, print, and bits.
#pragma once

#include "infer/calls/arguments.h"
#include "infer/values/values.h"

namespace treadle {

class ThreadCalls {
public:
  explicit ThreadCalls(Values &values) : tree(values.tree), access(values.access), operators(values.operators) {}

  /// `cuda.syncthreads()`, `cuda.syncthreads_count(p)`, `cuda.cluster.sync()`, `cg.this_grid().sync()`.
  typed::Expr *callBarrier(const Builtin &row, const Arguments &arguments);
  /// `cuda.popc(x)`, `cuda.clz(x)`, `cuda.ffs(x)`, `cuda.brev(x)`.
  typed::Expr *callBits(const Builtin &row, const Arguments &arguments);
  typed::Expr *callFma(const Builtin &row, const Arguments &arguments);
  typed::Expr *callSelect(const Builtin &row, const Arguments &arguments);
  /// `cuda.shfl_sync(mask, value, lane)` and its like.
  typed::Expr *callShuffle(const Builtin &row, const Arguments &arguments);
  /// `cuda.ballot_sync(mask, p)`, `cuda.match_any_sync(mask, x)`.
  typed::Expr *callVote(const Builtin &row, const Arguments &arguments);
  /// `cuda.syncwarp()`, `cuda.clock()`, `cuda.activemask()`, `cuda.nanosleep(n)`.
  typed::Expr *callHardware(const Builtin &row, const Arguments &arguments);
  typed::Expr *callGridGroup(const Builtin &row, const Arguments &arguments);
  typed::Expr *callThreadNumber(const Builtin &row, const Arguments &arguments);
  typed::Expr *callPeerArray(const Builtin &row, const Arguments &arguments);
  /// `cuda.grid(1)`, `cuda.gridsize(2)`.
  typed::Expr *callGrid(const Builtin &row, const Arguments &arguments);
  typed::Expr *callAtomic(const Builtin &row, const Arguments &arguments);
  typed::Expr *callPrint(const Builtin &row, const Arguments &arguments);

private:
  /// An operation in which lanes meet, or whose result depends on which are active or when it is made.
  typed::Expr *warpOp(WarpOperation op, const Type *type, const Items &operands, SourceSpan span);
  typed::Expr *memberMask(const Builtin &row, typed::Expr *mask);
  typed::Expr *exchanged(typed::Expr *value, SourceSpan span);
  /// The element that an atomic operation changes, after all checks.
  typed::Indexed atomicPlace(const Builtin &row, const Arguments &arguments);

  Tree &tree;
  ArrayAccess &access;
  Operators &operators;
};

} // namespace treadle
