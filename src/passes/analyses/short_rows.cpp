// short_rows: finds indices with few values, and decodes Facts::rows.
#include "passes/analyses/short_rows.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <unordered_map>
#include <unordered_set>

namespace treadle {

using namespace typed;

namespace {

/// Negative ones count from the end of a row.
bool isSmallConstant(const Expr &expression) {
  if (expression.kind != ExprKind::Const || !expression.type->isInteger())
    return false;
  const int64_t value = expression.as<Const>().integer;
  return value >= -Facts::longestRow && value <= Facts::longestRow;
}

/// Whether the type has rows that facts may describe.
bool hasRows(const Type *type) { return type->isArray() && type->layout() == Layout::C && type->ndim() >= 2; }

/// By parameter of a function, whether the extents of the last axis (bit 0) and of the one before (bit 1) are useful.
using UsefulAxes = std::vector<uint8_t>;

class Search {
public:
  const UsefulAxes &of(const TypedFunction &function) {
    const auto [entry, isNew] = known.try_emplace(&function, function.parameterCount);
    // In a recursive function: none, until the result is known.
    if (isNew)
      FunctionWalk(*this, function).fill(entry->second);
    return known[&function];
  }

private:
  class FunctionWalk {
  public:
    FunctionWalk(Search &search, const TypedFunction &function) : search(search), function(function) {}

    void fill(UsefulAxes &into) {
      useful.resize(function.parameterCount);
      findShortLoops();
      auto statement = [&](const Stmt &node) {
        if (node.kind == StmtKind::Store)
          visitIndices(node.as<Store>().at);
      };
      forEachNode(function, [&](const Expr &node) { visit(node); }, statement);
      into = useful;
    }

  private:
    void findShortLoops() {
      forEachStmt(function, [&](const Stmt &node) {
        if (node.kind == StmtKind::Range)
          noteLoop(node.as<Range>());
      });
    }

    /// `for k in range(x.shape[1]):` is short if the row is, and `for k in range(3):` is in any case. Where it starts
    /// does not matter.
    void noteLoop(const Range &range) {
      const Expr &stop = withoutConversions(*range.stop);
      const bool isShape = stop.kind == ExprKind::Attribute &&
                           stop.as<Attribute>().attribute == ArrayAttribute::Shape && stop.as<Attribute>().axis >= 0;
      if (isShape)
        mark(*stop.as<Attribute>().array, unsigned(stop.as<Attribute>().axis));
      if (isShape || isSmallConstant(stop))
        shortLoops.insert(range.slot);
    }

    void visit(const Expr &node) {
      if (node.kind == ExprKind::Load)
        visitIndices(node.as<Load>().at);
      if (node.kind == ExprKind::Atomic)
        visitIndices(node.as<Atomic>().at);
      if (node.kind == ExprKind::View)
        visitView(node.as<View>());
      if (node.kind == ExprKind::Call)
        visitCall(node.as<Call>());
    }

    void visitIndices(const Indexed &at) {
      for (unsigned axis = 0; axis < at.indices.size(); ++axis)
        if (isSmall(*at.indices[axis]))
          mark(*at.array, axis);
    }

    /// Rows taken as a whole are indexed later.
    void visitView(const View &view) {
      if (view.view != ViewKind::Axes)
        return;
      unsigned axis = 0;
      bool isRow = false;
      for (const ViewAxis &item : view.axes) {
        isRow |= item.kind == ViewAxis::Kind::Index;
        if (item.kind == ViewAxis::Kind::Index && isSmall(*item.start))
          mark(*view.array, axis);
        if (item.kind == ViewAxis::Kind::Whole && isRow)
          mark(*view.array, axis);
        axis += item.kind != ViewAxis::Kind::NewAxis;
      }
      for (; isRow && axis < view.array->type->ndim(); ++axis)
        mark(*view.array, axis);
    }

