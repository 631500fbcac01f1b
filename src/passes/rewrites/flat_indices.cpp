// flat_indices: which divisions stand for a row and a column, and the test that a warp is within one row.
#include "passes/rewrites/flat_indices.h"

#include "passes/analyses/liveness.h"
#include "passes/analyses/tree_walk.h"
#include "passes/rewrites/doubled_statements.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <unordered_set>
#include <utility>

namespace treadle {

using namespace typed;

namespace {

/// The maximum number of nodes in duplicated statements.
constexpr unsigned budget = 250;

/// With shorter rows of known length, most warps have threads of two rows.
constexpr int64_t shortestRow = 128;

bool isDivision(const Expr &expression) {
  return isOperation(expression, Operation::FloorDiv) || isOperation(expression, Operation::Mod);
}

/// Of expressions that DoubledStatements::isFixed allows.
/// `i // w` and `i % w` are one division where operands are the same at both places, which fixed ones are if they have
/// the same form.
bool areSame(const Expr &left, const Expr &right) {
  if (left.kind != right.kind || left.type != right.type)
    return false;
  if (const Slot *slot = readSlot(left))
    return slot == readSlot(right);
  if (left.kind == ExprKind::Const)
    return isSameConstant(left, right);
  if (left.kind == ExprKind::Attribute) {
    const auto &one = left.as<Attribute>(), &other = right.as<Attribute>();
    return one.attribute == other.attribute && one.axis == other.axis && areSame(*one.array, *other.array);
  }
  const auto &one = left.as<OperationExpr>(), &other = right.as<OperationExpr>();
  return one.op == other.op &&
         llvm::equal(one.operands, other.operands, [](const Expr *a, const Expr *b) { return areSame(*a, *b); });
}

/// Quotients and remainders of the same operands.
struct Division {
  const Expr *dividend, *divisor;
  std::vector<const OperationExpr *> places;
};

struct Region : DoubledStatements {
  std::vector<Division> divisions;
  /// Variables of the region that have been assigned a quotient, and nothing else.
  std::map<const Slot *, const OperationExpr *> quotients;
};

class Plan {
public:
  Plan(const TypedFunction &kernel, const Uses &uses, const RangeSeeds &seeds)
      : liveness(findLiveness(kernel, true)), uses(uses), ranges(findRanges(kernel, seeds)), defined(uses.slotCount()) {
    plan(kernel.body);
  }

  const LivenessTable liveness;
  /// By their first statement; each extends to the end of its body, so that all that depends on the quotient is in it.
  std::map<const Stmt *, Region> regions;
  std::unordered_set<const Stmt *> others; ///< statements of regions after the first

private:
  /// The dividend's sign must be known: the test is about sums of it and of the divisor, which must not wrap.
  bool isCandidate(const OperationExpr &expression, const DoubledStatements &region) const {
    if (!isDivision(expression) || !expression.type->isInt() || !expression.type->isSigned())
      return false;
    const Expr &dividend = *expression.operands[0], &divisor = *expression.operands[1];
    const bool isShort = divisor.kind == ExprKind::Const && divisor.as<Const>().integer < shortestRow;
    return !isShort && isOfThread(dividend, uses) && ranges.of(dividend).isNonNegative() && region.isFixed(dividend) &&
           region.isFixed(divisor);
  }

  void add(Region &region, const OperationExpr &place) const { add(region, place, place); }

  /// `place` stands for the quotient, or the remainder, of `division`.
  void add(Region &region, const OperationExpr &place, const OperationExpr &division) const {
    const Expr &dividend = *division.operands[0], &divisor = *division.operands[1];
    const auto known = llvm::find_if(region.divisions, [&](const Division &one) {
      return areSame(*one.dividend, dividend) && areSame(*one.divisor, divisor);
    });
    if (known != region.divisions.end())
      known->places.push_back(&place);
    else
      region.divisions.push_back({&dividend, &divisor, {&place}});
  }

