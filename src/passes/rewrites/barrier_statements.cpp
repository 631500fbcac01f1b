// barrier_statements: copies the tree, with separate slots for every call.
// `total = x[t] + cuda.syncthreads_count(p)` loads before the barrier: what is evaluated first must be saved before the
// statement that the barrier becomes. Calls are expanded, since a region ends at a barrier and cannot end inside a
// call.
#include "passes/rewrites/barrier_statements.h"

#include "passes/analyses/liveness.h"
#include "passes/analyses/tree_walk.h"
#include "passes/rewrites/tree_copy.h"
#include "typed/loop_exits.h"
#include "typed/purity.h"
#include "typed/walk.h"

#include <map>

namespace treadle {

using namespace typed;

namespace {

/// The body without its final return.
Body withoutLastReturn(Body body) {
  const bool returnsLast = !body.empty() && body.back()->kind == StmtKind::Return;
  return returnsLast ? body.first(body.size() - 1) : body;
}

/// Makes the copies of one kernel and of its callees.
class Rewriting {
public:
  explicit Rewriting(bool alsoWarpOps) : alsoWarpOps(alsoWarpOps) {}

  /// Whether the expression contains something that must become a statement.
  bool mustStand(const Expr &expression) const {
    if (containsBarrier(expression))
      return true;
    return alsoWarpOps &&
           anyNode(expression, [&](const Expr &node) { return node.kind == ExprKind::WarpOp || mustExpand(node); });
  }

  bool mustExpand(const Expr &expression) const {
    if (expression.kind != ExprKind::Call)
      return false;
    const TypedFunction &callee = *expression.as<Call>().callee;
    return callee.hasBarrier || (alsoWarpOps && callee.hasWarpOps);
  }

  bool needsCopy(const TypedFunction &function) const;
  std::shared_ptr<TypedFunction> copyOf(const TypedFunction &function);

private:
  const bool alsoWarpOps;
  std::map<const TypedFunction *, std::shared_ptr<TypedFunction>> copies;
};

/// One activation of a function, in the kernel or in a callee that stays a call.
class BarrierCopy final : public TreeCopy {
public:
  BarrierCopy(TypedFunction &out, const TypedFunction &from, Rewriting &rewriting, uint32_t origin = 0)
      : TreeCopy(out, from, origin), rewriting(rewriting) {}

private:
  /// Whether the statement itself evaluates such an expression.
  bool evaluatesOne(const Stmt &statement) const {
    bool found = false;
    forEachExpression(statement, [&](const Expr &expression) { found |= rewriting.mustStand(expression); });
    return found;
  }

  using Statements = std::vector<Stmt *>;

  /// An effect that has become statements may leave a value that nothing needs.
  void copyInto(Statements &statements, const Stmt &statement) override {
    if (!evaluatesOne(statement)) {
      statements.push_back(copyOne(statement));
      return;
    }
    if (statement.kind == StmtKind::While)
      return copyWhile(statements, statement.as<While>());
    std::vector<const Expr *> parts;
    forEachPart(statement, [&](const Expr &part) { parts.push_back(&part); }, [](Body) {});
    replaceParts(statements, parts);
    const Expr *effect = statement.kind == StmtKind::Effect ? replacements.at(parts[0]) : nullptr;
    if (effect && isPure(*effect))
      return;
    statements.push_back(copyOne(statement));
  }

  /// `while test: body`, with the test's statements at the start of the body.
  /// The else clause moves in front of the `break`, where a jump of its own would leave or repeat the new loop in place
  /// of the enclosing one: such loops stay.
  void copyWhile(Statements &statements, const While &loop) {
    if (loopExits(loop.otherwise).ofLoop()) {
      statements.push_back(copyOne(loop));
      return;
    }
    Statements body;
    Expr *test = flatten(body, *loop.test);
    Expr *ended = nodes.test(Operation::Not, {test}, loop.test->span);
    Statements leave;
    for (const Stmt *inner : loop.otherwise)
      copyInto(leave, *inner);
    leave.push_back(out.nodes.make<Stmt>(StmtKind::Break, loop.span));
    body.push_back(nodes.statement<If>(StmtKind::If, loop.span, ended, listOf(leave), Body()));
    for (const Stmt *inner : loop.body)
      copyInto(body, *inner);
    statements.push_back(
        nodes.statement<While>(StmtKind::While, loop.span, nodes.boolean(true, loop.span), listOf(body), Body()));
  }

  /// Evaluates the parts in order, up to the last one with a barrier, and saves their values in slots.
  /// Parts after the last barrier are still evaluated by the statement itself, after all that now comes before it.
  void replaceParts(Statements &statements, const std::vector<const Expr *> &parts) {
    size_t last = parts.size();
    while (last > 0 && !rewriting.mustStand(*parts[last - 1]))
      --last;
    for (size_t i = 0; i < last; ++i) {
      Expr *value = flatten(statements, *parts[i]);
      replacements[parts[i]] = i + 1 < last ? kept(statements, value) : value;
    }
  }

