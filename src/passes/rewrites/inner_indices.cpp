// inner_indices: which statements are duplicated, and the test before them.
#include "passes/rewrites/inner_indices.h"

#include "passes/analyses/tree_walk.h"
#include "passes/ranges/interval.h"
#include "passes/rewrites/doubled_statements.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

namespace treadle {

using namespace typed;

namespace {

/// The maximum number of nodes in duplicated statements.
constexpr unsigned budget = 160;

bool isSigned(const Expr &expression) { return expression.type->isInt() && expression.type->isSigned(); }

bool isSum(const Expr &expression) {
  return isOperation(expression, Operation::Add) || isOperation(expression, Operation::Sub);
}

const Expr &operand(const Expr &expression, unsigned number) {
  return *expression.as<OperationExpr>().operands[number];
}

/// Whether the sum never wraps where it is evaluated.
bool isWithoutWrap(const Expr &sum, const RangeTable &ranges) {
  return intervals::isExact(sum.as<OperationExpr>().op, sum.type, ranges.of(operand(sum, 0)),
                            ranges.of(operand(sum, 1)));
}

/// Duplicated statements, and the bounded sums in them.
struct Region : DoubledStatements {
  std::unordered_map<const Slot *, Interval> counted; ///< variables of loops in it, with their ranges
  std::vector<const Expr *> clamps;                   ///< Min, Max and Mod, the outermost of each index
};

class Plan {
public:
  Plan(const TypedFunction &kernel, const Uses &uses, const RangeSeeds &seeds)
      : liveness(findLiveness(kernel, true)), uses(uses), ranges(findRanges(kernel, seeds)), defined(uses.slotCount()) {
    plan(kernel.body);
  }

  /// Drops a region that turned out not to be one.
  void drop(const Stmt *first) {
    const auto place = regions.find(first);
    for (const Stmt *statement : place->second.statements)
      others.erase(statement);
    regions.erase(place);
  }

  const LivenessTable liveness;
  /// By their first statement.
  std::map<const Stmt *, Region> regions;
  std::unordered_set<const Stmt *> others; ///< statements of regions after the first

  /// The sum below `min`, `max` and `%`.
  static const Expr &sumBelow(const Expr &clamp, const Region &region, const Plan &plan) {
    const Expr *at = &clamp;
    while (const Expr *inner = plan.clamped(*at, region))
      at = inner;
    return *at;
  }

  /// The operand that a Min, Max or Mod bounds; nullptr if it is none of these or its bound may change in the region.
  /// `max(i - 1, 0)`: the bound is fixed and not the thread's own position, which tells it from the operand.
  const Expr *clamped(const Expr &expression, const Region &region) const {
    if (!isSigned(expression))
      return nullptr;
    if (isOperation(expression, Operation::Mod))
      return region.isFixed(operand(expression, 1)) ? &operand(expression, 0) : nullptr;
    if (!isOperation(expression, Operation::Min) && !isOperation(expression, Operation::Max))
      return nullptr;
    for (unsigned bound = 0; bound < 2; ++bound)
      if (region.isFixed(operand(expression, bound)) && !isOfThread(operand(expression, bound), uses))
        return &operand(expression, 1 - bound);
    return nullptr;
  }

private:
  /// A sum of invariants and of variables of loops in the region, which never wraps.
  bool isBounded(const Expr &expression, const Region &region) const {
    if (region.counted.contains(readSlot(expression)) || region.isFixed(expression))
      return true;
    if (!isSum(expression))
      return false;
    return isWithoutWrap(expression, ranges) && isBounded(operand(expression, 0), region) &&
           isBounded(operand(expression, 1), region);
  }

  /// Of the thread's position only, which is what makes neighbours access neighbouring elements.
  bool isCandidate(const Expr &expression, const Region &region) const {
    if (!clamped(expression, region))
      return false;
    const Expr &sum = sumBelow(expression, region, *this);
    return isSum(sum) && sum.type == expression.type && isOfThread(sum, uses) && isBounded(sum, region);
  }

  void describe(Region &region) const {
    const Uses::Part part = uses.of(region.statements);
    region.assigned = uses.assigned(part);
    for (const SlotUse &use : uses.in(part))
      if (use.kind == SlotUse::Kind::Count)
        count(region, use.assignment->as<Range>());
    findClamps(region, region.statements);
  }

