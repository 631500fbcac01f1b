// Flow: which definitions of a name reach which of its uses, with dead branches gone.
#pragma once

#include "infer/scope.h"
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
constexpr NodeId noNode = ~NodeId(0);

/// A definition of a name, or the join of several where paths meet (a phi). No two nodes of one name are ever needed at
/// the same time, so every slot that a node reads may be written as soon as the definition runs.
struct FlowNode {
  enum class Kind : uint8_t { Unset, Parameter, Assigned, Join };
  Kind kind;
  uint32_t name; ///< id in the Scope
  SourceSpan span;
  uint32_t order;               ///< number of assignments before it in the source
  std::vector<NodeId> operands; ///< Join: including those that are unset on some path
  /// cuda-python: this definition is in a loop and keeps the type of that node, which was set before the loop.
  NodeId pinnedTo = noNode;
  bool isRead = false;   ///< directly, or by a join that is read
  bool isNeeded = false; ///< read at run time: not only by consteval(...)
  bool isUsed = false;   ///< directly; for a root, once there are slots: any of the nodes that it represents
  /// `name = source`, for the pruning of branches; or an item of an item ... of the tuple that `source` is.
  const syntax::Expr *source = nullptr;
  std::vector<uint32_t> path = {};

  // What the solver finds.
  const Type *type = nullptr;
  /// The value, where this is the only definition and its value is known while compiling.
  typed::Expr *constant = nullptr;
  bool isVariable = false;       ///< it had two different values, or none that is known
  std::vector<uint32_t> readers; ///< assignments to evaluate again when `type` changes
  std::vector<NodeId> joins;     ///< joins that it is an operand of
  unsigned changes = 0;

  // What the slot maker decides.
  NodeId root = noNode;        ///< stands for all nodes of one type that meet
  typed::Slot *slot = nullptr; ///< the same for all of them; nullptr where none is used directly
  std::vector<NodeId> copies;  ///< of the root: joins of another type, to be written whenever this one is
};

/// A value that names are bound to, as the solver evaluates it.
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
  const syntax::Expr *target = nullptr; ///< nullptr: those of the statement, which is an Assign
  const syntax::Stmt *statement = nullptr;
  NodeId node = noNode; ///< Augmented, Function, Return: what it defines
};

/// The result of a branch's test, if it is known before anything has a type; nullopt if the test must run.
using Decide = std::function<std::optional<bool>(const syntax::Expr &)>;

/// The result of walking one function. Keys are nodes of the syntax tree.
struct Flow {
  std::vector<FlowNode> nodes;
  std::vector<FlowAssignment> assignments;         ///< in source order
  std::unordered_map<const void *, NodeId> reads;  ///< syntax::Name -> what it reads
  std::unordered_map<const void *, NodeId> writes; ///< syntax::Name as target, FunctionDef, Return -> what it defines
  /// At a name that may be a nested function, or at a lambda: what each captured name is there.
  using Captures = std::vector<std::pair<std::string_view, NodeId>>;
  std::unordered_map<const void *, Captures> captures;
  std::unordered_map<const syntax::Stmt *, bool> decided; ///< If and While whose test is known
  std::unordered_set<const syntax::Stmt *> unreachable;   ///< the first such statement of a body
  NodeId result = noNode;                                 ///< the join of all returns
  bool fallsThrough = true;                               ///< the end of the body can be reached

  bool isUnset(NodeId node) const;
  /// FlowNode::root, followed to the end of the chain.
  NodeId rootOf(NodeId node);
  /// The statement that assigns the target can be reached.
  bool isReached(const syntax::Expr &target) const;
};

} // namespace treadle