  /// The value in a form that later statements cannot change.
  Expr *kept(Statements &statements, Expr *value) {
    if (value->kind == ExprKind::Const || !hasStorage(value->type))
      return value;
    Slot *slot = newSlot(value->type, value->span);
    statements.push_back(nodes.assign(slot, value, value->span));
    return nodes.read(slot, value->span);
  }

  /// The copy of an expression without its barriers, which are in `statements`, to run before it.
  Expr *flatten(Statements &statements, const Expr &expression) {
    if (!rewriting.mustStand(expression))
      return copy(expression);
    if (expression.kind == ExprKind::Block) {
      for (const Stmt *inner : expression.as<Block>().body)
        copyInto(statements, *inner);
      return flatten(statements, *expression.as<Block>().value);
    }
    if (expression.kind == ExprKind::Conditional)
      return flattenConditional(statements, expression.as<Conditional>());
    std::vector<const Expr *> parts;
    forEachPart(expression, [&](const Expr &part) { parts.push_back(&part); }, [](Body) {});
    replaceParts(statements, parts);
    if (rewriting.mustExpand(expression))
      return expand(statements, expression.as<Call>());
    return expression.kind == ExprKind::WarpOp ? kept(statements, copy(expression)) : copy(expression);
  }

  /// A barrier in one arm is reached by the threads that take it only, so the choice becomes an `if`.
  Expr *flattenConditional(Statements &statements, const Conditional &choice) {
    Expr *test = flatten(statements, *choice.test);
    Slot *slot = newSlot(choice.type, choice.span);
    auto arm = [&](const Expr &value) {
      Statements own;
      Expr *made = flatten(own, value);
      own.push_back(nodes.assign(slot, made, value.span));
      return listOf(own);
    };
    Body then = arm(*choice.then), otherwise = arm(*choice.otherwise);
    statements.push_back(nodes.statement<If>(StmtKind::If, choice.span, test, then, otherwise));
    return nodes.read(slot, choice.span);
  }

  /// Arguments are assigned to slots of this activation, in order; they are no parameters of the function that they are
  /// now in. An early return would have to jump to the end of the expanded body, for which the tree has no statement.
  Expr *expand(Statements &statements, const Call &call) {
    const TypedFunction &callee = *call.callee;
    const Body body = withoutLastReturn(callee.body);
    if (loopExits(body).byReturn)
      return callCopy(statements, call);
    SourceSpan site = call.span;
    site.origin = origin;
    out.expanded.push_back({callee.source, site, callee.isLibrary});
    BarrierCopy inner(out, callee, rewriting, uint32_t(out.expanded.size()));
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      inner.slots[i]->isParameter = false;
      statements.push_back(nodes.assign(inner.slots[i], copy(*call.arguments[i]), call.span));
    }
    for (const Stmt *statement : body)
      inner.copyInto(statements, *statement);
    const Expr *value = body.size() == callee.body.size() ? nullptr : callee.body.back()->as<Return>().value;
    return value ? kept(statements, inner.flatten(statements, *value)) : nodes.unit(call.type, call.span);
  }

  /// A function with an early return stays a call, of a copy.
  Expr *callCopy(Statements &statements, const Call &call) {
    Expr *made = copy(call);
    std::shared_ptr<TypedFunction> callee = rewriting.copyOf(*call.callee);
    made->as<Call>().callee = callee.get();
    out.callees.push_back(std::move(callee));
    return kept(statements, made);
  }

  Rewriting &rewriting;
};

bool Rewriting::needsCopy(const TypedFunction &function) const {
  return anyNode(function, [&](const Expr &node) {
    return mustExpand(node) || (node.kind == ExprKind::Block && mustStand(node)) ||
           (alsoWarpOps && node.kind == ExprKind::WarpOp);
  });
}

/// Registered before it is filled: a recursive function calls its own copy.
std::shared_ptr<TypedFunction> Rewriting::copyOf(const TypedFunction &function) {
  std::shared_ptr<TypedFunction> &out = copies[&function];
  if (out)
    return out;
  out = std::make_shared<TypedFunction>();
  const std::shared_ptr<TypedFunction> made = out;
  static_cast<FunctionHeader &>(*made) = function;
  made->body = BarrierCopy(*made, function, *this).copy(function.body);
  return made;
}

} // namespace

std::shared_ptr<TypedFunction> makeBarriersStatements(const TypedFunction &kernel, bool alsoWarpOps) {
  Rewriting rewriting(alsoWarpOps);
  return rewriting.needsCopy(kernel) ? rewriting.copyOf(kernel) : nullptr;
}

} // namespace treadle
