// Definitions: assigning values to names, and the initial values of parameters.
#include "infer/inference.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

/// `total = 0` before a loop and `total += x[i]` with floats in it loses fractions silently otherwise. The text has
/// file and line itself, as it becomes a Python warning.
void Inference::warnAboutLoss(const FlowNode &node, const typed::Expr &value, SourceSpan span) {
  if (!NumberRules::losesInformation(value.type, node.type))
    return;
  // A literal that the kept type can represent loses nothing.
  if (value.kind == typed::ExprKind::Const) {
    typed::Expr *there = tree.convert(tree.clone(&value), node.type);
    if (there->kind == typed::ExprKind::Const && value.type->isReal()) {
      const auto &before = value.as<typed::Const>(), &after = there->as<typed::Const>();
      const double from = value.type->isFloat() ? before.real : double(before.integer);
      const double to = node.type->isInteger() ? double(after.integer) : after.real;
      if (from == to)
        return;
    }
  }
  const std::string name(scope.names()[node.name]);
  const std::string kept = node.type->name(), found = value.type->name();
  const std::string remedy = node.type->isInteger() && value.type->isFloat()
                                 ? "write " + name + " = 0.0 or " + name + " = " + found + "(...) before the loop"
                                 : "write " + name + " = " + found + "(...) before the loop";
  compilation.warn(&out, fmt::format("{}:{}: '{}' keeps the type {} that it had before the loop; a value of type {} is "
                                     "converted to it and may lose information: {}",
                                     source->file, span.line, name, kept, found, remedy));
}

/// A definition that nothing reads has no slot: its value is evaluated for its effects. One that is read by joins of
/// other types alone is copied into theirs.
void Inference::assignNode(NodeId id, typed::Expr *value, SourceSpan span) {
  const FlowNode &node = flow.nodes[id];
  if (node.pinnedTo != noNode)
    warnAboutLoss(node, *value, span);
  if (node.slot) {
    tree.emitAssign(node.slot, tree.convert(value, node.type), span);
    return copyOnwards(id, node.slot, nullptr, span);
  }
  if (flow.nodes[flow.rootOf(id)].copies.empty())
    return tree.emitValue(value, span);
  copyOnwards(id, nullptr, tree.materialize(tree.convert(value, node.type)), span);
}

/// Writes the value to every slot that a later join reads instead of this one. The value is that of `slot`, or else the
/// simple expression `value`.
/// Joins may lead to joins, and around a loop back to the first, so each root is written once. A join without a slot
/// hands the converted value on to further joins.
void Inference::copyOnwards(NodeId id, typed::Slot *slot, typed::Expr *value, SourceSpan span) {
  struct Source {
    NodeId root;
    typed::Slot *slot;
    typed::Expr *value;
  };
  std::vector<Source> work{{flow.rootOf(id), slot, value}};
  std::vector<NodeId> written{work.front().root};
  while (!work.empty()) {
    const Source from = work.back();
    work.pop_back();
    for (NodeId to : flow.nodes[from.root].copies) {
      const NodeId root = flow.rootOf(to);
      if (std::find(written.begin(), written.end(), root) != written.end())
        continue;
      written.push_back(root);
      typed::Expr *copy = from.slot ? tree.read(from.slot, span) : tree.clone(from.value);
      copy = tree.convert(copy, flow.nodes[to].type);
      typed::Slot *target = flow.nodes[root].slot;
      if (target)
        tree.emit(tree.assign(target, copy, span));
      else
        copy = tree.materialize(copy);
      work.push_back({root, target, copy});
    }
  }
}

/// The initial values of parameters and captured names that are not parameter slots.
/// Three kinds: a parameter has its slot from the caller; a constant is one in the tree as well, though the caller of a
/// kernel still passes it (`next` counts the parameter); `*rest` is a tuple of parameters, one for each item.
void Inference::assignParameters() {
  uint32_t next = 0;
  for (size_t i = 0; i < request.bindings.size(); ++i) {
    const FlowNode &node = flow.nodes[i];
    const bool isParameter = node.slot && node.slot->isParameter;
    const NodeId id = NodeId(i);
    if (isParameter) {
      next = node.slot->index + 1;
      copyOnwards(id, node.slot, nullptr, node.span);
    } else if (node.constant) {
      next += request.keepsAllParameters && request.bindings[i].constant;
      tree.phase()->define(id, tree.copyConstant(*node.constant), node.span);
    } else if (node.type->isTuple()) {
      Items items;
      for (size_t item = 0; item < node.type->items().size(); ++item)
        items.push_back(tree.read(out.slots[next++], node.span));
      tree.phase()->define(id, tree.tuple(node.type, items, node.span), node.span);
    }
  }
}

} // namespace treadle
