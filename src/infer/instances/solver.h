// Solver: the types of definitions, by a worklist of assignments and joins.
#pragma once

#include "infer/flow/flow.h"
#include "infer/flow/mistake.h"
#include "infer/instances/compilation.h"
#include "types/number_rules.h"

#include <compare>
#include <functional>
#include <map>
#include <vector>

namespace treadle {

/// The protocol of solving. Every assignment is evaluated once in source order, and again whenever the type of
/// something it has read changes, according to FlowNode::readers. Evaluating an assignment gives types to its
/// definitions (`setType`); a new type wakes the readers of the definition, and the joins that it is an operand of.
/// Reading a name without a type throws NotYet: the evaluation ends, and is repeated once there is one. So types depend
/// only on types, and an evaluation may have no other effect. An error may be due to a type that is not final: it
/// counts only if it persists when the worklist is empty.
class Solver {
public:
  /// Thrown through the rules of expressions, which therefore restore what they change by destructors (Scoped).
  struct NotYet {};
  using Evaluate = std::function<void(const FlowAssignment &)>;

  /// All arguments must outlive the solver.
  Solver(Compilation &compilation, const InstanceRequest &request, Flow &flow);

  /// Returns false if solving was abandoned: the flow must be rebuilt.
  bool solve(const Evaluate &evaluateSource);

  // During the evaluation of an assignment:
  void setType(NodeId node, const typed::Expr *value);
  /// The assignment is re-evaluated when this type changes.
  void dependOn(NodeId node);
  void abandon() { isAbandoned = true; }

private:
  /// An assignment to evaluate, or a join to type. Smaller `order` first, which is source order.
  struct WorkItem {
    uint32_t order;
    bool isAssignment;
    uint32_t id;
    auto operator<=>(const WorkItem &) const = default;
  };
  void enqueueAssignment(uint32_t id) { enqueue({id, true, id}); }
  void enqueueJoin(NodeId id) { enqueue({flow.nodes[id].order, false, id}); }
  void enqueue(const WorkItem &item);
  void evaluate(uint32_t assignment, const Evaluate &evaluateSource);
  void typeJoin(NodeId node);
  void changeType(NodeId node, const Type *type);
  void setConstant(NodeId id, const typed::Expr &value);
  void checkJoins();
  [[noreturn]] void failJoin(const FlowNode &join);
  SourceSpan definitionOf(NodeId node, const Type *type) const;
  [[noreturn]] void fail(SourceSpan span, const Mistake &mistake) const;

  Compilation &compilation;
  const Scope &scope;
  const SourceRef &source;
  const NumberRules rules;
  Flow &flow;
  bool isAbandoned = false;
  uint32_t evaluating = 0;                 ///< the current assignment
  std::vector<WorkItem> worklist;          ///< a min-heap
  std::vector<bool> queued;                ///< assignments, then nodes
  std::map<uint32_t, Diagnostic> failures; ///< of assignments, by their last evaluation
};

} // namespace treadle
