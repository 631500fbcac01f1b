// inline_barriers: copies trees, with slots of their own for every call.
#include "passes/inline_barriers.h"

#include "passes/liveness.h"
#include "passes/tree_walk.h"
#include "support/error.h"

#include <map>
#include <vector>

namespace treadle {

using namespace typed;

namespace {

[[noreturn]] void refuse(const TypedFunction &function, SourceSpan span, const char *message, const char *remedy) {
  Diagnostic diagnostic;
  diagnostic.kind = CompileErrorKind::Unsupported;
  diagnostic.message = message;
  diagnostic.span = span;
  diagnostic.source = function.source;
  diagnostic.remedy = remedy;
  throw CompileError(diagnostic);
}

/// Copies one activation's nodes into the new kernel.
class TreeCopy {
public:
  TreeCopy(TypedFunction &out, const TypedFunction &from) : out(out), from(from) {
    for (const Slot *slot : from.slots) {
      Slot *copy = out.nodes.make<Slot>(*slot);
      copy->index = uint32_t(out.slots.size());
      out.slots.push_back(copy);
      slots.push_back(copy);
    }
    firstCaptured = uint32_t(out.captured.size());
    out.captured.insert(out.captured.end(), from.captured.begin(), from.captured.end());
    out.callees.insert(out.callees.end(), from.callees.begin(), from.callees.end());
  }

  Body copy(Body body) {
    std::vector<Stmt *> statements;
    for (const Stmt *statement : body)
      copyInto(statements, *statement);
    return listOf(statements);
  }

  std::vector<Slot *> slots;

private:
  Body listOf(const std::vector<Stmt *> &statements) {
    std::span<Stmt *> list = out.nodes.list(statements);
    return {list.data(), list.size()};
  }

  template <typename T> T *clone(const T &node) { return out.nodes.make<T>(node); }

  std::span<Expr *const> copyAll(std::span<Expr *const> items) {
    std::vector<Expr *> copies;
    for (const Expr *item : items)
      copies.push_back(copy(*item));
    std::span<Expr *> list = out.nodes.list(copies);
    return {list.data(), list.size()};
  }

  Expr *copyOptional(const Expr *expression) { return expression ? copy(*expression) : nullptr; }

  Indexed copy(const Indexed &at) { return {copy(*at.array), copyAll(at.indices)}; }

  Expr *copyView(const View &view) {
    View *result = clone(view);
    result->array = copy(*view.array);
    std::vector<ViewAxis> axes;
    for (const ViewAxis &axis : view.axes)
      axes.push_back({axis.kind, copyOptional(axis.start), copyOptional(axis.stop), copyOptional(axis.step)});
    std::span<ViewAxis> list = out.nodes.list(axes);
    result->axes = {list.data(), list.size()};
    return result;
  }

  /// An allocation of a function is one array, however many calls of it there are.
  Expr *copyAllocation(const Allocation &allocation) {
    Allocation *result = clone(allocation);
    result->id = allocationIds().try_emplace({&from, allocation.id}, uint32_t(allocationIds().size())).first->second;
    return result;
  }

  std::map<std::pair<const TypedFunction *, uint32_t>, uint32_t> &allocationIds() { return *ids; }

  Expr *copyConditional(const Conditional &conditional) {
    Conditional *result = clone(conditional);
    result->test = copy(*conditional.test);
    result->then = copy(*conditional.then);
    result->otherwise = copy(*conditional.otherwise);
    return result;
  }

  Expr *copyBlock(const Block &block) {
    Block *result = clone(block);
    result->body = copy(block.body);
    result->value = copy(*block.value);
    return result;
  }

  Expr *copyCall(const Call &call) {
    if (call.callee->hasBarrier)
      refuse(from, call.span, "a device function that contains syncthreads() is called inside of an expression",
             "assign its result to a variable first");
    Call *result = clone(call);
    result->arguments = copyAll(call.arguments);
    return result;
  }

  template <typename T, typename Change> Expr *changed(const Expr &expression, Change change) {
    T *result = clone(expression.as<T>());
    change(*result);
    return result;
  }

  Expr *copy(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Const:
      return clone(e.as<Const>());
    case ExprKind::Slot:
      return changed<SlotRead>(e, [&](SlotRead &read) { read.slot = slots[read.slot->index]; });
    case ExprKind::Operation:
      return changed<OperationExpr>(e, [&](OperationExpr &op) { op.operands = copyAll(op.operands); });
    case ExprKind::Conditional:
      return copyConditional(e.as<Conditional>());
    case ExprKind::Call:
      return copyCall(e.as<Call>());
    case ExprKind::Load:
      return changed<Load>(e, [&](Load &load) { load.at = copy(load.at); });
    case ExprKind::View:
      return copyView(e.as<View>());
    case ExprKind::Attribute:
      return changed<Attribute>(e, [&](Attribute &a) { a.array = copy(*a.array); });
    case ExprKind::Tuple:
      return changed<Tuple>(e, [&](Tuple &tuple) { tuple.items = copyAll(tuple.items); });
    case ExprKind::Item:
      return changed<Item>(e, [&](Item &item) { item.tuple = copy(*item.tuple); });
    case ExprKind::ItemAt:
      return changed<ItemAt>(e, [&](ItemAt &item) {
        item.tuple = copy(*item.tuple);
        item.index = copy(*item.index);
      });
    case ExprKind::Block:
      return copyBlock(e.as<Block>());
    case ExprKind::Allocation:
      return copyAllocation(e.as<Allocation>());
    case ExprKind::Captured:
      return changed<Captured>(e, [&](Captured &captured) { captured.id += firstCaptured; });
    case ExprKind::Atomic:
      return changed<Atomic>(e, [&](Atomic &atomic) {
        atomic.value = copy(*atomic.value);
        atomic.compare = copyOptional(atomic.compare);
        atomic.at = copy(atomic.at);
      });
    }
    failCheck("a known kind of expression", __FILE__, __LINE__);
  }