  /// `i - row * width` is a remainder, where `row` is `i // width`: the quotient of which this is the remainder.
  const OperationExpr *quotientBelow(const Region &region, const OperationExpr &difference) const {
    if (difference.op != Operation::Sub || !isOperation(*difference.operands[1], Operation::Mul))
      return nullptr;
    const auto &product = difference.operands[1]->as<OperationExpr>();
    for (const unsigned position : {0u, 1u}) {
      const Expr &factor = *product.operands[position];
      const Slot *slot = readSlot(factor);
      const auto known = slot ? region.quotients.find(slot) : region.quotients.end();
      const OperationExpr *quotient = known != region.quotients.end() ? known->second : nullptr;
      if (quotient && areSame(*quotient->operands[0], *difference.operands[0]) &&
          areSame(*quotient->operands[1], *product.operands[1 - position]))
        return quotient;
    }
    return nullptr;
  }

  /// Whether the statement has such a division of its own, not in its bodies.
  bool divides(const Stmt &statement) const {
    const DoubledStatements alone{{}, defined, llvm::BitVector(uses.slotCount())};
    bool found = false;
    forEachExpression(statement, [&](const Expr &part) {
      found |= anyNode(part, [&](const Expr &node) {
        return node.kind == ExprKind::Operation && isCandidate(node.as<OperationExpr>(), alone);
      });
    });
    return found;
  }

  bool add(Body statements) {
    if (!mayStandTwice(statements, budget))
      return false;
    Region region{{statements, defined, uses.assigned(uses.of(statements))}, {}, {}};
    const auto find = [&](const Expr &node) {
      if (node.kind != ExprKind::Operation)
        return false;
      const auto &operation = node.as<OperationExpr>();
      if (isCandidate(operation, region))
        add(region, operation);
      else if (const OperationExpr *quotient = quotientBelow(region, operation))
        add(region, operation, *quotient);
      return false;
    };
    for (const Stmt *statement : statements) {
      anyNode(*statement, find, [](const Stmt &) { return false; });
      if (statement->kind == StmtKind::Assign)
        noteQuotient(region, statement->as<Assign>());
    }
    if (region.divisions.empty())
      return false;
    others.insert(statements.begin() + 1, statements.end());
    regions.emplace(statements.front(), std::move(region));
    return true;
  }

  void noteQuotient(Region &region, const Assign &assign) const {
    if (isOperation(*assign.value, Operation::FloorDiv) && uses.onlyValue(*assign.slot) &&
        isCandidate(assign.value->as<OperationExpr>(), region))
      region.quotients.emplace(assign.slot, &assign.value->as<OperationExpr>());
  }

  /// A region takes the rest of its body, so nothing is left to plan after it; the bodies of its statements are in it,
  /// too. The test of a While runs again in each iteration, after statements that the region would have to include.
  void plan(Body body) {
    const llvm::BitVector definedBefore = defined;
    for (size_t i = 0; i < body.size(); ++i) {
      const Stmt &statement = *body[i];
      if (statement.kind != StmtKind::While && divides(statement) && add(body.subspan(i)))
        break;
      if (statement.kind == StmtKind::Range)
        planLoop(statement.as<Range>());
      else
        forEachBody(statement, [&](Body inner) { plan(inner); });
      if (statement.kind == StmtKind::Assign)
        defined.set(statement.as<Assign>().slot->index);
    }
    defined = definedBefore;
  }

  void planLoop(const Range &loop) {
    const llvm::BitVector definedBefore = defined;
    defined.set(loop.slot->index);
    plan(loop.body);
    defined = definedBefore;
    plan(loop.otherwise);
  }

  const Uses &uses;
  const RangeTable ranges;
  llvm::BitVector defined; ///< before the current statement, on every path
};

/// Duplicates the regions.
class FlatIndices final : public Rule {
public:
  explicit FlatIndices(const Plan &plan) : plan(plan) {}