  /// Records the range of a loop variable that only the loop changes.
  /// The limit keeps `extreme` far from the ends of int64, where sums with it would be given up as wrapping.
  void count(Region &region, const Range &loop) const {
    const bool isConstant = loop.start->kind == ExprKind::Const && loop.stop->kind == ExprKind::Const &&
                            loop.step->kind == ExprKind::Const && loop.slot->type == loop.counter;
    if (!isConstant || uses.assignments(*loop.slot) != 2)
      return;
    const int64_t start = loop.start->as<Const>().integer, stop = loop.stop->as<Const>().integer;
    const bool goesUp = loop.step->as<Const>().integer > 0;
    constexpr int64_t most = int64_t(1) << 31;
    if (std::min(start, stop) < -most || std::max(start, stop) > most || (goesUp ? start >= stop : start <= stop))
      return;
    region.counted[loop.slot] = goesUp ? Interval{start, stop - 1} : Interval{stop + 1, start};
  }

  /// A variable that is an index anywhere makes its value one, as in `left = max(i - 1, 0)` before `x[left]`.
  void findClamps(Region &region, Body body) const {
    const auto enter = [&](Body inner) { findClamps(region, inner); };
    for (const Stmt *statement : body) {
      const Indexed *at = statement->kind == StmtKind::Store ? &statement->as<Store>().at : nullptr;
      const bool isIndex =
          statement->kind == StmtKind::Assign && uses.isIndex(*statement->as<Assign>().slot, uses.all());
      forEachPart(
          *statement,
          [&](const Expr &part) {
            findClamps(region, part, isIndex || (at && llvm::is_contained(at->indices, &part)));
          },
          enter);
    }
  }

  /// `isIndex`: the value is an index of an element, or part of one.
  void findClamps(Region &region, const Expr &expression, bool isIndex) const {
    if (isIndex && isCandidate(expression, region))
      return region.clamps.push_back(&expression);
    const Indexed *at = expression.kind == ExprKind::Load ? &expression.as<Load>().at : nullptr;
    forEachPart(
        expression,
        [&](const Expr &part) { findClamps(region, part, isIndex || (at && llvm::is_contained(at->indices, &part))); },
        [&](Body body) { findClamps(region, body); });
  }

  bool add(Body statements) {
    if (!mayStandTwice(statements, budget))
      return false;
    Region region{{statements, defined, {}}, {}, {}};
    describe(region);
    if (region.clamps.empty())
      return false;
    others.insert(region.statements.begin() + 1, region.statements.end());
    const Stmt *first = region.statements.front();
    regions.emplace(first, std::move(region));
    return true;
  }

  bool isPlain(const Stmt &statement) const {
    return statement.kind == StmtKind::Assign || statement.kind == StmtKind::Store ||
           statement.kind == StmtKind::Effect;
  }

  /// Of statements that another pass has duplicated, only the version for neighbours.
  void planBodies(const Stmt &statement) {
    if (statement.kind == StmtKind::If && statement.as<If>().isForAll)
      return plan(statement.as<If>().then);
    forEachBody(statement, [&](Body inner) { plan(inner); });
  }

  /// The outermost loops that may be duplicated; elsewhere, runs of plain statements.
  void plan(Body body) {
    const llvm::BitVector definedBefore = defined;
    for (size_t i = 0; i < body.size(); ++i) {
      const Stmt &statement = *body[i];
      if (isPlain(statement)) {
        i += planRun(body.subspan(i)) - 1;
        continue;
      }
      if (statement.kind == StmtKind::Range && add(body.subspan(i, 1)))
        continue;
      planBodies(statement);
    }
    defined = definedBefore;
  }

  /// The plain statements at the beginning of the list, starting at the first with a clamp; returns their number.
  size_t planRun(Body body) {
    size_t count = 0;
    while (count < body.size() && isPlain(*body[count]))
      ++count;
    size_t first = 0;
    for (; first < count && !hasClamp(body.subspan(first, 1)); ++first)
      define(*body[first]);
    if (first < count)
      add(body.subspan(first, count - first));
    for (const Stmt *statement : body.subspan(first, count - first))
      define(*statement);
    return count;
  }

  bool hasClamp(Body statement) const {
    Region alone{{statement, defined, {}}, {}, {}};
    describe(alone);
    return !alone.clamps.empty();
  }

  void define(const Stmt &statement) {
    if (statement.kind == StmtKind::Assign)
      defined.set(statement.as<Assign>().slot->index);
  }

  const Uses &uses;
  const RangeTable ranges;
  llvm::BitVector defined; ///< before the current statement, on every path
};

/// Duplicates the regions.
class Separation final : public Rule {
public:
  explicit Separation(const Plan &plan) : plan(plan) {}

  /// By the first statement of a region: the sums in its test.
  std::map<const Stmt *, std::vector<const OperationExpr *>> sums;

