// Tree: builds one typed tree: insertion of statements, reusable values, the order of evaluation.
#pragma once

#include "infer/flow/mistake.h"
#include "infer/tree/phase.h"
#include "support/scoped.h"
#include "typed/nodes.h"
#include "types/number_rules.h"
#include "types/texts.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace treadle {

/// Operands or parts, each a node that is in no tree yet.
using Items = std::vector<typed::Expr *>;

/// For Tree::settle().
enum class Settled : uint8_t {
  Ordered,  ///< all operands will be evaluated, in any order
  Optional, ///< some may be skipped, or evaluated conditionally
};

/// Nodes of one tree at a time, and the list of statements to which rules append.
/// Two arenas in turn: `discardedMemory` while solving, the function's while building.
class Tree : public typed::Nodes {
public:
  /// `showsPlaces`: exceptions at run time say where they were raised.
  Tree(const SourceRef &source, RuleSet rules, bool showsPlaces)
      : Tree(source, rules, showsPlaces, std::make_unique<Arena>()) {}

  // tree.cpp
  /// Creates further nodes in `memory`, and tells `entered` the effects on the function.
  void build(Phase &entered, Arena &memory);
  /// Creates further nodes in memory that discard() frees. Statements outside of collect() are dropped.
  void solve(Phase &entered) { entry = &entered; }
  void discard();
  /// The phase that solve() or build() has entered; nullptr before.
  Phase *phase() const { return entry; }

  [[noreturn]] void fail(SourceSpan span, const Mistake &mistake) const;
  [[noreturn]] void failTyping(SourceSpan span, std::string message, std::string remedy = {}) const;
  [[noreturn]] void failUnsupported(SourceSpan span, std::string message, std::string remedy = {}) const;
  [[noreturn]] void failOperands(std::string_view op, const typed::Expr &left, const typed::Expr &right,
                                 SourceSpan span) const;
  /// In kernels compiled with debug: an error with a location.
  void raiseWhere(typed::Expr *test, const std::string &message, SourceSpan span,
                  std::string_view exception = "ValueError");
  /// The arguments of an exception with a location.
  std::string_view raisedWith(const std::string &message, SourceSpan span);
  /// Appends to the innermost collect() or inBlock().
  void emit(typed::Stmt *statement) { statements->push_back(statement); }
  /// Keeps the expression's effects, and drops its value.
  void emitValue(typed::Expr *value, SourceSpan span);
  typed::Slot *newSlot(const Type *type, std::string_view name, SourceSpan span);
  void emitAssign(typed::Slot *slot, typed::Expr *value, SourceSpan span);
  /// The last value assigned to a slot of an array or array expression, in source order; nullptr if there is none.
  const typed::Expr *definitionOf(const typed::Slot *slot) const;
  /// An arbitrary value of that type: while solving, only types matter.
  typed::Expr *placeholder(const Type *type, SourceSpan span);
  /// The value in a form that clone() can read again; assigned to a temporary unless it is simple.
  typed::Expr *materialize(typed::Expr *value);
  /// A new node for the value of a simple expression: no node may occur twice in a tree.
  typed::Expr *clone(const typed::Expr *simple);
  /// As materialize(), but a slot that may change before the value is read becomes a temporary, too.
  typed::Expr *spill(typed::Expr *value);
  /// Copies a constant of the compilation to new nodes.
  typed::Expr *copyConstant(const typed::Expr &constant);
  /// A Block of the statements that `make` emits, and the value that it returns.
  template <typename Make> typed::Expr *inBlock(SourceSpan span, Make make);
  template <typename Make> typed::Body collect(Make make);

  // conversions.cpp
  /// Precondition: there is an implicit conversion, by NumberRules::canStore() or unify(). An array can become one of a
  /// less specific layout. Constants are folded.
  typed::Expr *convert(typed::Expr *value, const Type *type);
  /// Fails with that message if there is no implicit conversion.
  typed::Expr *convertFor(typed::Expr *value, const Type *type, std::string_view message, SourceSpan span);
  /// The value of an Optional, which Numba unwraps wherever a value is needed.
  typed::Expr *unwrap(typed::Expr *value);
  /// Fails for tuples of too many values: `t = (t, t)`, repeated, doubles a type that is small itself.
  typed::Expr *makeTuple(const Items &items, SourceSpan span);
  /// Items of a tuple, each to be used once; assigned to temporaries if needed.
  Items itemsOf(typed::Expr *tuple);
  /// Of a display, the effects of the other items remain: `(f(), x)[1]` calls f.
  typed::Expr *itemOf(typed::Expr *tuple, uint32_t index, SourceSpan span);
  /// The codes of a text's characters, each to be used once.
  Items codesOf(typed::Expr *text);
  /// A text converted to another width: zero-padded, or truncated.
  typed::Expr *textIn(typed::Expr *text, const Type *type);

  // evaluation_order.cpp
  /// Turns operands in Python's order into operands that may be evaluated as `how` says: those with effects, and those
  /// that such effects would change, are assigned to temporaries, from left to right. A no-op if there are no effects.
  /// Must be called before making a node that evaluates its operands differently from Python.
  void settle(Items &operands, Settled how = Settled::Ordered);
  /// The result, after the effects of values that are themselves unused. Null pointers in `dropped` are ignored.
  typed::Expr *after(const Items &dropped, typed::Expr *result);
  /// Emits the statements, which Python runs after evaluating the value; if they could change the value, it becomes a
  /// temporary first.
  void emitAfterwards(typed::Expr *&value, typed::Body rest);

  const SourceRef &source;
  const NumberRules rules;

private:
  Tree(const SourceRef &source, RuleSet rules, bool showsPlaces, std::unique_ptr<Arena> memory)
      : Nodes(*memory), source(source), rules(rules), showsPlaces(showsPlaces), discardedMemory(std::move(memory)) {}
  typed::Expr *convertOptional(typed::Expr *value, const Type *type);
  typed::Expr *convertTuple(typed::Expr *value, const Type *type);

  const bool showsPlaces;
  Phase *entry = nullptr;
  std::unique_ptr<Arena> discardedMemory;
  std::vector<typed::Stmt *> discarded;
  std::vector<typed::Stmt *> *statements = &discarded;
  std::unordered_map<const typed::Slot *, const typed::Expr *> definitions;
};

/// What NumberRules need to know: a literal has the type of the other operand where its value fits.
Operand operandOf(const typed::Expr &value);
/// nullopt for a bool, which Python takes for 0 or 1: it is no index and no extent in kernels.
std::optional<int64_t> constantInteger(const typed::Expr &value);

/// Statements that `make` emits go to the new body; nested calls restore the list of the outer one.
template <typename Make> typed::Body Tree::collect(Make make) {
  std::vector<typed::Stmt *> own;
  const Scoped inside(statements, &own);
  make();
  return body(own);
}

template <typename Make> typed::Expr *Tree::inBlock(SourceSpan span, Make make) {
  std::vector<typed::Stmt *> own;
  const Scoped inside(statements, &own);
  typed::Expr *value = make();
  return block(own, value, span);
}

} // namespace treadle
