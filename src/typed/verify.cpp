// The verifier of typed trees.
#include "typed/verify.h"

#include "support/error.h"
#include "typed/nodes.h"
#include "typed/purity.h"
#include "typed/unset_slots.h"
#include "typed/walk.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/core.h>
#include <unordered_map>
#include <unordered_set>

namespace treadle {

namespace {

using namespace typed;

/// Uses an explicit stack, since trees may be deeper than the thread's.
class Verifier {
public:
  explicit Verifier(const TypedFunction &function) : function(function) {}

  void run() {
    checkSlots();
    checkEffects();
    enter(function.body, {});
    while (!expressions.empty() || !bodies.empty()) {
      if (!expressions.empty()) {
        const Expr &next = *expressions.back();
        expressions.pop_back();
        check(next);
        forEachPart(next, [&](const Expr &part) { visit(part); }, [&](Body body) { enter(body, {.isInBlock = true}); });
        continue;
      }
      const auto [body, context] = bodies.back();
      bodies.pop_back();
      for (const Stmt *statement : body)
        check(*statement, context);
    }
    checkUnset(); // last, as it relies on the other checks: `break` is in a loop
  }

  const std::vector<const Allocation *> &allocations() const { return found; }

private:
  /// The context of a list of statements.
  struct Context {
    bool isInLoop = false;  ///< of a loop of the same function or Block
    bool isInBlock = false; ///< of a Block expression
  };
  [[noreturn]] void fail(SourceSpan span, const std::string &what) const {
    throw InternalError(fmt::format("typed tree of {}, line {}: {}", function.name, span.line, what));
  }
  void require(bool holds, SourceSpan span, const char *what) const {
    if (!holds)
      fail(span, what);
  }
  void same(const Type *found, const Type *expected, SourceSpan span, const char *what) const {
    if (found != expected)
      fail(span, std::string(what) + " is " + found->name() + ", not " + expected->name());
  }

  void visit(const Expr &expression) {
    require(seen.insert(&expression).second, expression.span, "a node stands in two places");
    expressions.push_back(&expression);
  }
  void enter(Body body, Context context) { bodies.emplace_back(body, context); }

  void checkEffects() const {
    using Flags = std::array<bool, sizeof(Effects)>;
    Effects all = effectsOf(function);
    all |= function.effects;
    require(std::bit_cast<Flags>(all) == std::bit_cast<Flags>(function.effects), function.span, "untold effects");
  }

  void checkUnset() const {
    for (const Slot *slot : unsetSlots(function))
      fail(slot->span, fmt::format("variable {} is read where no value was assigned to it", slot->index));
  }

  void checkSlots() const {
    require(function.parameterCount == function.signature.arguments.size(), function.span, "parameters and signature");
    for (size_t i = 0; i < function.slots.size(); ++i) {
      const Slot &slot = *function.slots[i];
      require(slot.index == i, slot.span, "index of a slot");
      require(slot.isParameter == (i < function.parameterCount), slot.span, "parameters come first");
      require(slot.type->isRuntime(), slot.span, "a slot needs a run-time type");
      if (slot.isParameter)
        same(slot.type, function.signature.arguments[i], slot.span, "a parameter");
    }
  }

  void checkSlot(const Slot *slot, SourceSpan span) const {
    require(slot->index < function.slots.size() && function.slots[slot->index] == slot, span,
            "a slot of another function");
  }

  void checkIndexed(const Indexed &at, const Type *value, SourceSpan span) const {
    require(at.array->type->isArray(), span, "indexed value is no array");
    require(at.indices.size() == at.array->type->ndim(), span, "number of indices");
    require(value->isNumber(), span, "an element is no number");
    same(value, at.array->type->element(), span, "an element");
    for (const Expr *index : at.indices)
      require(index->type->isInt(), span, "an index is no integer");
  }

