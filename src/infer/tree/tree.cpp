// Trees: statements and temporaries, and errors with their positions.
#include "infer/tree/tree.h"

#include "infer/tree/advice.h"
#include "infer/tree/known_text.h"
#include "support/error.h"

#include <fmt/core.h>

namespace treadle {

void Tree::build(Phase &entered, Arena &memory) {
  entry = &entered;
  moveTo(memory);
}

void Tree::discard() {
  discarded.clear();
  discardedMemory = std::make_unique<Arena>();
  moveTo(*discardedMemory);
}

void Tree::fail(SourceSpan span, const Mistake &mistake) const { throwMistake(mistake, source, span); }

void Tree::failTyping(SourceSpan span, std::string message, std::string remedy) const {
  fail(span, {.kind = CompileErrorKind::Typing,
              .message = std::move(message),
              .found = {},
              .expected = {},
              .remedy = std::move(remedy)});
}

void Tree::failUnsupported(SourceSpan span, std::string message, std::string remedy) const {
  fail(span, {.kind = CompileErrorKind::Unsupported,
              .message = std::move(message),
              .found = {},
              .expected = {},
              .remedy = std::move(remedy)});
}

void Tree::emitValue(typed::Expr *value, SourceSpan span) {
  using typed::ExprKind;
  if (value->kind == ExprKind::Block) {
    auto &block = value->as<typed::Block>();
    for (typed::Stmt *statement : block.body)
      emit(statement);
    return emitValue(block.value, span);
  }
  if (value->kind == ExprKind::Call || value->kind == ExprKind::Atomic || value->kind == ExprKind::WarpOp)
    return emit(effect(value, span));
  if (value->kind == ExprKind::Tuple) {
    for (typed::Expr *item : value->as<typed::Tuple>().items)
      emitValue(item, span);
    return;
  }
  if (value->kind == ExprKind::Conditional && !typed::hasStorage(value->type)) {
    auto &choice = value->as<typed::Conditional>();
    const typed::Body then = collect([&] { emitValue(choice.then, span); });
    const typed::Body otherwise = collect([&] { emitValue(choice.otherwise, span); });
    return emit(statement<typed::If>(typed::StmtKind::If, span, choice.test, then, otherwise));
  }
  // Allocations and the like have no effects; other expressions may contain calls.
  if (value->kind != ExprKind::Const && value->kind != ExprKind::Slot && value->kind != ExprKind::Allocation &&
      value->kind != ExprKind::Captured && typed::hasStorage(value->type))
    emit(effect(value, span));
}

std::string_view Tree::raisedWith(const std::string &message, SourceSpan span) {
  const bool isShown = span.isKnown() && showsPlaces;
  const std::string place = isShown ? fmt::format(", in line {}, column {} of {} ({})", span.line, span.column + 1,
                                                  source->function, source->file)
                                    : "";
  return memory().text(asWritten(message + place) + ",");
}

void Tree::raiseWhere(typed::Expr *test, const std::string &message, SourceSpan span, std::string_view exception) {
  typed::Stmt *raise = statement<typed::Raise>(typed::StmtKind::Raise, span, exception, uint64_t(0), std::string_view(),
                                               raisedWith(message, span));
  emit(statement<typed::If>(typed::StmtKind::If, span, test, body({raise}), typed::Body()));
}

void Tree::failOperands(std::string_view op, const typed::Expr &left, const typed::Expr &right, SourceSpan span) const {
  const typed::Expr *wrong = left.type->isNumber() ? &right : &left;
  std::string remedy;
  if (wrong->type->isNone())
    remedy = "a function that returns nothing has no value to use: check that it returns one on every path";
  else if (wrong->type->isArray())
    remedy = "index the array: operators work on its elements, one at a time";
  else if (left.type->isNumber() && right.type->isNumber() && (left.type->isFloat() || right.type->isFloat()))
    remedy = "convert to an integer: int(...)";
  else if (left.type->is(TypeKind::String) && op == "%")
    remedy = "give print() the values themselves, print(\"x =\", x), or write an f-string: f\"x = {x}\"";
  else if (remedy = useOfFunction(*left.type); remedy.empty())
    remedy = useOfFunction(*right.type);
  fail(span, {.kind = CompileErrorKind::Typing,
              .message = "the operator " + std::string(op) + " is not defined for these types",
              .found = left.type->name() + " " + std::string(op) + " " + right.type->name(),
              .expected = {},
              .remedy = remedy});
}

typed::Slot *Tree::newSlot(const Type *type, std::string_view name, SourceSpan span) {
  return entry->newSlot(type, name, span);
}

void Tree::emitAssign(typed::Slot *slot, typed::Expr *value, SourceSpan span) {
  if (entry && entry->settles() && (value->type->isArray() || value->type->is(Series::Elementwise)))
    definitions[slot] = value;
  emit(assign(slot, value, span));
}

const typed::Expr *Tree::definitionOf(const typed::Slot *slot) const {
  const auto found = definitions.find(slot);
  return found == definitions.end() ? nullptr : found->second;
}

typed::Expr *Tree::placeholder(const Type *type, SourceSpan span) { return read(newSlot(type, "", span), span); }

typed::Expr *Tree::materialize(typed::Expr *value) { return typed::isSimple(*value) ? value : spill(value); }

typed::Expr *Tree::spill(typed::Expr *value) {
  if (!typed::hasStorage(value->type)) {
    emitValue(value, value->span);
    return unit(value->type, value->span);
  }
  typed::Slot *slot = newSlot(value->type, "", value->span);
  emitAssign(slot, value, value->span);
  return read(slot, value->span);
}

typed::Expr *Tree::clone(const typed::Expr *simple) {
  TREADLE_CHECK(typed::isSimple(*simple) || typed::isConstant(*simple));
  if (simple->kind == typed::ExprKind::Tuple)
    return copyConstant(*simple);
  if (simple->kind == typed::ExprKind::Slot)
    return read(simple->as<typed::SlotRead>().slot, simple->span);
  return memory().make<typed::Const>(simple->as<typed::Const>());
}

typed::Expr *Tree::copyConstant(const typed::Expr &constant) {
  if (constant.kind != typed::ExprKind::Tuple)
    return clone(&constant);
  Items items;
  for (const typed::Expr *item : constant.as<typed::Tuple>().items)
    items.push_back(copyConstant(*item));
  return tuple(constant.type, items, constant.span);
}

} // namespace treadle
