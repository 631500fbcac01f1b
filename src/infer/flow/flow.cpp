// Questions about definitions and what they reach.
#include "infer/flow/flow.h"

#include "infer/flow/syntax_walk.h"

#include <algorithm>

namespace treadle {

/// Shortens the chain on the way, as in a union-find.
NodeId Flow::rootOf(NodeId id) {
  while (nodes[id].root != id)
    id = nodes[id].root = nodes[nodes[id].root].root;
  return id;
}

/// Joins may be circular, at the heads of loops, so nodes are visited once.
bool Flow::isUnset(NodeId node) const {
  // Joins of joins that are all unset exist only where a loop reads a name that is never assigned.
  std::vector<NodeId> work{node};
  std::unordered_set<NodeId> seen;
  while (!work.empty()) {
    const NodeId next = work.back();
    work.pop_back();
    if (!seen.insert(next).second || nodes[next].kind == FlowNode::Kind::Unset)
      continue;
    if (nodes[next].kind != FlowNode::Kind::Join)
      return false;
    work.insert(work.end(), nodes[next].operands.begin(), nodes[next].operands.end());
  }
  return true;
}

bool Flow::isReached(const syntax::Expr &target) const {
  bool all = true;
  forEachBoundName(target, [&](const syntax::Name &name) { all &= writes.contains(&name); });
  return all;
}

/// `for x in [1, 2]: ...` and `v = [1, 2]` make tuples in kernels; some uses that differ between lists and tuples in
/// Python are refused. Items that were unpacked from a list do not count (a path): they are values of their own.
bool Flow::isList(const syntax::Expr &expression) const {
  std::vector<const syntax::Expr *> work{&expression};
  std::vector<NodeId> seen;
  auto look = [&](NodeId id) {
    if (std::find(seen.begin(), seen.end(), id) != seen.end())
      return;
    seen.push_back(id);
    const FlowNode &node = nodes[id];
    if (node.source && node.path.empty())
      work.push_back(node.source);
  };
  while (!work.empty()) {
    const syntax::Expr &next = *work.back();
    work.pop_back();
    if (next.kind == syntax::ExprKind::List)
      return true;
    const auto read = next.kind == syntax::ExprKind::Name ? reads.find(&next) : reads.end();
    if (read == reads.end())
      continue;
    look(read->second);
    for (size_t i = 0; i < seen.size(); ++i)
      for (const NodeId operand : nodes[seen[i]].operands)
        look(operand);
  }
  return false;
}

/// Nodes are numbered in the order of the walk, which makes the back edge of a loop recognisable by its number.
bool Flow::mayChange(uint32_t name) const {
  size_t assigned = 0;
  for (NodeId id = 0; id < nodes.size(); ++id) {
    const FlowNode &node = nodes[id];
    if (node.name != name || node.kind == FlowNode::Kind::Unset)
      continue;
    assigned += node.kind != FlowNode::Kind::Join;
    // Only a join at the head of a loop has an operand that follows it.
    if (std::any_of(node.operands.begin(), node.operands.end(), [&](NodeId operand) { return operand > id; }))
      return true;
  }
  return assigned > 1;
}

/// A join may be written by several definitions, so it counts as two.
bool Flow::isBoundOnce(const typed::Slot &slot) const {
  size_t count = 0;
  for (const FlowNode &node : nodes)
    if (node.slot == &slot)
      count += node.kind == FlowNode::Kind::Join ? 2 : 1;
  return count <= 1;
}

} // namespace treadle
