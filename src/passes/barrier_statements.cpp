// barrier_statements: copies the tree, with slots of their own for every call.
#include "passes/barrier_statements.h"

#include "passes/liveness.h"
#include "passes/tree_copy.h"
#include "passes/tree_walk.h"
#include "typed/walk.h"

namespace treadle {

using namespace typed;

namespace {

/// A break or continue of the loop around `body`, or one of a loop outside of that.
bool leavesLoop(Body body) {
  bool found = false;
  for (const Stmt *statement : body) {
    found |= statement->kind == StmtKind::Break || statement->kind == StmtKind::Continue;
    if (statement->kind == StmtKind::If)
      found |= leavesLoop(statement->as<If>().then) || leavesLoop(statement->as<If>().otherwise);
    if (statement->kind == StmtKind::While)
      found |= leavesLoop(statement->as<While>().otherwise);
    if (statement->kind == StmtKind::Range)
      found |= leavesLoop(statement->as<Range>().otherwise);
  }
  return found;
}

bool hasReturn(Body body) {
  bool found = false;
  TreeVisitor visitor{[](const Expr &) { return true; },
                      [&](const Stmt &node) {
                        found |= node.kind == StmtKind::Return;
                        return !found;
                      }};
  visitor.walk(body);
  return found;
}

/// The body without a return at its end.
Body withoutLastReturn(Body body) {
  const bool returnsLast = !body.empty() && body.back()->kind == StmtKind::Return;
  return returnsLast ? body.first(body.size() - 1) : body;
}

/// A statement that evaluates an expression with a barrier itself.
bool evaluatesBarrier(const Stmt &statement) {
  bool found = false;
  forEachExpression(statement, [&](const Expr &expression) { found |= containsBarrier(expression); });
  return found;
}

class BarrierCopy final : public TreeCopy {
public:
  using TreeCopy::TreeCopy;

private:
  using Statements = std::vector<Stmt *>;

  void copyInto(Statements &statements, const Stmt &statement) override {
    if (!evaluatesBarrier(statement)) {
      statements.push_back(copyOne(statement));
      return;
    }
    if (statement.kind == StmtKind::While)
      return copyWhile(statements, statement.as<While>());
    std::vector<const Expr *> parts;
    forEachPart(statement, [&](const Expr &part) { parts.push_back(&part); }, [](Body) {});
    replaceParts(statements, parts);
    if (statement.kind == StmtKind::Effect && replacements.at(parts[0])->kind != ExprKind::Call)
      return;
    statements.push_back(copyOne(statement));
  }

  /// `while test: body`, with the test's statements at the head of the body.
  void copyWhile(Statements &statements, const While &loop) {
    if (leavesLoop(loop.otherwise)) {
      statements.push_back(copyOne(loop));
      return;
    }
    Statements body;
    Expr *test = flatten(body, *loop.test);
    Expr *ended = nodes.operation(Operation::Not, types::boolean(), {test}, loop.test->span);
    Statements leave;
    for (const Stmt *inner : loop.otherwise)
      copyInto(leave, *inner);
    leave.push_back(out.nodes.make<Stmt>(StmtKind::Break, loop.span));
    body.push_back(nodes.statement<If>(StmtKind::If, loop.span, ended, listOf(leave), Body()));
    for (const Stmt *inner : loop.body)
      copyInto(body, *inner);
    statements.push_back(nodes.statement<While>(StmtKind::While, loop.span, nodes.boolean(true, loop.span),
                                                listOf(body), Body()));
  }

  /// Evaluates the parts in order, up to the last one with a barrier, and remembers their values.
  void replaceParts(Statements &statements, const std::vector<const Expr *> &parts) {
    size_t last = parts.size();
    while (last > 0 && !containsBarrier(*parts[last - 1]))
      --last;
    for (size_t i = 0; i < last; ++i) {
      Expr *value = flatten(statements, *parts[i]);
      replacements[parts[i]] = i + 1 < last ? kept(statements, value) : value;
    }
  }

  /// The value in a form that later statements do not change.
  Expr *kept(Statements &statements, Expr *value) {
    if (value->kind == ExprKind::Const || !hasStorage(value->type))
      return value;
    Slot *slot = newSlot(value->type, value->span);
    statements.push_back(nodes.assign(slot, value, value->span));
    return nodes.read(slot, value->span);
  }

  /// The copy of an expression without barriers; those are in the statements, which come before it.
  Expr *flatten(Statements &statements, const Expr &expression) {
    if (!containsBarrier(expression))
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
    if (expression.kind == ExprKind::Call && expression.as<Call>().callee->hasBarrier)
      return expand(statements, expression.as<Call>());
    return copy(expression);
  }

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

  Expr *expand(Statements &statements, const Call &call) {
    const TypedFunction &callee = *call.callee;
    const Body body = withoutLastReturn(callee.body);
    if (hasReturn(body))
      return kept(statements, copy(call));
    BarrierCopy inner(out, callee, ids);
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      inner.slots[i]->isParameter = false;
      statements.push_back(nodes.assign(inner.slots[i], copy(*call.arguments[i]), call.span));
    }
    for (const Stmt *statement : body)
      inner.copyInto(statements, *statement);
    const Expr *value = body.size() == callee.body.size() ? nullptr : callee.body.back()->as<Return>().value;
    return value ? kept(statements, inner.flatten(statements, *value)) : nodes.unit(call.type, call.span);
  }
};

bool needsCopy(const TypedFunction &kernel) {
  for (const auto &callee : kernel.callees)
    if (callee->hasBarrier)
      return true;
  bool found = false;
  TreeVisitor visitor{[&](const Expr &node) {
                        found |= node.kind == ExprKind::Block && containsBarrier(node);
                        return !found;
                      },
                      [&](const Stmt &) { return !found; }};
  visitor.walk(kernel.body);
  return found;
}

} // namespace

std::unique_ptr<TypedFunction> makeBarriersStatements(const TypedFunction &kernel) {
  if (!kernel.hasBarrier || !needsCopy(kernel))
    return nullptr;
  auto out = std::make_unique<TypedFunction>();
  out->name = kernel.name;
  out->source = kernel.source;
  out->span = kernel.span;
  out->signature = kernel.signature;
  out->rules = kernel.rules;
  out->isKernel = kernel.isKernel;
  out->parameterCount = kernel.parameterCount;
  out->hasBarrier = out->hasSharedMemory = true;
  out->hasGridBarrier = kernel.hasGridBarrier;
  out->hasWarpOps = kernel.hasWarpOps;
  out->writesMemory = kernel.writesMemory;
  TreeCopy::AllocationIds ids;
  out->body = BarrierCopy(*out, kernel, ids).copy(kernel.body);
  out->size = kernel.size;
  return out;
}

} // namespace treadle
