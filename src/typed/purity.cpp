// purity: one walk over an expression or a function.
#include "typed/purity.h"

#include "typed/traits.h"
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
    const ExprTraits kind = traits(expression.kind);
    found.reads |= kind.reads;
    found.writes |= kind.writes;
    found.isOfThread |= kind.writes;
    found.isOfThread |= expression.type && expression.type->isArray() && expression.type->space() == Space::Local;
    if (expression.kind == ExprKind::Operation)
      found.isOfThread |= !isOneForBlock(expression.as<OperationExpr>().op);
    if (expression.kind == ExprKind::WarpOp)
      note(rowOf(expression.as<WarpOp>().op).kind);
    if (expression.kind == ExprKind::Call && expression.as<Call>().callee != self)
      found |= expression.as<Call>().callee->effects;
  }

  void note(WarpClass kind) {
    switch (kind) {
    case WarpClass::Result:
      found.reads = true;
      return;
    case WarpClass::Fence:
    case WarpClass::Debug:
      found.writes = true;
      return;
    case WarpClass::Clock:
      found.readsClock = found.isOfThread = true;
      return;
    case WarpClass::Shuffle:
    case WarpClass::Vote:
    case WarpClass::Match:
    case WarpClass::Sync:
    case WarpClass::Query:
      found.meets = found.isOfThread = true;
      return;
    }
  }

  void note(const Stmt &statement) {
    const StmtTraits kind = traits(statement.kind);
    found.assigns |= kind.assigns;
    found.writes |= kind.writes;
    found.fails |= kind.fails;
    found.meets |= kind.waits;
  }

  const TypedFunction *self;
  Effects found;
};

} // namespace

Effects effectsOf(const Expr &expression) { return Search(nullptr).run(expression); }

Effects effectsOf(Body body) { return Search(nullptr).run(body); }

Effects effectsOf(const TypedFunction &function) {
  Effects found = Search(&function).run(function);
  found.assigns = false; // it assigns its own variables only
  return found;
}

bool isPure(const Expr &expression) {
  const Effects found = effectsOf(expression);
  return !found.writes && !found.assigns && !found.fails && !found.meets && !found.readsClock;
}

} // namespace treadle