  const Call *barrierCall(const Stmt &statement) {
    const Expr *value = statement.kind == StmtKind::Assign   ? statement.as<Assign>().value
                        : statement.kind == StmtKind::Effect ? statement.as<Effect>().value
                                                             : nullptr;
    const bool isCall = value && value->kind == ExprKind::Call && value->as<Call>().callee->hasBarrier;
    return isCall ? &value->as<Call>() : nullptr;
  }

  void copyInto(std::vector<Stmt *> &statements, const Stmt &statement) {
    if (const Call *call = barrierCall(statement))
      expand(statements, statement, *call);
    else
      statements.push_back(copyOne(statement));
  }

  Stmt *assignment(Slot *slot, Expr *value, SourceSpan span) {
    Assign *result = out.nodes.make<Assign>();
    result->kind = StmtKind::Assign;
    result->span = span;
    result->slot = slot;
    result->value = value;
    return result;
  }

  void expand(std::vector<Stmt *> &statements, const Stmt &statement, const Call &call) {
    TreeCopy callee(out, *call.callee);
    callee.ids = ids;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      callee.slots[i]->isParameter = false;
      statements.push_back(assignment(callee.slots[i], copy(*call.arguments[i]), call.span));
    }
    Body body = call.callee->body;
    const Stmt *last = body.empty() ? nullptr : body.back();
    const bool returnsLast = last && last->kind == StmtKind::Return;
    if (returnsLast)
      body = body.first(body.size() - 1);
    for (const Stmt *inner : body) {
      callee.refuseReturns(*inner);
      callee.copyInto(statements, *inner);
    }
    if (statement.kind == StmtKind::Assign && returnsLast)
      statements.push_back(assignment(slots[statement.as<Assign>().slot->index], callee.copy(*last->as<Return>().value),
                                      statement.span));
  }

  void refuseReturns(const Stmt &statement) {
    TreeVisitor visitor{[](const Expr &) { return true; },
                        [&](const Stmt &node) {
                          if (node.kind == StmtKind::Return)
                            refuse(from, node.span,
                                   "a device function that contains syncthreads() returns before its end",
                                   "let it return at its last line only");
                          return true;
                        }};
    visitor.walk(statement);
  }

  Stmt *copyOne(const Stmt &s) {
    switch (s.kind) {
    case StmtKind::Assign:
      return assignment(slots[s.as<Assign>().slot->index], copy(*s.as<Assign>().value), s.span);
    case StmtKind::Store:
      return changedStatement<Store>(s, [&](Store &store) {
        store.value = copy(*store.value);
        store.at = copy(store.at);
      });
    case StmtKind::Effect:
      return changedStatement<Effect>(s, [&](Effect &effect) { effect.value = copy(*effect.value); });
    case StmtKind::If:
      return changedStatement<If>(s, [&](If &branch) {
        branch.test = copy(*branch.test);
        branch.then = copy(branch.then);
        branch.otherwise = copy(branch.otherwise);
      });
    case StmtKind::While:
      return changedStatement<While>(s, [&](While &loop) {
        loop.test = copy(*loop.test);
        loop.body = copy(loop.body);
        loop.otherwise = copy(loop.otherwise);
      });
    case StmtKind::Range:
      return copyRange(s.as<Range>());
    case StmtKind::Return:
      return changedStatement<Return>(s, [&](Return &back) { back.value = copyOptional(back.value); });
    case StmtKind::Assert:
      return changedStatement<Assert>(s, [&](Assert &assertion) { assertion.test = copy(*assertion.test); });
    case StmtKind::Print:
      return changedStatement<Print>(s, [&](Print &print) { print.items = copyAll(print.items); });
    case StmtKind::Raise:
      return clone(s.as<Raise>());
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Barrier:
      return clone(s);
    }
    failCheck("a known kind of statement", __FILE__, __LINE__);
  }

  template <typename T, typename Change> Stmt *changedStatement(const Stmt &statement, Change change) {
    T *result = clone(statement.as<T>());
    change(*result);
    return result;
  }

  Stmt *copyRange(const Range &range) {
    Range *result = clone(range);
    result->slot = slots[range.slot->index];
    result->start = copy(*range.start);
    result->stop = copy(*range.stop);
    result->step = copy(*range.step);
    result->body = copy(range.body);
    result->otherwise = copy(range.otherwise);
    return result;
  }

public:
  std::map<std::pair<const TypedFunction *, uint32_t>, uint32_t> *ids = nullptr;

private:
  TypedFunction &out;
  const TypedFunction &from;
  uint32_t firstCaptured = 0;
};

} // namespace

std::unique_ptr<TypedFunction> inlineBarriers(const TypedFunction &kernel) {
  bool callsBarrier = false;
  for (const auto &callee : kernel.callees)
    callsBarrier |= callee->hasBarrier;
  if (!callsBarrier)
    return nullptr;
  auto out = std::make_unique<TypedFunction>();
  out->name = kernel.name;
  out->source = kernel.source;
  out->span = kernel.span;
  out->signature = kernel.signature;
  out->rules = kernel.rules;
  out->isKernel = kernel.isKernel;
  out->parameterCount = kernel.parameterCount;
  out->hasBarrier = out->hasSharedMemory = true;
  out->writesMemory = kernel.writesMemory;
  std::map<std::pair<const TypedFunction *, uint32_t>, uint32_t> ids;
  TreeCopy copy(*out, kernel);
  copy.ids = &ids;
  out->body = copy.copy(kernel.body);
  out->size = kernel.size;
  return out;
}

} // namespace treadle
