// FlowBuilder: one walk over a function's syntax, in execution order.
#pragma once

#include "infer/flow/flow.h"
#include "infer/flow/stack_guard.h"
#include "types/number_rules.h"

namespace treadle {

/// Loops over heterogeneous tuples: a copy of the body for each item, made once.
using UnrolledBodies = std::unordered_map<const syntax::For *, std::vector<const syntax::For *>>;

/// Called before the loop's body is walked; adds copies of it to UnrolledBodies, or leaves that to solving where the
/// items are not known yet.
using Unroll = std::function<void(const syntax::For &)>;

/// Builds the Flow of one function. The value of a name at any point is a node; loops join the values of their back
/// edges at their head.
class FlowBuilder {
public:
  FlowBuilder(const Scope &scope, const SourceRef &source, RuleSet rules, const UnrolledBodies &unrolled);
  /// Fills `flow`. `decide` may read existing nodes, but not their types. `unroll`: called for a loop over
  /// consteval(...), may add it to the unrolled ones.
  void run(Flow &flow, const Decide &decide, const Unroll &unroll);

private:
  struct Change {
    uint32_t name;
    NodeId node;
  };
  /// The names that have changed since an earlier point, with their values.
  using Changes = std::vector<Change>;

  struct Loop {
    size_t start;               ///< length of the log once the heads are set
    std::vector<Changes> exits; ///< at `break`, since the start
    std::vector<Changes> continues;
    std::unordered_map<uint32_t, NodeId> entry; ///< values of the names assigned in it, before the loop
    /// Unrolled: the names' values before it; the nodes of earlier copies are those from `copies` to `copy`.
    std::vector<NodeId> before = {};
    NodeId copies = noNode, copy = noNode;
    std::unordered_map<uint32_t, NodeId> first; ///< the first definitions in it of names that were unset
    bool isUnrolled = false;                    ///< not a loop as far as types are concerned
  };

  // Statements: each leaves `current`, `log` and `reachable` as they are after it.
  void body(syntax::Body statements);
  void statement(const syntax::Stmt &statement);
  void ifStatement(const syntax::If &statement);
  void whileStatement(const syntax::While &statement);
  void forStatement(const syntax::For &statement);
  void unrolledFor(const std::vector<const syntax::For *> &copies, const syntax::For &original);
  void returnStatement(const syntax::Return &statement);
  void assign(const syntax::Assign &statement);
  /// Remembers the expression that a name gets its value from, for FlowNode::source.
  void noteSource(const syntax::Expr &target, const syntax::Expr &source, std::vector<uint32_t> path);
  void augmented(const syntax::AugAssign &statement);
  void functionDef(const syntax::FunctionDef &statement);
  /// Defines the names of a target, in Python's order.
  void bind(const syntax::Expr &target);

  // Expressions: nullptr stands for a part that is not there, as the step of a slice.
  void read(const syntax::Expr *expression);
  void readName(const syntax::Name &name);
  void readConditional(const syntax::Conditional &expression);
  /// Operands after the first may not run.
  void readShortCircuit(const syntax::Expr &expression);
  void readWalrus(const syntax::Walrus &expression);
  /// Of consteval(...): its names are read while compiling only.
  void readByPython(const syntax::Consteval &code);
  /// Notes what the captured names of a nested function are at a place where it may be called or made.
  void captureAt(const void *place, const syntax::Function &function);
  /// Reads the present value of a name, on behalf of all assignments in `readers`.
  NodeId use(uint32_t name);
  std::optional<bool> decide(const syntax::Stmt &place, const syntax::Expr &test);

  NodeId define(uint32_t name, SourceSpan span);
  NodeId addNode(FlowNode::Kind kind, uint32_t name, SourceSpan span);
  /// The join of two paths.
  NodeId meet(uint32_t name, NodeId left, NodeId right);
  /// cuda-python: in a loop a name keeps the type that it had before the outermost loop.
  void pin(NodeId node);
  /// The outermost enclosing loop whose body runs repeatedly; nullptr if there is none.
  Loop *outermostLoop();
  /// The earlier definition of a name that is `node` now, ignoring earlier copies of enclosing unrolled loops: each
  /// copy has separate variables.
  NodeId withoutCopies(uint32_t name, NodeId node) const;
  // A branch costs only what it changes: the log makes it possible to take back the changes of one arm and to list
  // them, where copies of the state would cost the number of names for each branch.
  void set(uint32_t name, NodeId node);
  Changes changesSince(size_t start);
  void revertTo(size_t start);
  /// Joins another path, which has diverged since `start`.
  void merge(size_t start, const Changes &other);
  /// Names assigned in the loop get a join at its head, which closeLoop completes.
  using Heads = std::vector<NodeId>;
  Heads startLoop(const syntax::Stmt &loop, bool hasHeads = true);
  void closeLoop(const Heads &heads);
  void finishLoop(const Changes &exhausted, bool canExhaust, syntax::Body otherwise);
  std::vector<uint32_t> assignedIn(const syntax::Stmt &loop) const;
  /// `readSource` reads the source of `assignment`; whatever it reads makes the solver re-evaluate it.
  template <typename Read> void addAssignment(const FlowAssignment &assignment, Read readSource) {
    readers.push_back(uint32_t(flow->assignments.size()));
    flow->assignments.push_back(assignment);
    readSource();
    readers.pop_back();
  }
  /// Sets the flag of these nodes and of all that joins among them are made of.
  void mark(std::vector<NodeId> work, bool FlowNode::*flag);
  void markReads();

  const Scope &scope;
  const SourceRef &source;
  RuleSet rules;
  const UnrolledBodies &unrolled;
  StackGuard stack;
  Flow *flow = nullptr;
  const Decide *decideTest = nullptr;
  const Unroll *unrollLoop = nullptr;
  std::vector<NodeId> current;  ///< the current node of each name
  std::vector<Change> log;      ///< every change, with the previous node
  std::vector<uint32_t> stamps; ///< per name: the last pass over a list of changes that visited it
  uint32_t stamp = 0;
  bool reachable = true;
  std::vector<Loop> loops;
  bool pins = true;              ///< names bound now keep their types from before the loop, under such rules
  std::vector<uint32_t> readers; ///< the assignments whose sources are being read, outermost first
  std::vector<NodeId> used;
  std::vector<NodeId> needed; ///< `used` except for nodes read only by Python
};

} // namespace treadle
