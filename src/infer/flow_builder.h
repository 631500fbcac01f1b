// FlowBuilder: one walk over a function's syntax, in the order in which it runs.
#pragma once

#include "infer/flow.h"
#include "infer/stack_guard.h"
#include "types/number_rules.h"

namespace treadle {

/// For loops over tuples of several types: a copy of the body for each item, made once.
using UnrolledBodies = std::unordered_map<const syntax::For *, std::vector<const syntax::For *>>;

using Unroll = std::function<void(const syntax::For &)>;

/// Builds the Flow of one function. The value of a name at any point is a node; loops meet the values of their
/// back edges at their head.
class FlowBuilder {
public:
  FlowBuilder(const Scope &scope, const SourceRef &source, RuleSet rules, const UnrolledBodies &unrolled);
  /// Fills `flow`. `decide` may read the nodes that exist already, but not their types.
  /// `unroll`: asked of a loop over consteval(...), may add it to the unrolled ones.
  void run(Flow &flow, const Decide &decide, const Unroll &unroll);

private:
  struct Change {
    uint32_t name;
    NodeId node;
  };
  /// The values of those names that have changed since some earlier point.
  using Changes = std::vector<Change>;

  struct Loop {
    size_t start;               ///< length of the log once the heads are set
    std::vector<Changes> exits; ///< at `break`, since the start
    std::vector<Changes> continues;
    std::unordered_map<uint32_t, NodeId> entry; ///< values of the names assigned in it, before the loop
    std::unordered_map<uint32_t, NodeId> first; ///< the first definitions in it of names that were unset
    bool isUnrolled = false;                    ///< no loop as far as types are concerned
  };

  void body(syntax::Body statements);
  void statement(const syntax::Stmt &statement);
  void ifStatement(const syntax::If &statement);
  void whileStatement(const syntax::While &statement);
  void forStatement(const syntax::For &statement);
  void unrolledFor(const std::vector<const syntax::For *> &copies, const syntax::For &original);
  void returnStatement(const syntax::Return &statement);
  void assign(const syntax::Assign &statement);
  void noteSource(const syntax::Expr &target, const syntax::Expr &source, std::vector<uint32_t> path);
  void augmented(const syntax::AugAssign &statement);
  void functionDef(const syntax::FunctionDef &statement);
  void bind(const syntax::Expr &target);

  void read(const syntax::Expr *expression);
  void readName(const syntax::Name &name);
  void readConditional(const syntax::Conditional &expression);
  /// Operands after the first may not run.
  void readShortCircuit(const syntax::Expr &expression);
  void readWalrus(const syntax::Walrus &expression);
  void readByPython(const syntax::Consteval &code);
  void captureAt(const void *place, const syntax::Function &function);
  NodeId use(uint32_t name);
  std::optional<bool> decide(const syntax::Stmt &place, const syntax::Expr &test);

  NodeId define(uint32_t name, SourceSpan span);
  NodeId addNode(FlowNode::Kind kind, uint32_t name, SourceSpan span);
  NodeId meet(uint32_t name, NodeId left, NodeId right);
  void pin(NodeId node);
  void set(uint32_t name, NodeId node);
  Changes changesSince(size_t start);
  void revertTo(size_t start);
  /// Joins a path that differs from this one since `start`.
  void merge(size_t start, const Changes &other);
  /// Names assigned in the loop get a join at its head, which closeLoop completes.
  using Heads = std::vector<NodeId>;
  Heads startLoop(const syntax::Stmt &loop, bool hasHeads = true);
  void closeLoop(const Heads &heads);
  void finishLoop(const Changes &exhausted, bool canExhaust, syntax::Body otherwise);
  std::vector<uint32_t> assignedIn(const syntax::Stmt &loop) const;
  /// The source of `assignment` is read by `readSource`; whatever it reads makes the solver evaluate it again.
  template <typename Read> void addAssignment(const FlowAssignment &assignment, Read readSource) {
    readers.push_back(uint32_t(flow->assignments.size()));
    flow->assignments.push_back(assignment);
    readSource();
    readers.pop_back();
  }
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
  std::vector<NodeId> current;  ///< what each name is at this point
  std::vector<Change> log;      ///< every change, with what the name was before
  std::vector<uint32_t> stamps; ///< per name: the last pass over a list of changes that visited it
  uint32_t stamp = 0;
  bool reachable = true;
  std::vector<Loop> loops;
  std::vector<uint32_t> readers; ///< the assignments whose sources are being read, outermost first
  std::vector<NodeId> used;
  std::vector<NodeId> needed; ///< `used` without what only Python reads
};

} // namespace treadle
