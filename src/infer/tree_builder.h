// TreeBuilder: makes one typed tree: where statements go, values that are needed again, the order of evaluation.
#pragma once

#include "infer/mistake.h"
#include "infer/phase.h"
#include "support/scoped.h"
#include "typed/nodes.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace treadle {

/// The lowest of the layers that Inference consists of. Each is a class of rules that calls its own and those of the
/// layers below, never one above:
///   TreeBuilder      statements and nodes, whatever they mean
///   ValueRules       typed values to a typed value: conversions, operators, comparisons, indices
///   BuiltinRules     calls of what kernels have by name, on typed values
///   ExpressionRules  syntax to a typed value: names, attributes, subscripts, calls
///   Inference        statements, loops, and the phases
class TreeBuilder {
protected:
  using Items = std::vector<typed::Expr *>;

  explicit TreeBuilder(const SourceRef &source)
      : source(source), discardedTree(std::make_unique<Arena>()), nodes(*discardedTree) {}
  ~TreeBuilder() = default;

  // tree_builder.cpp
  /// Everything from here on is made in `tree`.
  void makeIn(Arena &tree) { nodes.moveTo(tree); }
  /// Everything from here on is made in memory that the next call frees. Statements outside of collect() are dropped.
  void makeInDiscarded();
  [[noreturn]] void fail(SourceSpan span, const Mistake &mistake) const;
  [[noreturn]] void failTyping(SourceSpan span, std::string message, std::string remedy = {}) const;
  [[noreturn]] void failUnsupported(SourceSpan span, std::string message, std::string remedy = {}) const;
  void emit(typed::Stmt *statement) { statements->push_back(statement); }
  /// Keeps what the expression does, and drops its value.
  void emitValue(typed::Expr *value, SourceSpan span);
  typed::Slot *newSlot(const Type *type, std::string_view name, SourceSpan span);
  void emitAssign(typed::Slot *slot, typed::Expr *value, SourceSpan span);
  /// A value of that type whose contents do not matter: while solving, only types do.
  typed::Expr *placeholder(const Type *type, SourceSpan span);
  /// The value in a form that can be read again by clone(); a temporary is assigned where it is not simple.
  typed::Expr *materialize(typed::Expr *value);
  /// A new node for the value of a simple expression: no node may stand in two places of a tree.
  typed::Expr *clone(const typed::Expr *simple);
  /// As materialize(), but also a slot that may change before the value is read becomes a temporary.
  typed::Expr *spill(typed::Expr *value);
  /// A constant of the compilation as new nodes.
  typed::Expr *copyConstant(const typed::Expr &constant);
  /// The statements that `make` emits, in front of the value that it returns.
  template <typename Make> typed::Expr *inBlock(SourceSpan span, Make make);
  template <typename Make> typed::Body collect(Make make);

  // infer_order.cpp
  enum class Settled : uint8_t {
    Ordered,  ///< all of them will be evaluated, in whatever order
    Optional, ///< some may be left out, or be evaluated under a condition
  };
  /// Operands in Python's order become operands that may be evaluated as `how` says: those with effects, and what such
  /// effects would change, are assigned to temporaries, from left to right. Nothing happens where there are no effects.
  /// Whatever makes a node that does not evaluate its operands as Python does calls this first.
  void settle(Items &operands, Settled how = Settled::Ordered);
  /// The result, after the effects of other values that are not needed themselves.
  /// Of what is dropped, those that are nullptr are ignored.
  typed::Expr *after(const Items &dropped, typed::Expr *result);
  /// Emits the statements, which Python runs after evaluating the value; where they could change the value, it becomes
  /// a temporary first.
  void emitBehind(typed::Expr *&value, typed::Body statements);

  const SourceRef &source;

private:
  std::unique_ptr<Arena> discardedTree;
  std::vector<typed::Stmt *> discarded;
  std::vector<typed::Stmt *> *statements = &discarded;

protected:
  typed::Nodes nodes;
  /// What was assigned last to a slot of an array or array expression, in the order of the source.
  std::unordered_map<const typed::Slot *, const typed::Expr *> definitions;
  Phase *phase = nullptr; ///< while expressions are evaluated
};

template <typename Make> typed::Body TreeBuilder::collect(Make make) {
  std::vector<typed::Stmt *> own;
  const Scoped inside(statements, &own);
  make();
  return nodes.body(own);
}

template <typename Make> typed::Expr *TreeBuilder::inBlock(SourceSpan span, Make make) {
  std::vector<typed::Stmt *> own;
  const Scoped inside(statements, &own);
  typed::Expr *value = make();
  return nodes.block(own, value, span);
}

} // namespace treadle
