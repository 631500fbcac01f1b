// written_arrays: follows arrays from stores back to parameters.
#include "passes/written_arrays.h"

#include "passes/tree_walk.h"

#include <algorithm>
#include <unordered_map>

namespace treadle {

using namespace typed;

namespace {

class Search {
public:
  const llvm::BitVector &written(const TypedFunction &function) {
    auto [entry, isNew] = known.try_emplace(&function);
    if (!isNew)
      return entry->second; // in a recursive function: all parameters, until the result is known
    entry->second.resize(function.parameterCount, true);
    llvm::BitVector slots(unsigned(function.slots.size()));
    for (unsigned before = ~0u; before != slots.count();) {
      before = slots.count();
      walk(function, slots);
    }
    slots.resize(function.parameterCount);
    return known[&function] = slots;
  }

private:
  /// Marks the slots that a written array comes from.
  void mark(const Expr &array, llvm::BitVector &slots) {
    switch (array.kind) {
    case ExprKind::Slot:
      slots.set(array.as<SlotRead>().slot->index);
      return;
    case ExprKind::View:
      return mark(*array.as<View>().array, slots);
    case ExprKind::Block:
      return mark(*array.as<Block>().value, slots);
    case ExprKind::Conditional:
      mark(*array.as<Conditional>().then, slots);
      return mark(*array.as<Conditional>().otherwise, slots);
    case ExprKind::Allocation:
    case ExprKind::HeapArray:
    case ExprKind::Captured:
      return;
    default:
      slots.set();
    }
  }

  void walk(const TypedFunction &function, llvm::BitVector &slots) {
    TreeVisitor visitor{[&](const Expr &node) {
                          if (node.kind == ExprKind::Atomic)
                            mark(*node.as<Atomic>().at.array, slots);
                          if (node.kind == ExprKind::Call)
                            markArguments(node.as<Call>(), slots);
                          return true;
                        },
                        [&](const Stmt &node) {
                          if (node.kind == StmtKind::Store)
                            mark(*node.as<Store>().at.array, slots);
                          // A write through a variable also writes the array that was assigned to it.
                          if (node.kind == StmtKind::Assign && slots.test(node.as<Assign>().slot->index) &&
                              !node.as<Assign>().value->type->isNumber())
                            mark(*node.as<Assign>().value, slots);
                          return true;
                        }};
    visitor.walk(function.body);
  }

  void markArguments(const Call &call, llvm::BitVector &slots) {
    const llvm::BitVector writes = written(*call.callee);
    for (unsigned i = 0; i < call.arguments.size(); ++i)
      if (writes.test(i) && !call.arguments[i]->type->isNumber())
        mark(*call.arguments[i], slots);
  }

  std::unordered_map<const TypedFunction *, llvm::BitVector> known;
};

} // namespace

llvm::BitVector writtenParameters(const TypedFunction &function) { return Search().written(function); }

llvm::BitVector onlyStoredParameters(const TypedFunction &function) {
  std::vector<unsigned> reads(function.slots.size()), stores(function.slots.size()), others(function.slots.size());
  auto slotOf = [](const Expr &expression) -> const Slot * {
    return expression.kind == ExprKind::Slot ? expression.as<SlotRead>().slot : nullptr;
  };
  TreeVisitor visitor{[&](const Expr &node) {
                        if (const Slot *slot = slotOf(node))
                          ++reads[slot->index];
                        if (node.kind == ExprKind::Attribute)
                          if (const Slot *slot = slotOf(*node.as<Attribute>().array))
                            ++others[slot->index];
                        return true;
                      },
                      [&](const Stmt &node) {
                        if (node.kind == StmtKind::Store)
                          if (const Slot *slot = slotOf(*node.as<Store>().at.array))
                            ++stores[slot->index];
                        return true;
                      }};
  visitor.walk(function.body);
  // More are likely to write again what the caches hold.
  constexpr unsigned mostStores = 4;
  llvm::BitVector result(function.parameterCount);
  for (unsigned i = 0; i < function.parameterCount; ++i)
    if (stores[i] > 0 && stores[i] <= mostStores && reads[i] == stores[i] + others[i])
      result.set(i);
  return result;
}

bool communicates(const TypedFunction &function, bool alsoByBarriers) {
  if ((alsoByBarriers && function.hasBarrier) || function.hasWarpOps)
    return true;
  bool found = false;
  TreeVisitor visitor{[&](const Expr &node) {
                        found |= node.kind == ExprKind::Atomic;
                        if (node.kind == ExprKind::Call && node.as<Call>().callee != &function)
                          found |= communicates(*node.as<Call>().callee, alsoByBarriers);
                        return !found;
                      },
                      [&](const Stmt &) { return !found; }};
  visitor.walk(function.body);
  return found;
}

bool capturesDeviceArray(const TypedFunction &function) {
  bool found =
      std::ranges::any_of(function.captured, [](const CapturedArray &array) { return array.position.has_value(); });
  TreeVisitor visitor{[&](const Expr &node) {
                        if (node.kind == ExprKind::Call && node.as<Call>().callee != &function)
                          found |= capturesDeviceArray(*node.as<Call>().callee);
                        return !found;
                      },
                      [&](const Stmt &) { return !found; }};
  visitor.walk(function.body);
  return found;
}

} // namespace treadle
