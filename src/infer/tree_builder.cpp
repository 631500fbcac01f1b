// Trees: statements and temporaries, and errors with their positions.
#include "infer/tree_builder.h"

#include "support/error.h"

namespace treadle {

void TreeBuilder::makeInDiscarded() {
  discarded.clear();
  discardedTree = std::make_unique<Arena>();
  nodes.moveTo(*discardedTree);
}

void TreeBuilder::fail(SourceSpan span, const Mistake &mistake) const { throwMistake(mistake, source, span); }

void TreeBuilder::failTyping(SourceSpan span, std::string message, std::string remedy) const {
  fail(span, {.kind = CompileErrorKind::Typing,
              .message = std::move(message),
              .found = {},
              .expected = {},
              .remedy = std::move(remedy)});
}

void TreeBuilder::failUnsupported(SourceSpan span, std::string message, std::string remedy) const {
  fail(span, {.kind = CompileErrorKind::Unsupported,
              .message = std::move(message),
              .found = {},
              .expected = {},
              .remedy = std::move(remedy)});
}

void TreeBuilder::emitValue(typed::Expr *value, SourceSpan span) {
  using typed::ExprKind;
  if (value->kind == ExprKind::Block) {
    auto &block = value->as<typed::Block>();
    for (typed::Stmt *statement : block.body)
      emit(statement);
    return emitValue(block.value, span);
  }
  if (value->kind == ExprKind::Call || value->kind == ExprKind::Atomic || value->kind == ExprKind::WarpOp)
    return emit(nodes.effect(value, span));
  if (value->kind == ExprKind::Tuple) {
    for (typed::Expr *item : value->as<typed::Tuple>().items)
      emitValue(item, span);
    return;
  }
  if (value->kind == ExprKind::Conditional && !typed::hasStorage(value->type)) {
    auto &choice = value->as<typed::Conditional>();
    const typed::Body then = collect([&] { emitValue(choice.then, span); });
    const typed::Body otherwise = collect([&] { emitValue(choice.otherwise, span); });
    return emit(nodes.statement<typed::If>(typed::StmtKind::If, span, choice.test, then, otherwise));
  }
  // Allocations and the like have no effect by themselves; other expressions may contain calls.
  if (value->kind != ExprKind::Const && value->kind != ExprKind::Slot && value->kind != ExprKind::Allocation &&
      value->kind != ExprKind::Captured && typed::hasStorage(value->type))
    emit(nodes.effect(value, span));
}

typed::Slot *TreeBuilder::newSlot(const Type *type, std::string_view name, SourceSpan span) {
  return phase->newSlot(type, name, span);
}

void TreeBuilder::emitAssign(typed::Slot *slot, typed::Expr *value, SourceSpan span) {
  if (phase && phase->settles() && (value->type->isArray() || value->type->is(Series::Elementwise)))
    definitions[slot] = value;
  emit(nodes.assign(slot, value, span));
}

typed::Expr *TreeBuilder::placeholder(const Type *type, SourceSpan span) {
  return nodes.read(newSlot(type, "", span), span);
}

typed::Expr *TreeBuilder::materialize(typed::Expr *value) { return typed::isSimple(*value) ? value : spill(value); }

typed::Expr *TreeBuilder::spill(typed::Expr *value) {
  if (!typed::hasStorage(value->type)) {
    emitValue(value, value->span);
    return nodes.unit(value->type, value->span);
  }
  typed::Slot *slot = newSlot(value->type, "", value->span);
  emitAssign(slot, value, value->span);
  return nodes.read(slot, value->span);
}

typed::Expr *TreeBuilder::clone(const typed::Expr *simple) {
  TREADLE_CHECK(typed::isSimple(*simple) || typed::isConstant(*simple));
  if (simple->kind == typed::ExprKind::Tuple)
    return copyConstant(*simple);
  if (simple->kind == typed::ExprKind::Slot)
    return nodes.read(simple->as<typed::SlotRead>().slot, simple->span);
  return nodes.memory().make<typed::Const>(simple->as<typed::Const>());
}

typed::Expr *TreeBuilder::copyConstant(const typed::Expr &constant) {
  if (constant.kind != typed::ExprKind::Tuple)
    return clone(&constant);
  Items items;
  for (const typed::Expr *item : constant.as<typed::Tuple>().items)
    items.push_back(copyConstant(*item));
  return nodes.tuple(constant.type, items, constant.span);
}

} // namespace treadle
