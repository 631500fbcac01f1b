// ThreadCalls: threads, barriers, warps, atomics, print, and bits.
#pragma once

#include "infer/calls/arguments.h"
#include "infer/values/values.h"

namespace treadle {

class ThreadCalls {
public:
  explicit ThreadCalls(Values &values) : tree(values.tree), access(values.access), operators(values.operators) {}

  typed::Expr *callBarrier(const Builtin &row, const Arguments &arguments);
  typed::Expr *callBits(const Builtin &row, const Arguments &arguments);
  typed::Expr *callFma(const Builtin &row, const Arguments &arguments);
  typed::Expr *callSelect(const Builtin &row, const Arguments &arguments);
  typed::Expr *callShuffle(const Builtin &row, const Arguments &arguments);
  typed::Expr *callVote(const Builtin &row, const Arguments &arguments);
  typed::Expr *callHardware(const Builtin &row, const Arguments &arguments);
  typed::Expr *callGridGroup(const Builtin &row, const Arguments &arguments);
  typed::Expr *callThreadNumber(const Builtin &row, const Arguments &arguments);
  typed::Expr *callPeerArray(const Builtin &row, const Arguments &arguments);
  typed::Expr *callGrid(const Builtin &row, const Arguments &arguments);
  typed::Expr *callAtomic(const Builtin &row, const Arguments &arguments);
  typed::Expr *callPrint(const Builtin &row, const Arguments &arguments);

private:
  typed::Expr *warpOp(WarpOperation op, const Type *type, const Items &operands, SourceSpan span);
  typed::Expr *memberMask(const Builtin &row, typed::Expr *mask);
  typed::Expr *exchanged(typed::Expr *value, SourceSpan span);
  typed::Indexed atomicPlace(const Builtin &row, const Arguments &arguments);

  Tree &tree;
  ArrayAccess &access;
  Operators &operators;
};

} // namespace treadle
