// Inference: one function instance, from its syntax to its typed tree.
#pragma once

#include "infer/statements/statements.h"

namespace treadle {

/// The phases, in order:
/// 1. flow: reaching definitions; branches known to be dead are removed;
/// 2. solve: types of definitions, by a worklist: an assignment is re-evaluated when the type of something it reads
///    changes;
/// 3. slots: definitions that meet with one type share a slot; those that meet with different ones are copied;
/// 4. build: the tree, once, by the same functions that evaluate expressions in phase 2.
/// The effects of expressions on the function differ between phases 2 and 4; Phase has both.
class Inference {
public:
  Inference(Compilation &compilation, const InstanceRequest &request);
  std::shared_ptr<TypedFunction> run();

private:
  class Solving;
  class Building;

  // inference.cpp
  void buildFlow();
  void bindParameters();
  void solve();
  void evaluate(const FlowAssignment &assignment);
  void clearUnset();
  void finish();
  void finishResult();

  // infer_define.cpp
  /// Assigns to the slot of a definition, and to the slots of joins of other types that it reaches.
  void assignNode(NodeId node, typed::Expr *value, SourceSpan span);
  void copyOnwards(NodeId id, typed::Slot *slot, typed::Expr *value, SourceSpan span);
  /// cuda-python: a name keeps its type in a loop. One warning for each such assignment.
  void warnAboutLoss(const FlowNode &node, const typed::Expr &value, SourceSpan span);
  void assignParameters();

  [[noreturn]] void failRecursionThroughBarrier(SourceSpan span) const;
  [[noreturn]] void failRecursionWithHeap(SourceSpan span) const;
  void followMadeArrays();

  // Constructed in this order: each part uses those above.
  Expressions expressions;
  Instance &instance = expressions.instance;
  ExpressionParts &parts = expressions.parts;
  Compilation &compilation = instance.compilation;
  const InstanceRequest &request = instance.request;
  const Scope &scope = instance.scope;
  const SourceRef &source = instance.source;
  TypedFunction &out = *instance.out;
  Flow &flow = instance.flow;
  Tree &tree = instance.tree;
  Aliasing aliasing{{tree, expressions}, flow, out};
  Stores stores{instance, parts, aliasing};
  Solver solver;
  Assignments assignments{expressions, stores};
  Statements statements{expressions, assignments, solver};
  SourceSpan recursion; ///< the first recursive call
};

} // namespace treadle
