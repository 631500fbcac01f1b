// written_arrays: follows arrays from stores back to parameters.
#include "passes/analyses/written_arrays.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"
#include "typed/walk.h"

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
    if (const Slot *slot = readSlot(array)) {
      slots.set(slot->index);
    } else if (array.kind == ExprKind::View) {
      mark(*array.as<View>().array, slots);
    } else if (array.kind == ExprKind::Block) {
      mark(*array.as<Block>().value, slots);
    } else if (array.kind == ExprKind::Conditional) {
      mark(*array.as<Conditional>().then, slots);
      mark(*array.as<Conditional>().otherwise, slots);
    } else if (!traits(array.kind).makesArray && array.kind != ExprKind::Captured) {
      slots.set();
    }
  }

  void walk(const TypedFunction &function, llvm::BitVector &slots) {
    auto expression = [&](const Expr &node) {
      if (const Expr *array = changedArray(node))
        mark(*array, slots);
      if (node.kind == ExprKind::Call)
        markArguments(node.as<Call>(), slots);
    };
    auto statement = [&](const Stmt &node) {
      if (const Expr *array = changedArray(node))
        mark(*array, slots);
      // A write through a variable also writes the array that was assigned to it.
      if (node.kind == StmtKind::Assign && slots.test(node.as<Assign>().slot->index) &&
          !node.as<Assign>().value->type->isNumber())
        mark(*node.as<Assign>().value, slots);
    };
    forEachNode(function, expression, statement);
  }

  /// A callee counts only for the arrays that it is given: its other arrays are its own, or captured.
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

/// Only stores to the parameter itself count, `out[i, j] = v`: one to a part of it, as to `out[i]` in a variable, is a
/// use of another kind, and so is a call with it. Its shape may be read.
llvm::BitVector onlyStoredParameters(const TypedFunction &function, const Uses &uses) {
  // More are likely to overwrite lines that are in the caches.
  constexpr unsigned mostStores = 4;
  std::vector<unsigned> stores(function.parameterCount);
  llvm::BitVector others(function.parameterCount);
  for (const SlotUse &use : uses.in(uses.all())) {
    if (use.slot >= function.parameterCount || !use.isRead())
      continue;
    if (use.kind == SlotUse::Kind::Stored)
      ++stores[use.slot];
    else if (use.kind != SlotUse::Kind::Attribute)
      others.set(use.slot);
  }
  for (unsigned i = 0; i < function.parameterCount; ++i)
    if (stores[i] == 0 || stores[i] > mostStores)
      others.set(i);
  return others.flip();
}

namespace {

bool hasAtomic(const TypedFunction &function) {
  return anyNode(function, [](const Expr &node) { return node.kind == ExprKind::Atomic; });
}

} // namespace

bool communicates(const TypedFunction &function, bool alsoByBarriers) {
  return (alsoByBarriers && function.hasBarrier) || function.hasWarpOps ||
         std::ranges::any_of(withCallees(function), [](const TypedFunction *one) { return hasAtomic(*one); });
}

/// A position is what captured arrays of the device have; the elements of host arrays are constants in the code.
bool capturesDeviceArray(const TypedFunction &function) {
  const auto isOfDevice = [](const CapturedArray &array) { return array.position.has_value(); };
  return std::ranges::any_of(withCallees(function),
                             [&](const TypedFunction *one) { return std::ranges::any_of(one->captured, isOfDevice); });
}

} // namespace treadle
