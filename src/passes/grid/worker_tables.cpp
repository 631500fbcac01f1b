// worker_tables: counts the uses of parameters, and compares the operations on them.
#include "passes/grid/worker_tables.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include <algorithm>
#include <optional>

namespace treadle {

using namespace typed;

namespace {

/// The operation that merges what `op` has made of neutral operands; none if its order matters.
/// A copy of subtractions begins with zeros and collects negative amounts, which are added in the end. Sums of floats
/// may be rounded in another order, as they may by atomic operations on a GPU.
std::optional<AtomicOperation> mergedBy(AtomicOperation op) {
  switch (op) {
  case AtomicOperation::Add:
  case AtomicOperation::Sub:
    return AtomicOperation::Add;
  case AtomicOperation::And:
  case AtomicOperation::Or:
  case AtomicOperation::Xor:
  case AtomicOperation::Max:
  case AtomicOperation::Min:
  case AtomicOperation::NanMax:
  case AtomicOperation::NanMin:
    return op;
  default:
    return std::nullopt;
  }
}

/// A thread that writes a flag after a fence promises its updates to the reader of the flag; a copy would hold them
/// back. The reader may be another launch, or the host.
bool publishes(const TypedFunction &kernel) {
  auto isFence = [](const Expr &node) {
    return node.kind == ExprKind::WarpOp && rowOf(node.as<WarpOp>().op).kind == WarpClass::Fence;
  };
  return kernel.hasGridBarrier || kernel.usesClusters ||
         std::ranges::any_of(withCallees(kernel), [&](const TypedFunction *one) { return anyNode(*one, isFence); });
}

/// Of the kernel alone: an array that is passed to a device function, viewed or put into a variable is a read that is
/// neither an update nor an attribute, and so excludes it. An address may be read from, and counts as such.
class Uses {
public:
  explicit Uses(const TypedFunction &kernel) : kernel(kernel), parameters(kernel.parameterCount) {
    forEachNode(kernel, [&](const Expr &node) { count(node); }, [&](const Stmt &node) { count(node); });
  }

  std::optional<AtomicOperation> mergeOf(unsigned parameter) const {
    const Use &use = parameters[parameter];
    const bool isOnlyUpdated = use.updates > 0 && use.reads == use.updates + use.attributes && !use.isOther;
    return isOnlyUpdated ? use.op : std::nullopt;
  }

private:
  struct Use {
    unsigned reads = 0, updates = 0, attributes = 0;
    std::optional<AtomicOperation> op;
    bool isOther = false;
  };

  Use *of(const Expr &expression) {
    const Slot *slot = readSlot(expression);
    return slot && slot->index < kernel.parameterCount ? &parameters[slot->index] : nullptr;
  }

  void count(const Expr &node) {
    if (Use *use = of(node))
      ++use->reads;
    if (node.kind == ExprKind::Attribute && node.as<Attribute>().attribute != ArrayAttribute::Address)
      if (Use *use = of(*node.as<Attribute>().array))
        ++use->attributes;
  }

  /// Only an operation whose result is unused: what it returned would be the worker's value and not that of the array.
  void count(const Stmt &node) {
    if (const Slot *slot = assignedSlot(node); slot && slot->index < kernel.parameterCount)
      parameters[slot->index].isOther = true;
    if (node.kind != StmtKind::Effect || node.as<Effect>().value->kind != ExprKind::Atomic)
      return;
    const auto &atomic = node.as<Effect>().value->as<Atomic>();
    Use *use = of(*atomic.at.array);
    if (!use)
      return;
    const std::optional<AtomicOperation> op = mergedBy(atomic.op);
    use->isOther |= !op || (use->updates > 0 && use->op != op);
    use->op = op;
    ++use->updates;
  }

  const TypedFunction &kernel;
  std::vector<Use> parameters;
};

} // namespace

/// C order, aligned: copies are contiguous, and merged as a whole.
std::vector<WorkerTable> workerTables(const TypedFunction &kernel) {
  std::vector<WorkerTable> tables;
  const Uses uses(kernel);
  for (unsigned i = 0; i < kernel.parameterCount && tables.size() < Facts::mostTables; ++i) {
    const Type *type = kernel.slots[i]->type;
    if (type->isArray() && type->layout() == Layout::C && !type->isUnaligned())
      if (const auto op = uses.mergeOf(i))
        tables.push_back({i, *op});
  }
  if (!tables.empty() && publishes(kernel))
    tables.clear();
  return tables;
}

/// In leaves, which is what a launch has when it decides which tables to copy.
std::vector<unsigned> tableArguments(const TypedFunction &kernel) {
  std::vector<unsigned> positions;
  unsigned position = 0, next = 0;
  for (const WorkerTable &table : workerTables(kernel)) {
    for (; next < table.parameter; ++next)
      position += argumentLeaves(kernel.slots[next]->type);
    positions.push_back(position);
  }
  return positions;
}

} // namespace treadle
