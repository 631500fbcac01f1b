// remainders: finds differences from a multiple of a quotient.
#include "passes/rewrites/remainders.h"

#include "passes/analyses/tree_walk.h"
#include "typed/nodes.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/ADT/BitVector.h"

#include <unordered_map>

namespace treadle {

using namespace typed;

namespace {

struct Quotient {
  const Slot *dividend;
  const Const *divisor;
};

using Remainders = std::unordered_map<const Expr *, Quotient>;

/// Walks statement lists in order: what has been assigned in a list, or in those around it, has run before.
class Search {
public:
  Search(const TypedFunction &kernel, const Uses &uses) : uses(uses), defined(uses.slotCount()) { search(kernel.body); }

  Remainders found;

private:
  /// Has one value from here to the end of the list and of those around it, up to the loop whose variable it is.
  bool isFixed(const Slot &slot) const {
    if (slot.isParameter)
      return uses.assignments(slot) == 0;
    return defined.test(slot.index) && (uses.onlyValue(slot) || uses.onlyLoop(slot));
  }

  std::optional<Quotient> quotientOf(const Expr &value) const {
    if (const Slot *slot = readSlot(value)) {
      const auto known = quotients.find(slot);
      return known == quotients.end() ? std::nullopt : std::optional(known->second);
    }
    if (!isOperation(value, Operation::FloorDiv) || !value.type->isInt())
      return std::nullopt;
    const auto &division = value.as<OperationExpr>();
    const Slot *dividend = readSlot(*division.operands[0]);
    if (!dividend || division.operands[1]->kind != ExprKind::Const || !isFixed(*dividend))
      return std::nullopt;
    const auto &divisor = division.operands[1]->as<Const>();
    return divisor.integer > 0 ? std::optional(Quotient{dividend, &divisor}) : std::nullopt;
  }

  void look(const Expr &expression) {
    if (!isOperation(expression, Operation::Sub) || !expression.type->isInt())
      return;
    const auto &difference = expression.as<OperationExpr>();
    if (!isOperation(*difference.operands[1], Operation::Mul))
      return;
    const auto &product = difference.operands[1]->as<OperationExpr>();
    for (const unsigned position : {0u, 1u})
      if (const std::optional<Quotient> quotient = quotientOf(*product.operands[position]);
          quotient && readSlot(*difference.operands[0]) == quotient->dividend &&
          product.operands[1 - position]->kind == ExprKind::Const &&
          isSameConstant(*product.operands[1 - position], *quotient->divisor))
        found.emplace(&expression, *quotient);
  }

  void search(Body body) {
    const auto before = quotients;
    const llvm::BitVector definedBefore = defined;
    for (const Stmt *statement : body) {
      forEachExpression(*statement, [&](const Expr &part) {
        anyNode(part, [&](const Expr &node) {
          look(node);
          return false;
        });
      });
      if (statement->kind == StmtKind::Range)
        defined.set(statement->as<Range>().slot->index);
      forEachBody(*statement, [&](Body inner) { search(inner); });
      if (statement->kind == StmtKind::Assign)
        assign(statement->as<Assign>());
    }
    quotients = before;
    defined = definedBefore;
  }

  void assign(const Assign &assign) {
    if (uses.onlyValue(*assign.slot))
      if (const std::optional<Quotient> quotient = quotientOf(*assign.value))
        quotients.emplace(assign.slot, *quotient);
    defined.set(assign.slot->index);
  }

  const Uses &uses;
  llvm::BitVector defined;
  std::unordered_map<const Slot *, Quotient> quotients; ///< that have been assigned
};

class Remaindering final : public Rule {
public:
  explicit Remaindering(Remainders remainders) : found(std::move(remainders)) {}

  Expr *expression(const Rest &rest, const Expr &expression) override {
    const auto known = found.find(&expression);
    if (known == found.end())
      return rest(expression);
    Rewriter &copy = rest.copy;
    Slot *dividend = copy.slots[known->second.dividend->index];
    return copy.nodes.operation(Operation::Mod, expression.type,
                                {copy.nodes.read(dividend, expression.span), copy.copy(*known->second.divisor)},
                                expression.span);
  }

private:
  const Remainders found;
};

} // namespace

std::unique_ptr<Rule> remainders(const RuleInput &input) {
  Search search(input.kernel, input.uses.of(input.kernel));
  return search.found.empty() ? nullptr : std::make_unique<Remaindering>(std::move(search.found));
}

} // namespace treadle
