// Flow: SSA-like def-use information for names, without dead branches.
#pragma once

#include "infer/flow/scope.h"
#include "syntax/syntax.h"
#include "typed/typed.h"

#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace treadle {

using NodeId = uint32_t;
/// No node: of FlowNode, not pinned, not yet united; of FlowAssignment, no single definition.
constexpr NodeId noNode = ~NodeId(0);

/// A definition of a name, or a join (phi) of several. No two nodes of one name are ever live at the same time, so
/// every slot that a node reads may be written as soon as the definition runs.
struct FlowNode {
  /// Unset: the value at entry of a name that is not a parameter. Parameter: of a parameter or a captured name.
  enum class Kind : uint8_t { Unset, Parameter, Assigned, Join };
  Kind kind;
  uint32_t name; ///< id in the Scope
  SourceSpan span;
  uint32_t order;               ///< number of preceding assignments in the source
  std::vector<NodeId> operands; ///< Join: including operands that are unset on some path
  /// cuda-python: this definition is in a loop and keeps the type of that node, which precedes the loop.
  NodeId pinnedTo = noNode;
  bool isRead = false;   ///< directly, or by a join that is read
  bool isNeeded = false; ///< read at run time: not only by consteval(...)
  bool isUsed = false;   ///< directly; for a root, once there are slots: any of the nodes that it represents
  /// `name = source`, for the pruning of branches; or a nested item of the tuple `source`.
  const syntax::Expr *source = nullptr;
  std::vector<uint32_t> path = {};

  // Results of the solver.
  const Type *type = nullptr;
  /// The value, if this is the only definition and its value is a compile-time constant.
  typed::Expr *constant = nullptr;
  bool isVariable = false;       ///< had two different values, or a non-constant one
  std::vector<uint32_t> readers; ///< assignments to re-evaluate when `type` changes
  std::vector<NodeId> joins;     ///< joins with this as an operand
  unsigned changes = 0;

  // Decisions of the slot maker.
  NodeId root = noNode;        ///< represents all nodes of one type that meet
  typed::Slot *slot = nullptr; ///< shared by all of them; nullptr if none is used directly
  std::vector<NodeId> copies;  ///< of the root: joins of another type, to be written whenever this one is

  /// Whether the name has its source's type, not the one from before a loop.
  bool isKept() const { return kind == Kind::Assigned && source && pinnedTo == noNode; }
};

/// An assignment to names, as evaluated by the solver.
struct FlowAssignment {
  enum class Kind : uint8_t {
    Value,     ///< target = source
    Element,   ///< for target in source
    Augmented, ///< name op= source
    Function,  ///< def
    Return,
  };
  Kind kind;
  const syntax::Expr *source = nullptr;
  const syntax::Expr *target = nullptr; ///< nullptr: the targets of the statement, which is an Assign
  const syntax::Stmt *statement = nullptr;
  NodeId node = noNode; ///< Augmented, Function, Return: the defined node
};

/// The result of a branch's test, if it is known before typing; nullopt if the test must run.
using Decide = std::function<std::optional<bool>(const syntax::Expr &)>;

/// The result of walking one function, keyed by nodes of the syntax tree.
struct Flow {
  std::vector<FlowNode> nodes;
  std::vector<FlowAssignment> assignments;        ///< in source order
  std::unordered_map<const void *, NodeId> reads; ///< syntax::Name -> the node that it reads
  std::unordered_map<const void *, NodeId>
      writes; ///< syntax::Name as target, FunctionDef, Return -> the node that it defines
  /// At a name that may be a nested function, or at a lambda: the node of each captured name there.
  using Captures = std::vector<std::pair<std::string_view, NodeId>>;
  std::unordered_map<const void *, Captures> captures;
  std::unordered_map<const syntax::Stmt *, bool> decided; ///< If and While whose test is known
  std::unordered_set<const syntax::Stmt *> unreachable;   ///< the first unreachable statement of a body
  NodeId result = noNode;                                 ///< the join of all returns
  bool fallsThrough = true;                               ///< the end of the body is reachable

  bool isUnset(NodeId node) const;
  /// FlowNode::root, followed to the end of the chain.
  NodeId rootOf(NodeId node);
  /// Whether the statement that assigns the target is reachable.
  bool isReached(const syntax::Expr &target) const;
  /// A list display, or a variable that was bound to one.
  bool isList(const syntax::Expr &expression) const;
  /// Whether the first argument is a list.
  bool isOfList(const syntax::Call &call) const { return !call.arguments.empty() && isList(*call.arguments[0]); }
  /// Whether it is assigned in two places, or by each iteration of a loop.
  bool mayChange(uint32_t name) const;
  /// The variable has one value whenever it is read between two evaluations of its definition.
  bool isBoundOnce(const typed::Slot &slot) const;
};

} // namespace treadle
