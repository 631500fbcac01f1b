// The two phases of inference that evaluate expressions: solving, for types only, and building the tree.
#pragma once

#include "infer/inference.h"
#include "infer/instances/slot_maker.h"

namespace treadle {

/// Trees made while solving are discarded after each assignment; only types are kept, by the solver.
/// Effects on memory have no type, so that most of them are ignored. An evaluation may be repeated any number of times:
/// it may change nothing but types.
class Inference::Solving final : public Phase {
public:
  explicit Solving(Inference &inference) : in(inference) {}

  TypedFunction &noted() override { return discarded; }
  uint32_t nextAllocation() override { return 0; }
  typed::Slot *newSlot(const Type *type, std::string_view name, SourceSpan span) override {
    return in.tree.memory().make<typed::Slot>(0u, type, name, span, false);
  }
  // Slots are not made yet; one of the right type stands for the variable.
  typed::Expr *read(const FlowNode &node, SourceSpan span) override { return in.tree.placeholder(node.type, span); }
  void define(NodeId node, typed::Expr *value, SourceSpan) override { in.solver.setType(node, value); }
  // Left by exception: the rest of the evaluation would only guess at types.
  void awaitType() override { throw Solver::NotYet(); }
  void assignToDestination(const syntax::Expr &, typed::Expr *) override {} // no variable's type depends on it
  void augmentArray(typed::Expr *, const syntax::AugAssign &) override {}
  void storeElements(typed::Expr *, typed::Expr *, SourceSpan) override {}
  void checkInto(const StoringCall &, const typed::Expr &, const typed::Expr &) override {}
  // The result of the call is that of the function itself: its other returns must give it a type first.
  void recur(const Type *result, SourceSpan) override {
    in.solver.dependOn(in.flow.result);
    if (!result)
      awaitType();
  }
  void evaluated(SourceSpan, const Type *) override {}
  bool settles() const override { return false; } // types are the same in any order

private:
  Inference &in;
  TypedFunction discarded;
};

/// Runs once, when all types are final: what has no type now is never assigned, or depends on itself alone.
class Inference::Building final : public Phase {
public:
  explicit Building(Inference &inference) : in(inference) {}

  TypedFunction &noted() override { return in.out; }
  uint32_t nextAllocation() override { return in.compilation.allocations++; }
  typed::Slot *newSlot(const Type *type, std::string_view name, SourceSpan span) override {
    return addSlot(in.out, type, name, span);
  }
  typed::Expr *read(const FlowNode &node, SourceSpan span) override { return in.tree.read(node.slot, span); }
  void define(NodeId node, typed::Expr *value, SourceSpan span) override { in.assignNode(node, value, span); }
  void awaitType() override {}
  void assignToDestination(const syntax::Expr &target, typed::Expr *value) override {
    in.stores.assignToDestination(target, value);
  }
  void augmentArray(typed::Expr *array, const syntax::AugAssign &statement) override {
    in.stores.augmentArray(array, statement);
  }
  void storeElements(typed::Expr *array, typed::Expr *value, SourceSpan span) override {
    in.stores.storeView(array, value, span);
  }
  void checkInto(const StoringCall &call, const typed::Expr &into, const typed::Expr &operand) override {
    in.aliasing.checkInto(call, into, operand);
  }
  // Checked at each recursive call for what stands before it in the source; finish() checks for what follows.
  void recur(const Type *result, SourceSpan span) override {
    TypedFunction &function = in.out;
    if (!result)
      in.compilation.reportCycle(in.compilation.keyOf(in.request), in.source, span);
    if (function.hasBarrier || function.hasWarpOps)
      in.failRecursionThroughBarrier(span);
    if (function.hasHeapArrays)
      in.failRecursionWithHeap(span);
    if (!function.isRecursive)
      in.recursion = span;
    function.isRecursive = true;
  }
  // For tools that show the types of a kernel.
  void evaluated(SourceSpan span, const Type *type) override {
    if (type->isRuntime())
      in.out.places.push_back({span, type});
  }
  bool settles() const override { return true; }

private:
  Inference &in;
};

} // namespace treadle