  void statement(const Rest &rest, Statements &into, const Stmt &statement) override {
    if (plan.others.contains(&statement))
      return;
    const auto found = plan.regions.find(&statement);
    if (found == plan.regions.end())
      return rest(into, statement);
    const Region &region = found->second;
    Rewriter &copy = rest.copy;
    into.push_back(region.inTwoVersions(rest, plan.liveness, testOf(copy, region), [&] {
      for (const Expr *clamp : region.clamps)
        copy.replacements[clamp] = copy.copy(Plan::sumBelow(*clamp, region, plan));
    }));
  }

private:
  Expr *testOf(Rewriter &copy, const Region &region) {
    Expr *all = nullptr;
    for (const Expr *clamp : region.clamps)
      for (const Expr *at = clamp; const Expr *inner = plan.clamped(*at, region); at = inner)
        for (Expr *test : testsOf(copy, *at, *inner, region))
          all = all ? copy.nodes.conditional(all, test, copy.nodes.boolean(false, test->span), test->span) : test;
    return all;
  }

  /// A bound changes nothing if the smallest or the largest sum keeps it. A remainder changes nothing from 0 to below
  /// the divisor; so a divisor of 0 or less fails the test.
  std::vector<Expr *> testsOf(Rewriter &copy, const Expr &clamp, const Expr &inner, const Region &region) {
    const Expr &sum = Plan::sumBelow(inner, region, plan);
    const Expr &bound = &operand(clamp, 0) == &inner ? operand(clamp, 1) : operand(clamp, 0);
    const auto compare = [&](Operation op, bool isLargest, Expr *limit) {
      return copy.nodes.test(op, {extreme(copy, sum, isLargest, region), limit}, sum.span);
    };
    if (isOperation(clamp, Operation::Max))
      return {compare(Operation::Ge, false, copy.copy(bound))};
    if (isOperation(clamp, Operation::Min))
      return {compare(Operation::Le, true, copy.copy(bound))};
    return {compare(Operation::Ge, false, copy.nodes.integer(sum.type, 0, sum.span)),
            compare(Operation::Lt, true, copy.copy(bound))};
  }

  /// The maximum of the sum in the region, or the minimum.
  Expr *extreme(Rewriter &copy, const Expr &sum, bool isLargest, const Region &region) {
    if (const auto loop = region.counted.find(readSlot(sum)); loop != region.counted.end())
      return copy.nodes.integer(sum.type, isLargest ? loop->second.high : loop->second.low, sum.span);
    if (!isSum(sum))
      return copy.copy(sum);
    const bool isDifference = isOperation(sum, Operation::Sub);
    Expr *left = extreme(copy, operand(sum, 0), isLargest, region);
    Expr *right = extreme(copy, operand(sum, 1), isLargest != isDifference, region);
    Expr *made = copy.nodes.operation(sum.as<OperationExpr>().op, sum.type, {left, right}, sum.span);
    sums[region.statements.front()].push_back(&made->as<OperationExpr>());
    return made;
  }

  const Plan &plan;
};

/// Drops the regions in whose tests a sum may wrap: the test may use values that the statements, which are guarded,
/// never see. Returns their number.
size_t dropWrapping(Plan &plan, const Separation &separation, const RangeTable &ranges) {
  const size_t before = plan.regions.size();
  for (const auto &[first, sums] : separation.sums)
    if (!llvm::all_of(sums, [&](const OperationExpr *sum) { return isWithoutWrap(*sum, ranges); }))
      plan.drop(first);
  return before - plan.regions.size();
}

/// A quick check: most kernels have no such operation.
bool mayClamp(const TypedFunction &kernel) {
  return anyNode(kernel, [](const Expr &node) {
    return isSigned(node) && (isOperation(node, Operation::Min) || isOperation(node, Operation::Max) ||
                              isOperation(node, Operation::Mod));
  });
}

} // namespace

/// Whether the sums of a test wrap is known from the ranges of the tree that has the test. So the tree is made, looked
/// at, and made again without the regions that fail, until none does.
std::shared_ptr<TypedFunction> separateInnerIndices(const TypedFunction &kernel, const Uses &uses,
                                                    const RangeSeeds &seeds) {
  if (!kernel.expanded.empty() || !mayClamp(kernel))
    return nullptr;
  Plan plan(kernel, uses, seeds);
  while (!plan.regions.empty()) {
    Rewriter::Rules rules;
    rules.push_back(std::make_unique<Separation>(plan));
    auto made = rewritten(kernel, rules);
    if (dropWrapping(plan, static_cast<const Separation &>(*rules.front()), findRanges(*made, seeds)) == 0)
      return made;
  }
  return nullptr;
}

} // namespace treadle
