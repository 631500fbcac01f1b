// Extents of new, captured and reshaped arrays, of variables and of array expressions.
// For `np.zeros_like(a)` of a local array, which is another local array, the shape must be constant. Types do not have
// extents, so they are read from the tree: from the allocation, through views and variables.
#include "infer/expressions/constant_extents.h"

#include <fmt/core.h>

namespace treadle {

/// For a view with explicit extents, or one that only permutes them.
Extents ConstantExtents::ofView(const typed::View &view) {
  std::vector<int64_t> extents;
  if (view.view == typed::ViewKind::Reshape) {
    for (const typed::ViewAxis &axis : view.axes)
      if (const std::optional<int64_t> extent = constantInteger(*axis.start))
        extents.push_back(*extent);
    return extents.size() == view.axes.size() ? Extents(extents) : std::nullopt;
  }
  const Extents below = of(*view.array);
  if (!below || view.view == typed::ViewKind::Real || view.view == typed::ViewKind::Imag ||
      view.view == typed::ViewKind::Peer || (view.view == typed::ViewKind::Axes && view.axes.empty()))
    return below;
  if (view.view != typed::ViewKind::Transpose)
    return std::nullopt;
  for (size_t axis = 0; axis < below->size(); ++axis)
    extents.push_back((*below)[view.axes.empty() ? below->size() - 1 - axis
                                                 : size_t(view.axes[axis].start->as<typed::Const>().integer)]);
  return extents;
}

/// A variable that is assigned once has the extents of its value, which is re-evaluated for them.
/// A variable with several definitions may hold arrays of several shapes. The value is built once more only to look at
/// it, and thrown away with the arrays that it has noted.
Extents ConstantExtents::ofVariable(const typed::Slot &slot) {
  const syntax::Expr *source = nullptr;
  for (const FlowNode &node : flow.nodes) {
    if (node.slot != &slot)
      continue;
    if (source || node.kind != FlowNode::Kind::Assigned || !node.source || !node.path.empty())
      return std::nullopt;
    source = node.source;
  }
  if (!source)
    return std::nullopt;
  if (const auto found = variables.find(&slot); found != variables.end())
    return found->second;
  Extents extents;
  auto &arrays = tree.phase()->noted().arrays;
  const size_t before = arrays.size();
  tree.collect([&] { extents = of(*whole.expr(*source)); });
  arrays.erase(arrays.begin() + ptrdiff_t(before), arrays.end());
  variables.emplace(&slot, extents);
  return extents;
}

namespace {

/// A new array is filled before it is returned.
/// np.zeros(3) is a block: allocate, assign to a temporary, fill, and the temporary as its value.
const typed::Expr &valueOf(const typed::Block &block) {
  if (block.value->kind == typed::ExprKind::Slot)
    for (const typed::Stmt *statement : block.body)
      if (statement->kind == typed::StmtKind::Assign &&
          statement->as<typed::Assign>().slot == block.value->as<typed::SlotRead>().slot)
        return *statement->as<typed::Assign>().value;
  return *block.value;
}

} // namespace

/// Broadcasting of constants, aligned at the last axis; here a mismatch is an error while compiling.
Extents ConstantExtents::ofExpression(const typed::Tuple &value) {
  if (isComputed(*value.type) || isProduct(*value.type))
    return std::nullopt;
  std::vector<int64_t> extents(axesOf(*value.type), 1);
  for (const typed::Expr *operand : value.items) {
    if (axesOf(*operand->type) == 0)
      continue;
    const Extents own = of(*operand);
    if (!own)
      return std::nullopt;
    for (size_t i = 0; i < own->size(); ++i) {
      const int64_t one = (*own)[own->size() - 1 - i];
      int64_t &extent = extents[extents.size() - 1 - i];
      if (one != 1 && extent != 1 && one != extent)
        tree.failTyping(value.span,
                        fmt::format("arrays with the extents {} and {} along one axis could not be broadcast together",
                                    extent, one));
      extent = one != 1 ? one : extent;
    }
  }
  return extents;
}

/// While solving, any extents will do, as types do not depend on them. Dynamic shared memory has no extent that is
/// known.
Extents ConstantExtents::of(const typed::Expr &value) {
  if (!tree.phase()->settles())
    return std::vector<int64_t>(axesOf(*value.type), 1);
  switch (value.kind) {
  case typed::ExprKind::Allocation: {
    const auto shape = value.as<typed::Allocation>().shape;
    const bool isDynamic = shape.size() == 1 && shape[0] == 0;
    return isDynamic ? Extents() : std::vector<int64_t>(shape.begin(), shape.end());
  }
  case typed::ExprKind::Captured:
    return std::vector<int64_t>(out.captured[value.as<typed::Captured>().id].shape);
  case typed::ExprKind::Block:
    return of(valueOf(value.as<typed::Block>()));
  case typed::ExprKind::View:
    return ofView(value.as<typed::View>());
  case typed::ExprKind::Slot:
    return ofVariable(*value.as<typed::SlotRead>().slot);
  case typed::ExprKind::Tuple:
    return value.type->is(Series::Elementwise) ? ofExpression(value.as<typed::Tuple>()) : std::nullopt;
  case typed::ExprKind::Const:
  case typed::ExprKind::Operation:
  case typed::ExprKind::Conditional:
  case typed::ExprKind::Call:
  case typed::ExprKind::Load:
  case typed::ExprKind::Attribute:
  case typed::ExprKind::Item:
  case typed::ExprKind::ItemAt:
  case typed::ExprKind::HeapArray:
  case typed::ExprKind::Atomic:
  case typed::ExprKind::WarpOp:
    return std::nullopt;
  }
  return std::nullopt;
}

} // namespace treadle
