// Slots for definitions: one for those that meet with the same type; copies for joins of another type.
// In two arms of a branch, `x = 1` and `x = 2` meet in one slot, without a copy; `x = 1` and `x = 2.5` meet in a
// float64, so that the int64 has a slot of its own and is converted into the other whenever it is assigned.
#include "infer/instances/slot_maker.h"

#include <algorithm>

namespace treadle {

/// The index is the position in TypedFunction::slots.
typed::Slot *addSlot(TypedFunction &function, const Type *type, std::string_view name, SourceSpan span) {
  const auto index = uint32_t(function.slots.size());
  auto *slot = function.nodes.make<typed::Slot>(index, type, function.nodes.text(name), span, false);
  function.slots.push_back(slot);
  return slot;
}

/// A constant needs none, unless it meets others. A join that nothing reads has no type.
bool SlotMaker::needsSlot(const FlowNode &node) const {
  if (!node.type || !typed::hasStorage(node.type) || node.kind == FlowNode::Kind::Unset)
    return false;
  if (node.kind == FlowNode::Kind::Join)
    return node.isRead;
  return !node.constant || !node.joins.empty();
}

/// The result is no variable: each return has its value.
void SlotMaker::uniteJoins() {
  for (NodeId id = 0; id < flow.nodes.size(); ++id)
    flow.nodes[id].root = id;
  for (NodeId id = 0; id < flow.nodes.size(); ++id) {
    const FlowNode &node = flow.nodes[id];
    if (node.kind != FlowNode::Kind::Join || !node.isRead || !node.type || id == flow.result)
      continue;
    for (NodeId operand : node.operands)
      if (flow.nodes[operand].type == node.type && flow.nodes[operand].kind != FlowNode::Kind::Unset)
        flow.nodes[flow.rootOf(operand)].root = flow.rootOf(id);
  }
  for (NodeId id = 0; id < flow.nodes.size(); ++id)
    flow.nodes[flow.rootOf(id)].isUsed |= flow.nodes[id].isUsed;
}

/// The order of parameters is the callers': arguments, then captured variables. Bindings without a type are missing
/// arguments, whose default is a constant.
void SlotMaker::makeParameterSlots() {
  const auto &parameters = scope.function().parameters;
  auto addParameter = [&](const Type *type, const FlowNode &node) {
    typed::Slot *slot = addSlot(out, type, scope.names()[node.name], node.span);
    slot->isParameter = true;
    out.signature.arguments.push_back(type);
    return slot;
  };
  for (size_t i = 0; i < request.bindings.size(); ++i) {
    FlowNode &node = flow.nodes[i];
    const Binding &binding = request.bindings[i];
    if (!binding.type)
      continue;
    if (binding.constant) {
      if (request.keepsAllParameters)
        addParameter(binding.type, node);
      continue;
    }
    const bool isStar = i < parameters.size() && parameters[i].kind == syntax::ParameterKind::Star;
    if (isStar && request.keepsAllParameters) {
      for (const Type *item : node.type->items())
        addParameter(item, node);
    } else if (request.keepsAllParameters || typed::hasStorage(node.type)) {
      flow.nodes[flow.rootOf(NodeId(i))].slot = node.slot = addParameter(node.type, node);
    }
  }
  out.parameterCount = uint32_t(out.slots.size());
}

/// Parameters first, in order; then the others in source order.
/// Source order makes equal functions equal, slot by slot.
void SlotMaker::run() {
  uniteJoins();
  makeParameterSlots();
  for (NodeId id = 0; id < flow.nodes.size(); ++id) {
    FlowNode &node = flow.nodes[id];
    if (node.name >= scope.names().size() || !needsSlot(node))
      continue;
    FlowNode &root = flow.nodes[flow.rootOf(id)];
    if (!root.slot && !root.isUsed)
      continue;
    if (!root.slot)
      root.slot = addSlot(out, node.type, scope.names()[node.name], node.span);
    node.slot = root.slot;
  }
  findCopies();
  findConstants();
}

/// Names with one definition, a constant number. Others have several values, which debuggers cannot distinguish.
void SlotMaker::findConstants() {
  std::vector<unsigned> definitions(scope.names().size());
  const auto isDefinition = [&](const FlowNode &node) {
    return node.name < definitions.size() && node.kind != FlowNode::Kind::Unset && node.kind != FlowNode::Kind::Join;
  };
  for (const FlowNode &node : flow.nodes)
    if (isDefinition(node))
      ++definitions[node.name];
  for (const FlowNode &node : flow.nodes)
    if (isDefinition(node) && node.kind == FlowNode::Kind::Assigned && definitions[node.name] == 1 && !node.slot &&
        node.constant && node.constant->kind == typed::ExprKind::Const && node.constant->type->isNumber())
      out.constants.push_back({std::string(scope.names()[node.name]), node.constant->as<typed::Const>(), node.span});
}

/// From an operand to a join of another type: the assignment of the operand writes both.
void SlotMaker::findCopies() {
  for (NodeId id = 0; id < flow.nodes.size(); ++id) {
    const FlowNode &join = flow.nodes[id];
    if (join.kind != FlowNode::Kind::Join || !needsSlot(join) || id == flow.result)
      continue;
    for (NodeId operand : flow.nodes[id].operands) {
      if (flow.nodes[operand].kind == FlowNode::Kind::Unset || flow.rootOf(operand) == flow.rootOf(id))
        continue;
      std::vector<NodeId> &copies = flow.nodes[flow.rootOf(operand)].copies;
      if (std::find(copies.begin(), copies.end(), id) == copies.end())
        copies.push_back(id);
    }
  }
}

} // namespace treadle