    /// What a device function does with its parameters, its caller does with the arguments: the facts are about
    /// arguments of the kernel only.
    void visitCall(const Call &call) {
      const UsefulAxes callee = search.of(*call.callee);
      for (unsigned i = 0; i < call.arguments.size(); ++i)
        for (unsigned fromLast = 0; fromLast < 2; ++fromLast)
          if ((callee[i] >> fromLast & 1) != 0)
            mark(*call.arguments[i], call.arguments[i]->type->ndim() - 1 - fromLast);
    }

    bool isSmall(const Expr &index) const {
      const Expr &inner = withoutConversions(index);
      return isSmallConstant(inner) || shortLoops.contains(readSlot(inner));
    }

    /// Of the parameter itself, as a view has other axes. A parameter that is assigned as well is marked and costs a
    /// variant at worst: what reads the extents asks `isAssigned`.
    void mark(const Expr &array, unsigned axis) {
      const Slot *slot = readSlot(array);
      if (!slot || !slot->isParameter || !hasRows(array.type))
        return;
      const unsigned fromLast = array.type->ndim() - 1 - axis;
      if (fromLast < 2)
        useful[slot->index] |= uint8_t(1u << fromLast);
    }

    Search &search;
    const TypedFunction &function;
    UsefulAxes useful;
    std::unordered_set<const Slot *> shortLoops; ///< their variables
  };

  std::unordered_map<const TypedFunction *, UsefulAxes> known;
};

/// The parameters that Facts::rows describes, in order.
std::vector<unsigned> rowParameters(const TypedFunction &kernel) {
  std::vector<unsigned> found;
  for (unsigned i = 0; i < kernel.parameterCount && found.size() < Facts::rowArrays; ++i)
    if (hasRows(kernel.slots[i]->type))
      found.push_back(i);
  return found;
}

} // namespace

/// Positions count leaves of the arguments, as a launch has them, and not parameters.
RowArrays usefulRows(const TypedFunction &kernel) {
  RowArrays rows;
  const UsefulAxes axes = Search().of(kernel);
  unsigned position = 0, next = 0;
  for (const unsigned parameter : rowParameters(kernel)) {
    for (; next < parameter; ++next)
      position += argumentLeaves(kernel.slots[next]->type);
    for (unsigned fromLast = 0; fromLast < 2; ++fromLast)
      if ((axes[parameter] >> fromLast & 1) != 0)
        rows.useful |= Facts::rowBits(unsigned(rows.positions.size()), fromLast);
    rows.positions.push_back(position);
  }
  return rows;
}

/// Facts number the arrays as `rowParameters` does, here and where a launch derives them.
KnownExtents::KnownExtents(const TypedFunction &kernel, const Facts &facts)
    : kernel(kernel), extents(kernel.parameterCount), isAssigned(kernel.parameterCount) {
  if (facts.rows == 0)
    return;
  unsigned array = 0;
  for (const unsigned parameter : rowParameters(kernel)) {
    extents[parameter] = {facts.rowExtent(array, 0), facts.rowExtent(array, 1)};
    ++array;
  }
  forEachStmt(kernel, [&](const Stmt &node) {
    if (const Slot *slot = assignedSlot(node); slot && slot->isParameter)
      isAssigned[slot->index] = true;
  });
}

int64_t KnownExtents::ofParameter(const Slot &slot, unsigned axis) const {
  const unsigned fromLast = slot.type->isArray() ? slot.type->ndim() - 1 - axis : 2;
  return fromLast < 2 ? extents[slot.index][fromLast] : 0;
}

/// A slot of another function may have the same index, so its address is compared as well.
int64_t KnownExtents::of(const Expr &array, unsigned axis) const {
  const Slot *slot = readSlot(array);
  const bool isKnown =
      slot && slot->index < kernel.parameterCount && kernel.slots[slot->index] == slot && !isAssigned[slot->index];
  return isKnown ? ofParameter(*slot, axis) : 0;
}

} // namespace treadle
