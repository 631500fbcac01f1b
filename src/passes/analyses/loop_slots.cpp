// Finds the slots that each loop assigns, and the expressions that contain statements.
#include "passes/analyses/loop_slots.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"

namespace treadle {

using namespace typed;

namespace {

bool reads(const Expr &expression, const Slot *slot) { return readSlot(withoutConversions(expression)) == slot; }

/// A heuristic by the form of the assignment; a wrong guess costs another walk, never a wrong result.
/// `i = i + step` is taken to grow and `i = i - step` to shrink, whatever the sign of the step is; `i = a + b` may do
/// both. Remainders, minima and the like stay within bounds that a second walk finds.
LoopSlots::Assigned classify(const Assign &statement) {
  const Slot *slot = statement.slot;
  const Expr &value = withoutConversions(*statement.value);
  if (value.kind == ExprKind::Slot || value.kind == ExprKind::Const)
    return {slot, false, false};
  if (value.kind != ExprKind::Operation)
    return {slot, true, true};
  const auto &operation = value.as<OperationExpr>();
  switch (operation.op) {
  case Operation::Add:
    return {slot, true, !reads(*operation.operands[0], slot) && !reads(*operation.operands[1], slot)};
  case Operation::Sub:
    return {slot, !reads(*operation.operands[0], slot), true};
  case Operation::Mul:
  case Operation::Shl:
    return {slot, true, false};
  case Operation::FloorDiv:
  case Operation::Mod:
  case Operation::Shr:
  case Operation::BitAnd:
  case Operation::Min:
  case Operation::Max:
    return {slot, false, false};
  default:
    return {slot, true, true};
  }
}

/// One walk over the function: `open` has the loops around the current node, innermost last.
class Finder {
public:
  Outline found;

  void visitBody(Body body) {
    for (const Stmt *statement : body)
      visit(*statement);
  }

private:
  struct Open {
    LoopSlots *loop;
    std::unordered_map<const Slot *, size_t> places;
  };
  std::vector<Open> open;

  /// Of the innermost loop; when it is left, its slots are passed on to the loop around it, so that no statement is
  /// noted once for each of its loops.
  void note(LoopSlots::Assigned assigned) {
    if (open.empty())
      return;
    Open &innermost = open.back();
    auto [place, isNew] = innermost.places.try_emplace(assigned.slot, innermost.loop->slots.size());
    if (isNew)
      return innermost.loop->slots.push_back(assigned);
    LoopSlots::Assigned &known = innermost.loop->slots[place->second];
    known.mayGrow |= assigned.mayGrow;
    known.mayShrink |= assigned.mayShrink;
  }

  /// Whether it contains statements.
  bool visit(const Expr &expression) {
    ++found.nodes;
    bool hasBlock = expression.kind == ExprKind::Block;
    if (hasBlock)
      visitBody(expression.as<Block>().body);
    forEachOperand(expression, [&](const Expr &operand) { hasBlock |= visit(operand); });
    if (hasBlock)
      found.withBlocks.insert(&expression);
    return hasBlock;
  }

  /// Bounds of a Range and else clauses are outside the loop: they run once, and a `break` in an else clause leaves the
  /// loop around. The test of a While runs in each iteration, and so do the statements in it.
  void visit(const Stmt &statement) {
    ++found.nodes;
    switch (statement.kind) {
    case StmtKind::Assign:
      note(classify(statement.as<Assign>()));
      break;
    case StmtKind::Break:
      open.back().loop->hasBreak = true;
      return;
    case StmtKind::While: {
      const auto &loop = statement.as<While>();
      enter(statement);
      visit(*loop.test);
      visitBody(loop.body);
      leave();
      return visitBody(loop.otherwise);
    }
    case StmtKind::Range: {
      const auto &loop = statement.as<Range>();
      for (const Expr *bound : {loop.start, loop.stop, loop.step})
        visit(*bound);
      enter(statement);
      note({loop.slot, false, false});
      visitBody(loop.body);
      leave();
      return visitBody(loop.otherwise);
    }
    case StmtKind::Store:
    case StmtKind::Effect:
    case StmtKind::If:
    case StmtKind::Continue:
    case StmtKind::Return:
    case StmtKind::Barrier:
    case StmtKind::Raise:
    case StmtKind::Assert:
    case StmtKind::Print:
      break;
    }
    forEachExpression(statement, [&](const Expr &part) { visit(part); });
    forEachBody(statement, [&](Body body) { visitBody(body); });
  }

  void enter(const Stmt &loop) { open.push_back({&found.loops[&loop], {}}); }

  void leave() {
    std::vector<LoopSlots::Assigned> slots = open.back().loop->slots;
    open.pop_back();
    for (LoopSlots::Assigned assigned : slots)
      note(assigned);
  }
};

} // namespace

Outline outlineOf(const TypedFunction &function) {
  Finder finder;
  finder.visitBody(function.body);
  return std::move(finder.found);
}

} // namespace treadle
