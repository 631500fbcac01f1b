// traits: what nodes of each kind do; analyses ask it in place of naming kinds, and the compiler demands its row.
#pragma once

#include "typed/typed.h"

namespace treadle::typed {

/// Of an expression itself, without its parts, its callee and what its own operation adds.
struct ExprTraits {
  bool reads = false;      ///< elements that other code may have written since
  bool writes = false;     ///< elements, or takes memory
  bool makesArray = false; ///< the value is an array whose memory begins here
  bool isVolatile = false; ///< two evaluations with equal parts may differ: by memory, by time, by other threads
  bool isUnique = false;   ///< belongs to its place in the code: passes never duplicate it
};

constexpr ExprTraits traits(ExprKind kind) {
  switch (kind) {
  case ExprKind::Const:
  case ExprKind::Slot:
  case ExprKind::Operation:
  case ExprKind::Conditional:
  case ExprKind::View:
  case ExprKind::Attribute:
  case ExprKind::Tuple:
  case ExprKind::Item:
  case ExprKind::ItemAt:
  case ExprKind::Block:
  case ExprKind::Captured:
    return {};
  case ExprKind::Call:
    return {.isVolatile = true};
  case ExprKind::Load:
    return {.reads = true, .isVolatile = true};
  case ExprKind::Allocation:
    return {.makesArray = true};
  case ExprKind::HeapArray:
    return {.writes = true, .makesArray = true, .isUnique = true};
  case ExprKind::Atomic:
    return {.reads = true, .writes = true, .isVolatile = true};
  case ExprKind::WarpOp:
    return {.isVolatile = true, .isUnique = true};
  }
  return {};
}

/// Of a statement itself, without its expressions and the statements in its bodies.
struct StmtTraits {
  bool assigns = false;    ///< a slot: assignedSlot()
  bool writes = false;     ///< memory, or text
  bool fails = false;      ///< in kernels compiled with debug
  bool waits = false;      ///< for other threads
  bool branches = false;   ///< it has bodies, which may not run
  bool loops = false;      ///< its first body may run more than once
  bool jumps = false;      ///< the next statement does not follow
  bool showsWarps = false; ///< users see from it which threads run together
};

constexpr StmtTraits traits(StmtKind kind) {
  switch (kind) {
  case StmtKind::Assign:
    return {.assigns = true};
  case StmtKind::Store:
    return {.writes = true};
  case StmtKind::Effect:
    return {};
  case StmtKind::If:
    return {.branches = true};
  case StmtKind::While:
    return {.branches = true, .loops = true};
  case StmtKind::Range:
    return {.assigns = true, .branches = true, .loops = true};
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Return:
    return {.jumps = true};
  case StmtKind::Barrier:
    return {.waits = true};
  case StmtKind::Raise: // ends the thread in checked code only
  case StmtKind::Assert:
    return {.fails = true};
  case StmtKind::Print:
    return {.writes = true, .showsWarps = true};
  }
  return {};
}

/// The slot that the statement itself assigns, if it does.
inline Slot *assignedSlot(const Stmt &statement) {
  if (statement.kind == StmtKind::Assign)
    return statement.as<Assign>().slot;
  return statement.kind == StmtKind::Range ? statement.as<Range>().slot : nullptr;
}

/// The slot that the expression reads, if it is that and nothing else.
inline Slot *readSlot(const Expr &expression) {
  return expression.kind == ExprKind::Slot ? expression.as<SlotRead>().slot : nullptr;
}

/// The array that the statement stores to, or the expression changes atomically; null if it does neither.
inline const Expr *changedArray(const Stmt &statement) {
  return statement.kind == StmtKind::Store ? statement.as<Store>().at.array : nullptr;
}
inline const Expr *changedArray(const Expr &expression) {
  return expression.kind == ExprKind::Atomic ? expression.as<Atomic>().at.array : nullptr;
}

} // namespace treadle::typed
