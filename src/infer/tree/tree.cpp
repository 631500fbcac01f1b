// Trees: statements and temporaries, and errors with their positions.
// While solving, nodes serve for their types alone and are freed after each assignment, so that memory does not grow
// with the number of evaluations. While building they live in the function's own arena, as long as the function.
#include "infer/tree/tree.h"

#include "infer/tree/advice.h"
#include "infer/tree/known_text.h"
#include "support/error.h"

#include <fmt/core.h>

namespace treadle {

/// Statements outside of collect() go to the discarded ones in both phases.
void Tree::build(Phase &entered, Arena &memory) {
  entry = &entered;
  moveTo(memory);
}

/// Called between evaluations only: no node may be in use.
void Tree::discard() {
  discarded.clear();
  discardedMemory = std::make_unique<Arena>();
  moveTo(*discardedMemory);
}

void Tree::fail(SourceSpan span, const Mistake &mistake) const { throwMistake(mistake, source, span); }

/// Mistakes without types to show: the message says all.
void Tree::failTyping(SourceSpan span, std::string message, std::string remedy) const {
  fail(span, {.kind = CompileErrorKind::Typing, .message = std::move(message), .remedy = std::move(remedy)});
}

void Tree::failUnsupported(SourceSpan span, std::string message, std::string remedy) const {
  fail(span, {.kind = CompileErrorKind::Unsupported, .message = std::move(message), .remedy = std::move(remedy)});
}

/// For `f()` as a statement, and for operands whose result is known without them. The effects of a value without
/// storage (`print(x) if c else None`) need an If, as a conditional expression would need a value for either side.
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

/// The text is the arguments in Python's notation, with a comma after each, as Statements::literalArguments makes them.
/// Functions of the library show no place: users cannot see their source.
std::string_view Tree::raisedWith(const std::string &message, SourceSpan span) {
  const bool isShown = span.isKnown() && showsPlaces;
  const std::string place = isShown ? fmt::format(", in line {}, column {} of {} ({})", span.line, span.column + 1,
                                                  source->function, source->file)
                                    : "";
  return memory().text(asWritten(message + place) + ",");
}

/// Only kernels with debug check; others drop the statement together with its test.
void Tree::raiseWhere(typed::Expr *test, const std::string &message, SourceSpan span, std::string_view exception) {
  typed::Stmt *raise = statement<typed::Raise>(typed::StmtKind::Raise, span, exception, uint64_t(0), std::string_view(),
                                               raisedWith(message, span));
  emit(statement<typed::If>(typed::StmtKind::If, span, test, body({raise}), typed::Body()));
}

/// The remedy is for the mistake that is likely with such operands: None from a function that returns nothing on some
/// path, a whole array in place of an element, `&` of floats, Python's "%" formats, a function that is not called.
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
              .remedy = remedy});
}

/// The phase decides: slots of solving belong to no function.
typed::Slot *Tree::newSlot(const Type *type, std::string_view name, SourceSpan span) {
  return entry->newSlot(type, name, span);
}

/// Arrays are remembered for aliasing, which asks what an array in a variable is a view of. In source order, as
/// variables that are bound once have only one such value.
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

/// Simple values are read again without a temporary, which would cost a slot and a copy on both devices.
typed::Expr *Tree::materialize(typed::Expr *value) { return typed::isSimple(*value) ? value : spill(value); }

/// A value without storage is determined by its type: its effects happen here, and only a node without any is left.
typed::Expr *Tree::spill(typed::Expr *value) {
  if (!typed::hasStorage(value->type)) {
    emitValue(value, value->span);
    return unit(value->type, value->span);
  }
  typed::Slot *slot = newSlot(value->type, "", value->span);
  emitAssign(slot, value, value->span);
  return read(slot, value->span);
}

/// Trees, not graphs: the verifier refuses a node that stands in two places.
typed::Expr *Tree::clone(const typed::Expr *simple) {
  TREADLE_CHECK(typed::isSimple(*simple) || typed::isConstant(*simple));
  if (simple->kind == typed::ExprKind::Tuple)
    return copyConstant(*simple);
  if (simple->kind == typed::ExprKind::Slot)
    return read(simple->as<typed::SlotRead>().slot, simple->span);
  return memory().make<typed::Const>(simple->as<typed::Const>());
}

/// Constants belong to the compilation, which ends before the functions do: each tree has copies of its own.
typed::Expr *Tree::copyConstant(const typed::Expr &constant) {
  if (constant.kind != typed::ExprKind::Tuple)
    return clone(&constant);
  Items items;
  for (const typed::Expr *item : constant.as<typed::Tuple>().items)
    items.push_back(copyConstant(*item));
  return tuple(constant.type, items, constant.span);
}

} // namespace treadle
