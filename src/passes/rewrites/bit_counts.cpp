// bit_counts: finds the loops, and what their counters come to.
#include "passes/rewrites/bit_counts.h"

#include "passes/analyses/tree_walk.h"
#include "typed/traits.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace treadle {

using namespace typed;

namespace {

struct Counter {
  const Slot *slot;
  const Const *step; ///< added in each round; null: the lowest bit is
};

struct BitLoop {
  const Slot *bits = nullptr;
  bool shifts = false; ///< to the right by one; otherwise the lowest one becomes zero
  bool onlyAbove0 = false;
  std::vector<Counter> counters = {};
};

constexpr size_t mostCounters = 3;

bool isConst(const Expr &value, int64_t number) {
  return value.kind == ExprKind::Const && value.type->isInt() && value.as<Const>().integer == number;
}

bool keepsValue(const Type &from, const Type &to) {
  return from.isInt() && to.isInt() &&
         (from.isSigned() == to.isSigned() ? to.bits() >= from.bits() : to.isSigned() && to.bits() > from.bits());
}

/// The variable whose value this is, in its own type or a wider one.
const Slot *readWhole(const Expr &value) {
  if (isOperation(value, Operation::Convert)) {
    const Expr &from = *value.as<OperationExpr>().operands[0];
    return keepsValue(*from.type, *value.type) ? readWhole(from) : nullptr;
  }
  return value.type->isInt() ? readSlot(value) : nullptr;
}

/// The variable of which these are the lowest bits, and at least all of its own.
const Slot *readBits(const Expr &value) {
  if (isOperation(value, Operation::Convert)) {
    const Expr &from = *value.as<OperationExpr>().operands[0];
    return from.type->isInt() && value.type->isInt() && value.type->bits() >= from.type->bits() ? readBits(from)
                                                                                                : nullptr;
  }
  return value.type->isInt() ? readSlot(value) : nullptr;
}

/// What it is before conversions that keep its lowest `width` bits: between integers of at least so many.
const OperationExpr *computed(const Expr &value, unsigned width) {
  if (!value.type->isInt() || value.type->bits() < width || value.kind != ExprKind::Operation)
    return nullptr;
  const auto &operation = value.as<OperationExpr>();
  return operation.op == Operation::Convert ? computed(*operation.operands[0], width) : &operation;
}

bool isLowestBit(const Expr &value, const Slot &bits) {
  const OperationExpr *masked = computed(value, 8);
  return masked && masked->op == Operation::BitAnd && readBits(*masked->operands[0]) == &bits &&
         isConst(*masked->operands[1], 1);
}

/// `x`, `x != 0` or `x > 0`.
std::optional<BitLoop> tested(const Expr &test) {
  if (test.kind != ExprKind::Operation)
    return std::nullopt;
  const auto &compared = test.as<OperationExpr>();
  const bool isAbove = compared.op == Operation::Gt;
  if (compared.op != Operation::Convert &&
      !((isAbove || compared.op == Operation::Ne) && isConst(*compared.operands[1], 0)))
    return std::nullopt;
  const Slot *bits = readWhole(*compared.operands[0]);
  if (!bits || !bits->type->isInt())
    return std::nullopt;
  return BitLoop{.bits = bits, .onlyAbove0 = isAbove && bits->type->isSigned()};
}

/// `x & (x - 1)`.
bool clearsLowest(const OperationExpr &value, const Slot &bits) {
  if (value.op != Operation::BitAnd || readBits(*value.operands[0]) != &bits)
    return false;
  const OperationExpr *less = computed(*value.operands[1], bits.type->bits());
  return less && less->op == Operation::Sub && readBits(*less->operands[0]) == &bits && isConst(*less->operands[1], 1);
}

/// `x >> 1` or `x // 2`; of numbers below 0, it never comes to 0.
bool shifts(const OperationExpr &value, const BitLoop &loop) {
  const bool isHalf = value.op == Operation::Shr ? isConst(*value.operands[1], 1)
                                                 : value.op == Operation::FloorDiv && isConst(*value.operands[1], 2);
  return isHalf && readWhole(*value.operands[0]) == loop.bits && (loop.onlyAbove0 || !loop.bits->type->isSigned());
}

bool step(BitLoop &loop, const Assign &assign) {
  const OperationExpr *value = computed(*assign.value, loop.bits->type->bits());
  if (!value)
    return false;
  loop.shifts = shifts(*value, loop);
  return loop.shifts || clearsLowest(*value, *loop.bits);
}

/// `n += 1`, or `n += x & 1` before x is shifted.
bool count(BitLoop &loop, const Assign &assign, bool isBeforeStep) {
  if (!isOperation(*assign.value, Operation::Add) || !assign.slot->type->isInt())
    return false;
  const auto &sum = assign.value->as<OperationExpr>();
  const bool isNew = std::ranges::none_of(loop.counters, [&](const Counter &one) { return one.slot == assign.slot; });
  if (!isNew || readSlot(*sum.operands[0]) != assign.slot)
    return false;
  const Expr &added = *sum.operands[1];
  const bool isConstant = added.kind == ExprKind::Const;
  if (!isConstant && !(isBeforeStep && isLowestBit(added, *loop.bits)))
    return false;
  loop.counters.push_back({assign.slot, isConstant ? &added.as<Const>() : nullptr});
  return true;
}

std::optional<BitLoop> bitLoop(const While &loop) {
  std::optional<BitLoop> found = tested(*loop.test);
  if (!found || !loop.otherwise.empty() || loop.body.size() > 1 + mostCounters)
    return std::nullopt;
  bool hasStep = false;
  for (const Stmt *statement : loop.body) {
    if (statement->kind != StmtKind::Assign)
      return std::nullopt;
    const auto &assign = statement->as<Assign>();
    if (assign.slot == found->bits ? hasStep || !step(*found, assign) : !count(*found, assign, !hasStep))
      return std::nullopt;
    hasStep |= assign.slot == found->bits;
  }
  const bool countsBits = std::ranges::any_of(found->counters, [](const Counter &one) { return !one.step; });
  return hasStep && (found->shifts || !countsBits) ? found : std::nullopt;
}

class Counting final : public Rule {
public:
  using Loops = std::unordered_map<const Stmt *, BitLoop>;
  explicit Counting(Loops loops) : loops(std::move(loops)) {}

