// purity: one walk over an expression or a function.
#include "typed/purity.h"

#include "typed/walk.h"

#include <utility>

namespace treadle {

using namespace typed;

namespace {

class Search {
public:
  explicit Search(const TypedFunction *self) : self(self) {}

  Effects run(Roots roots) {
    auto look = [this](const auto &node) {
      note(node);
      return false;
    };
    anyNode(std::move(roots), look, look);
    return found;
  }

private:
  void note(const Expr &expression) {
    found.isOfThread |= expression.type && expression.type->isArray() && expression.type->space() == Space::Local;
    switch (expression.kind) {
    case ExprKind::Operation:
      found.isOfThread |= !isOneForBlock(expression.as<OperationExpr>().op);
      return;
    case ExprKind::Load:
      found.reads = true;
      return;
    case ExprKind::HeapArray:
      found.writes = found.isOfThread = true;
      return;
    case ExprKind::Atomic:
      found.writes = found.reads = found.isOfThread = true;
      return;
    case ExprKind::WarpOp:
      return note(expression.as<WarpOp>().op);
    case ExprKind::Call:
      if (expression.as<Call>().callee != self)
        found |= expression.as<Call>().callee->effects;
      return;
    default:
      return;
    }
  }

  void note(WarpOperation op) {
    switch (op) {
    case WarpOperation::BarrierResult:
      found.reads = true;
      return;
    case WarpOperation::FenceBlock:
    case WarpOperation::FenceDevice:
    case WarpOperation::FenceSystem:
    case WarpOperation::ClusterArrive:
    case WarpOperation::ClusterArriveRelaxed:
    case WarpOperation::Breakpoint:
      found.writes = true;
      return;
    case WarpOperation::Clock:
    case WarpOperation::Clock64:
    case WarpOperation::GlobalTimer:
    case WarpOperation::NanoSleep:
      found.readsClock = found.isOfThread = true;
      return;
    default:
      found.meets = found.isOfThread = true;
      return;
    }
  }

  void note(const Stmt &statement) {
    switch (statement.kind) {
    case StmtKind::Assign:
    case StmtKind::Range:
      found.assigns = true;
      return;
    case StmtKind::Store:
    case StmtKind::Print:
      found.writes = true;
      return;
    case StmtKind::Raise:
    case StmtKind::Assert:
      found.fails = true;
      return;
    case StmtKind::Barrier:
      found.meets = true;
      return;
    default:
      return;
    }
  }

  const TypedFunction *self;
  Effects found;
};

} // namespace

Effects effectsOf(const Expr &expression) { return Search(nullptr).run({{&expression}, {}}); }

Effects effectsOf(Body body) { return Search(nullptr).run({{}, {body}}); }

Effects effectsOf(const TypedFunction &function) {
  Effects found = Search(&function).run({{}, {function.body}});
  found.assigns = false; // it assigns its own variables only
  return found;
}

bool isPure(const Expr &expression) {
  const Effects found = effectsOf(expression);
  return !found.writes && !found.assigns && !found.fails && !found.meets && !found.readsClock;
}

} // namespace treadle