  void statement(const Rest &rest, Statements &into, const Stmt &statement) override {
    if (plan.others.contains(&statement))
      return;
    const auto found = plan.regions.find(&statement);
    if (found == plan.regions.end())
      return rest(into, statement);
    const Region &region = found->second;
    Rewriter &copy = rest.copy;
    Expr *test = nullptr;
    std::vector<std::pair<const OperationExpr *, Slot *>> places;
    for (const Division &division : region.divisions) {
      const Parts parts = divided(copy, into, division);
      for (const OperationExpr *place : division.places)
        places.emplace_back(place, place->op == Operation::FloorDiv ? parts.quotient : parts.remainder);
      for (Expr *part : testsOf(copy, division, *parts.remainder))
        test = test ? copy.nodes.conditional(test, part, copy.nodes.boolean(false, part->span), part->span) : part;
    }
    into.push_back(region.inTwoVersions(rest, plan.liveness, test, [&] {
      for (const auto &[place, slot] : places)
        copy.replacements[place] = copy.nodes.read(slot, place->span);
    }));
  }

private:
  struct Parts {
    Slot *quotient, *remainder;
  };

  /// Appends what computes them. With the divisor's maximum with 1, the ranges of both are known; if it is less than 1,
  /// the test fails.
  /// Neither difference wraps, as the dividend is not negative: `begin` is between 0 and the first thread's dividend.
  static Parts divided(Rewriter &copy, Statements &into, const Division &division) {
    const Nodes &nodes = copy.nodes;
    const SourceSpan span = division.dividend->span;
    const Type *type = division.dividend->type;
    const auto newSlot = [&](Expr *value) {
      Slot *slot = copy.newSlot(type, span);
      into.push_back(nodes.assign(slot, value, span));
      return slot;
    };
    const auto compute = [&](Operation op, Expr *left, Expr *right) {
      return nodes.operation(op, type, {left, right}, span);
    };
    Slot *first = newSlot(nodes.operation(Operation::BroadcastFirst, type, {copy.copy(*division.dividend)}, span));
    Slot *length = newSlot(compute(Operation::Max, copy.copy(*division.divisor), nodes.integer(type, 1, span)));
    const auto ofFirst = [&](Operation op) { return compute(op, nodes.read(first, span), nodes.read(length, span)); };
    Slot *quotient = newSlot(ofFirst(Operation::FloorDiv));
    Slot *begin = newSlot(compute(Operation::Sub, nodes.read(first, span), ofFirst(Operation::Mod)));
    return {quotient, newSlot(compute(Operation::Sub, copy.copy(*division.dividend), nodes.read(begin, span)))};
  }

  static std::vector<Expr *> testsOf(Rewriter &copy, const Division &division, Slot &remainder) {
    const SourceSpan span = division.dividend->span;
    const auto compare = [&](Operation op, Expr *limit) {
      return copy.nodes.test(op, {copy.nodes.read(&remainder, span), limit}, span);
    };
    return {compare(Operation::Ge, copy.nodes.integer(remainder.type, 0, span)),
            compare(Operation::Lt, copy.copy(*division.divisor))};
  }

  const Plan &plan;
};

/// A quick check: most kernels have no such operation.
bool mayDivide(const TypedFunction &kernel) {
  return anyNode(kernel, [](const Expr &node) { return isDivision(node) && node.type->isInt(); });
}

} // namespace

std::shared_ptr<TypedFunction> separateFlatIndices(const TypedFunction &kernel, const Uses &uses,
                                                   const RangeSeeds &seeds) {
  if (!kernel.expanded.empty() || !mayDivide(kernel))
    return nullptr;
  const Plan plan(kernel, uses, seeds);
  if (plan.regions.empty())
    return nullptr;
  Rewriter::Rules rules;
  rules.push_back(std::make_unique<FlatIndices>(plan));
  return rewritten(kernel, rules);
}

} // namespace treadle