  void statement(const Rest &rest, Statements &into, const Stmt &statement) override {
    const auto found = loops.find(&statement);
    if (found == loops.end())
      return rest(into, statement);
    const BitLoop &loop = found->second;
    Rewriter &copy = rest.copy;
    if (!loop.onlyAbove0)
      return count(copy, into, loop, statement.span);
    Statements then;
    count(copy, then, loop, statement.span);
    into.push_back(copy.nodes.statement<If>(StmtKind::If, statement.span, copy.copy(*statement.as<While>().test),
                                            copy.listOf(then), Body()));
  }

private:
  static void count(Rewriter &copy, Statements &into, const BitLoop &loop, SourceSpan span) {
    const Nodes &nodes = copy.nodes;
    Slot *bits = copy.slots[loop.bits->index];
    for (const Counter &counter : loop.counters) {
      Slot *slot = copy.slots[counter.slot->index];
      const Type *type = slot->type;
      Expr *sum =
          converted(nodes, type, counter.step && loop.shifts ? length(nodes, *bits, span) : ones(nodes, *bits, span));
      if (counter.step)
        sum = nodes.operation(Operation::Mul, type, {sum, nodes.integer(type, counter.step->integer, span)}, span);
      into.push_back(
          nodes.assign(slot, nodes.operation(Operation::Add, type, {nodes.read(slot, span), sum}, span), span));
    }
    into.push_back(nodes.assign(bits, nodes.integer(bits->type, 0, span), span));
  }

  static Expr *converted(const Nodes &nodes, const Type *type, Expr *value) {
    return value->type == type ? value : nodes.operation(Operation::Convert, type, {value}, value->span);
  }

  static Expr *ones(const Nodes &nodes, Slot &bits, SourceSpan span) {
    return nodes.operation(Operation::Popc, bits.type, {nodes.read(&bits, span)}, span);
  }

  /// The number of bits without the zeros above the highest one.
  static Expr *length(const Nodes &nodes, Slot &bits, SourceSpan span) {
    const Type *type = bits.type->bits() < 32 ? types::int32() : bits.type;
    Expr *zeros = nodes.operation(Operation::Clz, type, {converted(nodes, type, nodes.read(&bits, span))}, span);
    return nodes.operation(Operation::Sub, type, {nodes.integer(type, type->bits(), span), zeros}, span);
  }

  const Loops loops;
};

void findIn(Body body, Counting::Loops &loops) {
  for (const Stmt *statement : body) {
    if (statement->kind == StmtKind::While)
      if (std::optional<BitLoop> found = bitLoop(statement->as<While>()))
        loops.emplace(statement, std::move(*found));
    forEachBody(*statement, [&](Body inner) { findIn(inner, loops); });
  }
}

} // namespace

std::unique_ptr<Rule> bitCounts(const RuleInput &input) {
  Counting::Loops loops;
  findIn(input.kernel.body, loops);
  return loops.empty() ? nullptr : std::make_unique<Counting>(std::move(loops));
}

} // namespace treadle
