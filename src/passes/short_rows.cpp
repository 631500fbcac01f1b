// short_rows: looks for indices of few values, and takes Facts::rows apart.
#include "passes/short_rows.h"

#include "passes/assignments.h"
#include "passes/tree_walk.h"

#include <unordered_map>
#include <unordered_set>

namespace treadle {

using namespace typed;

namespace {

bool isSmallConstant(const Expr &expression) {
  if (expression.kind != ExprKind::Const || !expression.type->isInteger())
    return false;
  const int64_t value = expression.as<Const>().integer;
  return value >= -Facts::longestRow && value <= Facts::longestRow;
}

/// Whether the type has rows that facts may tell of.
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
      TreeVisitor visitor{[&](const Expr &node) {
                            visit(node);
                            return true;
                          },
                          [&](const Stmt &node) {
                            if (node.kind == StmtKind::Store)
                              visitIndices(node.as<Store>().at);
                            return true;
                          }};
      visitor.walk(function.body);
      into = useful;
    }

  private:
    void findShortLoops() {
      TreeVisitor visitor{[](const Expr &) { return true; },
                          [&](const Stmt &node) {
                            if (node.kind == StmtKind::Range)
                              noteLoop(node.as<Range>());
                            return true;
                          }};
      visitor.walk(function.body);
    }

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
      switch (node.kind) {
      case ExprKind::Load:
        return visitIndices(node.as<Load>().at);
      case ExprKind::Atomic:
        return visitIndices(node.as<Atomic>().at);
      case ExprKind::View:
        return visitView(node.as<View>());
      case ExprKind::Call:
        return visitCall(node.as<Call>());
      default:
        return;
      }
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

    void visitCall(const Call &call) {
      const UsefulAxes callee = search.of(*call.callee);
      for (unsigned i = 0; i < call.arguments.size(); ++i)
        for (unsigned fromLast = 0; fromLast < 2; ++fromLast)
          if ((callee[i] >> fromLast & 1) != 0)
            mark(*call.arguments[i], call.arguments[i]->type->ndim() - 1 - fromLast);
    }

    bool isSmall(const Expr &index) const {
      const Expr &inner = withoutConversions(index);
      return isSmallConstant(inner) ||
             (inner.kind == ExprKind::Slot && shortLoops.count(inner.as<SlotRead>().slot) != 0);
    }

    void mark(const Expr &array, unsigned axis) {
      if (array.kind != ExprKind::Slot || !array.as<SlotRead>().slot->isParameter || !hasRows(array.type))
        return;
      const unsigned fromLast = array.type->ndim() - 1 - axis;
      if (fromLast < 2)
        useful[array.as<SlotRead>().slot->index] |= uint8_t(1u << fromLast);
    }

    Search &search;
    const TypedFunction &function;
    UsefulAxes useful;
    std::unordered_set<const Slot *> shortLoops; ///< their variables
  };

  std::unordered_map<const TypedFunction *, UsefulAxes> known;
};

/// The parameters that Facts::rows is about, in order.
std::vector<unsigned> rowParameters(const TypedFunction &kernel) {
  std::vector<unsigned> found;
  for (unsigned i = 0; i < kernel.parameterCount && found.size() < Facts::rowArrays; ++i)
    if (hasRows(kernel.slots[i]->type))
      found.push_back(i);
  return found;
}

} // namespace

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

KnownExtents::KnownExtents(const TypedFunction &kernel, const Facts &facts)
    : kernel(kernel), extents(kernel.parameterCount), isAssigned(kernel.parameterCount) {
  if (facts.rows == 0)
    return;
  unsigned array = 0;
  for (const unsigned parameter : rowParameters(kernel)) {
    extents[parameter] = {facts.rowExtent(array, 0), facts.rowExtent(array, 1)};
    ++array;
  }
  const std::vector<unsigned> assignments = countAssignments(kernel);
  for (unsigned i = 0; i < kernel.parameterCount; ++i)
    isAssigned[i] = assignments[i] != 0;
}

int64_t KnownExtents::ofParameter(const Slot &slot, unsigned axis) const {
  const unsigned fromLast = slot.type->isArray() ? slot.type->ndim() - 1 - axis : 2;
  return fromLast < 2 ? extents[slot.index][fromLast] : 0;
}

int64_t KnownExtents::of(const Expr &array, unsigned axis) const {
  if (array.kind != ExprKind::Slot)
    return 0;
  const Slot &slot = *array.as<SlotRead>().slot;
  const bool isKnown =
      slot.index < kernel.parameterCount && kernel.slots[slot.index] == &slot && !isAssigned[slot.index];
  return isKnown ? ofParameter(slot, axis) : 0;
}

} // namespace treadle