  void checkOperation(const OperationExpr &expression) const;
  void checkArithmetic(const OperationExpr &expression, const Type *first) const;
  void check(const Expr &expression);
  void checkTuple(const Expr &expression) const;
  void checkView(const View &view) const;
  void checkWarpOp(const WarpOp &expression) const;
  void checkCall(const Call &call) const;
  void check(const Stmt &statement, Context context);

  const TypedFunction &function;
  std::vector<const Expr *> expressions;
  std::vector<std::pair<Body, Context>> bodies;
  std::unordered_set<const Expr *> seen;
  std::vector<const Allocation *> found;
};

void Verifier::checkOperation(const OperationExpr &expression) const {
  const SourceSpan span = expression.span;
  const auto &operands = expression.operands;
  require(operands.size() == rowOf(expression.op).operands, span, "number of operands");
  const Type *type = expression.type;
  if (operands.empty()) {
    require(expression.op == Operation::MakeNone ? type->isOptional() : type->isInt(), span, "type of an operation");
    return;
  }
  const Type *first = operands[0]->type;
  switch (expression.op) {
  case Operation::Select:
    require(first->isBool(), span, "test of a select");
    same(operands[1]->type, type, span, "the first value");
    return same(operands[2]->type, type, span, "the second value");
  case Operation::Convert:
    require(first->isNumber() && type->isNumber() && first != type, span, "conversion");
    require(!first->isComplex() || type->isComplex() || type->isBool(), span, "conversion of a complex number");
    return;
  case Operation::MakeSome:
    require(type->isOptional(), span, "some");
    return same(first, type->element(), span, "the value of an Optional");
  case Operation::HasValue:
    return require(first->isOptional() && type->isBool(), span, "has_value");
  case Operation::Unwrap:
    require(first->isOptional(), span, "unwrap");
    return same(type, first->element(), span, "an unwrapped value");
  case Operation::Real:
  case Operation::Imag:
    require(first->isComplex(), span, "part of a complex number");
    return same(type, first->element(), span, "a part");
  case Operation::MakeComplex:
    same(first, type->element(), span, "real part");
    return same(operands[1]->type, type->element(), span, "imaginary part");
  default:
    return checkArithmetic(expression, first);
  }
}

void Verifier::checkArithmetic(const OperationExpr &expression, const Type *first) const {
  const SourceSpan span = expression.span;
  const Operation op = expression.op;
  const Type *type = expression.type;
  require(first->isNumber(), span, "operand is no number");
  if (isComparison(op)) {
    const Type *second = expression.operands[1]->type;
    require(first == second || (first->isInteger() && second->isInteger()), span, "operands of a comparison");
    return require(type->isBool(), span, "result of a comparison");
  }
  if (op == Operation::PowInt || op == Operation::RoundDigits) {
    require(first->isFloat() || first->isComplex(), span, "base");
    same(type, first, span, "a power");
    return same(expression.operands[1]->type, types::int64(), span, "an exponent");
  }
  for (size_t i = 1; i < expression.operands.size(); ++i)
    same(expression.operands[i]->type, first, span, "the other operands");
  if (isOfClass(op, OperationClass::Rounding)) {
    require(first->isFloat(), span, "rounding of no float");
    return require(type == first || type->isInt(), span, "result of rounding");
  }
  if (op == Operation::Not)
    return require(first->isBool() && type->isBool(), span, "not");
  if (isOfClass(op, OperationClass::Classification))
    return require(first->isFloat() && type->isBool(), span, "classification");
  if (op == Operation::Abs && first->isComplex())
    return same(type, first->element(), span, "abs of a complex number");
  if (op == Operation::TrueDiv)
    require(first->isFloat() || first->isComplex(), span, "division of integers");
  if (isOfClass(op, OperationClass::Math))
    require(first == types::float32() || first == types::float64(), span, "argument of a math function");
  if (isOfClass(op, OperationClass::Bitwise))
    require(first->isInteger(), span, "operand is no integer");
  if (op != Operation::Bitcast)
    same(type, first, span, "the result");
}

void Verifier::checkTuple(const Expr &expression) const {
  const SourceSpan span = expression.span;
  if (expression.kind == ExprKind::Tuple) {
    const auto &items = expression.as<Tuple>().items;
    require(expression.type->isTuple() && expression.type->items().size() == items.size(), span, "items of a tuple");
    for (size_t i = 0; i < items.size(); ++i)
      same(items[i]->type, expression.type->items()[i], span, "an item");
  } else if (expression.kind == ExprKind::Item) {
    const auto &item = expression.as<Item>();
    require(item.tuple->type->isTuple() && item.index < item.tuple->type->items().size(), span, "position of an item");
    same(expression.type, item.tuple->type->items()[item.index], span, "an item");
  } else {
    const auto &item = expression.as<ItemAt>();
    require(item.tuple->type->isUniTuple() && item.index->type->isInt(), span, "item at run time");
    same(expression.type, item.tuple->type->items()[0], span, "an item");
  }
}

void Verifier::checkWarpOp(const WarpOp &expression) const {
  const SourceSpan span = expression.span;
  const auto &operands = expression.operands;
  const auto &[name, kind, expected] = rowOf(expression.op);
  require(operands.size() == expected, span, "number of operands of a warp operation");
  if (expected > 0)
    same(operands[0]->type, types::uint32(), span, "the mask of a warp operation");
  if (kind == WarpClass::Shuffle) {
    same(operands[1]->type, expression.type, span, "the value of a shuffle");
    same(operands[2]->type, types::int32(), span, "the lane of a shuffle");
    same(operands[3]->type, types::int32(), span, "the width of a shuffle");
  } else if (kind == WarpClass::Vote) {
    require(operands[1]->type->isBool(), span, "the predicate of a vote");
  } else if (kind == WarpClass::Match) {
    require(operands[1]->type->bits() >= 32, span, "the value of a match");
  }
}

void Verifier::checkCall(const Call &call) const {
  const auto &parameters = call.callee->signature.arguments;
  require(call.arguments.size() == parameters.size(), call.span, "number of arguments");
  for (size_t i = 0; i < parameters.size(); ++i)
    same(call.arguments[i]->type, parameters[i], call.span, "an argument");
  same(call.type, call.callee->signature.result, call.span, "the result of a call");
  const auto &callees = function.callees;
  require(call.callee == &function ||
              std::any_of(callees.begin(), callees.end(), [&](const auto &one) { return one.get() == call.callee; }),
          call.span, "the callee is not listed");
}

void Verifier::checkView(const View &view) const {
  require(view.array->type->isArray() && view.type->isArray(), view.span, "view of no array");
  const bool isLocal = view.type->space() == Space::Local, wasLocal = view.array->type->space() == Space::Local;
  const bool hasStrides = view.type->layout() == Layout::Any || view.type->ndim() == 0;
  require(isLocal == wasLocal || (wasLocal && hasStrides), view.span, "view of a local array, or as one");
  if (view.view == ViewKind::Reshape) {
    const auto isExtent = [](const ViewAxis &axis) {
      return axis.kind == ViewAxis::Kind::Index && axis.start->type == types::intp();
    };
    require(view.array->type->layout() == Layout::C && view.type->layout() == Layout::C, view.span, "reshaped order");
    require(view.axes.size() == view.type->ndim() && std::all_of(view.axes.begin(), view.axes.end(), isExtent),
            view.span, "extents of a reshaped array");
    same(view.type->element(), view.array->type->element(), view.span, "reshaped elements");
  }
  if (view.view == ViewKind::Transpose) {
    const auto isAxis = [&](const ViewAxis &axis) {
      return axis.kind == ViewAxis::Kind::Index && axis.start->kind == ExprKind::Const &&
             uint64_t(axis.start->as<Const>().integer) < view.array->type->ndim();
    };
    require(view.type->ndim() == view.array->type->ndim(), view.span, "axes of a transposed array");
    require(view.axes.empty() || (view.axes.size() == view.type->ndim() && std::ranges::all_of(view.axes, isAxis)),
            view.span, "the order of axes");
  }
  if (view.view == ViewKind::Retype) {
    require(view.array->type->space() != Space::Local, view.span, "elements of a local array in another size");
    require(view.type->ndim() == view.array->type->ndim() && view.type->ndim() > 0, view.span,
            "axes of a retyped array");
    require(view.axes.size() == 1 && view.axes[0].start->type == types::intp(), view.span, "a retyped extent");
  }
  if (view.view == ViewKind::Peer) {
    require(view.array->type->space() == Space::Shared || view.array->type->space() == Space::Generic, view.span,
            "another block's array that is not shared");
    require(view.type->ndim() == view.array->type->ndim() && view.type->space() == Space::Generic, view.span,
            "another block's array");
    require(view.axes.size() == 1 && view.axes[0].start->type == types::int32(), view.span, "a block's rank");
  }
  if (view.view != ViewKind::Field)
    return;
  const Type *record = view.array->type->element();
  require(view.field < record->fields().size(), view.span, "field of no record");
  same(view.type, types::fieldView(view.array->type, record->fields()[view.field]), view.span, "a field");
}

void Verifier::check(const Expr &expression) {
  const SourceSpan span = expression.span;
  switch (expression.kind) {
  case ExprKind::Const:
    return require(expression.type->isNumber() || expression.type->isArray() || !hasStorage(expression.type), span,
                   "a constant");
  case ExprKind::Slot:
    checkSlot(expression.as<SlotRead>().slot, span);
    return same(expression.type, expression.as<SlotRead>().slot->type, span, "a variable's value");
  case ExprKind::Operation:
    return checkOperation(expression.as<OperationExpr>());
  case ExprKind::Conditional: {
    const auto &conditional = expression.as<Conditional>();
    require(conditional.test->type->isBool(), span, "test of a conditional expression");
    same(conditional.then->type, expression.type, span, "the first value");
    return same(conditional.otherwise->type, expression.type, span, "the second value");
  }
  case ExprKind::Call:
    return checkCall(expression.as<Call>());
  case ExprKind::Load:
    return checkIndexed(expression.as<Load>().at, expression.type, span);
  case ExprKind::View:
    return checkView(expression.as<View>());
  case ExprKind::Attribute:
    return require(expression.as<Attribute>().array->type->isArray(), span, "attribute of no array");
  case ExprKind::Tuple:
  case ExprKind::Item:
  case ExprKind::ItemAt:
    return checkTuple(expression);
  case ExprKind::Block:
    return same(expression.as<Block>().value->type, expression.type, span, "value of a block");
  case ExprKind::Allocation:
    found.push_back(&expression.as<Allocation>());
    return require(expression.type->ndim() == expression.as<Allocation>().shape.size(), span, "shape of an array");
  case ExprKind::HeapArray:
    require(expression.type->ndim() == 1 && expression.type->space() == Space::Global, span, "type of a heap array");
    return same(expression.as<HeapArray>().count->type, types::intp(), span, "size of a heap array");
  case ExprKind::Captured:
    return require(expression.as<Captured>().id < function.captured.size(), span, "a captured array");
  case ExprKind::WarpOp:
    return checkWarpOp(expression.as<WarpOp>());
  case ExprKind::Atomic:
    checkIndexed(expression.as<Atomic>().at, expression.type, span);
    if (const Expr *compare = expression.as<Atomic>().compare)
      same(compare->type, expression.type, span, "second operand of an atomic");
    else
      require(expression.as<Atomic>().op != AtomicOperation::CompareAndSwap, span, "operands of an atomic");
    return same(expression.as<Atomic>().value->type, expression.type, span, "operand of an atomic");
  }
}

void Verifier::check(const Stmt &statement, Context context) {
  const Context body{true, context.isInBlock};
  const SourceSpan span = statement.span;
  switch (statement.kind) {
  case StmtKind::Assign:
    checkSlot(statement.as<Assign>().slot, span);
    same(statement.as<Assign>().value->type, statement.as<Assign>().slot->type, span, "an assigned value");
    break;
  case StmtKind::Store:
    checkIndexed(statement.as<Store>().at, statement.as<Store>().value->type, span);
    require(!statement.as<Store>().at.array->type->isReadOnly(), span, "store into a read-only array");
    break;
  case StmtKind::If:
    require(statement.as<If>().test->type->isBool(), span, "test of an if");
    break;
  case StmtKind::While:
    require(statement.as<While>().test->type->isBool(), span, "test of a while");
    enter(statement.as<While>().body, body);
    enter(statement.as<While>().otherwise, context);
    return visit(*statement.as<While>().test);
  case StmtKind::Range: {
    const auto &range = statement.as<Range>();
    checkSlot(range.slot, span);
    require(range.counter->isInt(), span, "counter of a range");
    for (const Type *type : {range.slot->type, range.start->type, range.stop->type, range.step->type})
      same(type, range.counter, span, "a bound or the variable of a range");
    for (const Expr *bound : {range.start, range.stop, range.step})
      visit(*bound);
    enter(range.body, body);
    return enter(range.otherwise, context);
  }
  case StmtKind::Break:
  case StmtKind::Continue:
    require(context.isInLoop, span, "break or continue outside of a loop");
    break;
  case StmtKind::Return: {
    const Expr *value = statement.as<Return>().value;
    require(!context.isInBlock, span, "return out of an expression");
    require((value != nullptr) == hasStorage(function.signature.result), span, "a returned value");
    if (value)
      same(value->type, function.signature.result, span, "the returned value");
    break;
  }
  case StmtKind::Barrier: {
    const Expr *predicate = statement.as<Barrier>().predicate;
    const BarrierKind kind = statement.as<Barrier>().barrier;
    require((predicate != nullptr) == hasPredicate(kind), span, "a predicate");
    require(!predicate || predicate->type->isBool(), span, "the predicate of a barrier");
    break;
  }
  case StmtKind::Assert:
    require(statement.as<Assert>().test->type->isBool(), span, "test of an assert");
    break;
  case StmtKind::Effect:
  case StmtKind::Raise:
  case StmtKind::Print:
    break;
  }
  forEachPart(statement, [&](const Expr &part) { visit(part); }, [&](Body inner) { enter(inner, context); });
}

} // namespace

void verify(const TypedFunction &function) { Verifier(function).run(); }

void verifyAll(const TypedFunction &kernel) {
  std::vector<const TypedFunction *> functions{&kernel};
  std::unordered_set<const TypedFunction *> seen{&kernel};
  std::unordered_map<uint32_t, const Allocation *> arrays;
  while (!functions.empty()) {
    const TypedFunction &function = *functions.back();
    functions.pop_back();
    Verifier verifier(function);
    verifier.run();
    for (const Allocation *found : verifier.allocations()) {
      const Allocation &first = *arrays.try_emplace(found->id, found).first->second;
      if (found->type != first.type || !std::ranges::equal(found->shape, first.shape) ||
          found->span.line != first.span.line || found->span.column != first.span.column)
        throw InternalError(fmt::format("typed tree of {}: two arrays have the id {}", function.name, found->id));
    }
    for (const auto &callee : function.callees)
      if (seen.insert(callee.get()).second)
        functions.push_back(callee.get());
  }
}

uint32_t typed::countNodes(const TypedFunction &function) {
  uint32_t count = 0;
  auto counted = [&](const auto &) {
    ++count;
    return false;
  };
  typed::anyNode(function, counted, counted);
  return count;
}

uint64_t typed::countExpanded(const TypedFunction &function) {
  // Few levels of calls reach any limit; more would overflow.
  constexpr uint64_t most = uint64_t(1) << 40;
  uint64_t count = function.size;
  const auto addCall = [&](const Expr &expression) {
    if (expression.kind == ExprKind::Call && expression.as<Call>().callee->forceInline)
      count = std::min(most, count + expression.as<Call>().callee->expandedSize);
    return false;
  };
  typed::anyNode(function, addCall);
  return count;
}

} // namespace treadle
