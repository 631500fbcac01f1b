// inner_indices: which statements stand twice, and the test before them.
#include "passes/inner_indices.h"

#include "passes/assignments.h"
#include "passes/interval.h"
#include "passes/tree_copy.h"
#include "passes/tree_walk.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

namespace treadle {

using namespace typed;

namespace {

/// Nodes of statements that may stand twice.
constexpr unsigned budget = 160;

bool isSigned(const Expr &expression) { return expression.type->isInt() && expression.type->isSigned(); }

bool is(const Expr &expression, Operation op) {
  return expression.kind == ExprKind::Operation && expression.as<OperationExpr>().op == op;
}

bool isSum(const Expr &expression) { return is(expression, Operation::Add) || is(expression, Operation::Sub); }

const Expr &operand(const Expr &expression, unsigned number) {
  return *expression.as<OperationExpr>().operands[number];
}

/// Statements that stand twice, and the bounded sums in them.
struct Region {
  std::vector<const Stmt *> statements;
  std::unordered_set<const Slot *> defined;           ///< before it, wherever control comes from
  std::unordered_set<const Slot *> assigned;          ///< in it
  std::unordered_map<const Slot *, Interval> counted; ///< variables of loops in it, with all of their values
  std::vector<const Expr *> clamps;                   ///< Min, Max and Mod, the outermost of each index
};

class Plan {
public:
  Plan(const TypedFunction &kernel, RangeTable ranges)
      : kernel(kernel), ranges(std::move(ranges)), assignments(countAssignments(kernel)),
        definitions(kernel.slots.size()) {
    TreeVisitor visitor{[&](const Expr &expression) { return noteIndices(expression); },
                        [&](const Stmt &statement) { return noteStatement(statement); }};
    visitor.walk(kernel.body);
    plan(kernel.body);
  }

  const TypedFunction &kernel;
  /// By their first statement.
  std::map<const Stmt *, Region> regions;
  std::unordered_set<const Stmt *> others; ///< further statements of regions

  /// The sum below `min`, `max` and `%`.
  static const Expr &sumBelow(const Expr &clamp, const Region &region, const Plan &plan) {
    const Expr *at = &clamp;
    while (const Expr *inner = plan.clamped(*at, region))
      at = inner;
    return *at;
  }

  /// What a Min, Max or Mod bounds, and nullptr if it is none or its bound may change in the region.
  const Expr *clamped(const Expr &expression, const Region &region) const {
    if (!isSigned(expression))
      return nullptr;
    if (is(expression, Operation::Mod))
      return isFixed(operand(expression, 1), region) ? &operand(expression, 0) : nullptr;
    if (!is(expression, Operation::Min) && !is(expression, Operation::Max))
      return nullptr;
    for (unsigned bound = 0; bound < 2; ++bound)
      if (isFixed(operand(expression, bound), region) && !isOfThread(operand(expression, bound)))
        return &operand(expression, 1 - bound);
    return nullptr;
  }

private:
  bool noteIndices(const Expr &expression) {
    if (expression.kind == ExprKind::Load)
      for (const Expr *index : expression.as<Load>().at.indices)
        noteIndex(*index);
    return true;
  }
  void noteIndex(const Expr &index) {
    TreeVisitor visitor{[&](const Expr &expression) {
                          if (expression.kind == ExprKind::Slot)
                            indexSlots.insert(expression.as<SlotRead>().slot);
                          indexParts.insert(&expression);
                          return expression.kind != ExprKind::Load;
                        },
                        [](const Stmt &) { return true; }};
    visitor.walk(index);
  }
  bool noteStatement(const Stmt &statement) {
    if (statement.kind == StmtKind::Assign)
      definitions[statement.as<Assign>().slot->index] = statement.as<Assign>().value;
    if (statement.kind == StmtKind::Store)
      for (const Expr *index : statement.as<Store>().at.indices)
        noteIndex(*index);
    return true;
  }

  /// A value that is the thread's position plus one that is the same for neighbours.
  bool isOfThread(const Expr &expression) const {
    if (!expression.type->isInt())
      return false;
    if (expression.kind == ExprKind::Slot) {
      const Slot *slot = expression.as<SlotRead>().slot;
      return assignments[slot->index] == 1 && definitions[slot->index] && isOfThread(*definitions[slot->index]);
    }
    if (expression.kind != ExprKind::Operation)
      return false;
    const auto &operation = expression.as<OperationExpr>();
    if (isSum(expression))
      return isOfThread(*operation.operands[0]) || isOfThread(*operation.operands[1]);
    if (operation.op == Operation::Convert)
      return isOfThread(*operation.operands[0]);
    return operation.op == Operation::GridX || operation.op == Operation::GridY || operation.op == Operation::GridZ ||
           operation.op == Operation::ThreadIdxX || operation.op == Operation::ThreadIdxY ||
           operation.op == Operation::ThreadIdxZ;
  }

  /// Has one value throughout the region, which can be computed before it.
  bool isFixed(const Expr &expression, const Region &region) const {
    switch (expression.kind) {
    case ExprKind::Const:
      return true;
    case ExprKind::Slot: {
      const Slot *slot = expression.as<SlotRead>().slot;
      return !region.assigned.contains(slot) && (slot->isParameter || region.defined.contains(slot));
    }
    case ExprKind::Attribute:
      return isFixed(*expression.as<Attribute>().array, region);
    case ExprKind::Operation: {
      const auto &operation = expression.as<OperationExpr>();
      const bool isPlain = isSum(expression) || operation.op == Operation::Mul || operation.op == Operation::Convert ||
                           operation.operands.empty();
      return isPlain && expression.type->isInt() &&
             llvm::all_of(operation.operands, [&](const Expr *part) { return isFixed(*part, region); });
    }
    default:
      return false;
    }
  }

  /// A sum of what is fixed and of variables of loops in the region, which never wraps.
  bool isBounded(const Expr &expression, const Region &region) const {
    if (expression.kind == ExprKind::Slot && region.counted.contains(expression.as<SlotRead>().slot))
      return true;
    if (isFixed(expression, region))
      return true;
    if (!isSum(expression))
      return false;
    const Expr &left = operand(expression, 0), &right = operand(expression, 1);
    return intervals::isExact(expression.as<OperationExpr>().op, expression.type, ranges.of(left), ranges.of(right)) &&
           isBounded(left, region) && isBounded(right, region);
  }

  bool isCandidate(const Expr &expression, const Region &region) const {
    if (!clamped(expression, region))
      return false;
    const Expr &sum = sumBelow(expression, region, *this);
    return sum.type == expression.type && isOfThread(sum) && isBounded(sum, region) && isWithoutWrap(sum);
  }

  /// Also where the sum itself is fixed: the test must compute what the statements do.
  bool isWithoutWrap(const Expr &sum) const {
    return !isSum(sum) || intervals::isExact(sum.as<OperationExpr>().op, sum.type, ranges.of(operand(sum, 0)),
                                             ranges.of(operand(sum, 1)));
  }

  void describe(Region &region) const {
    TreeVisitor visitor{[](const Expr &) { return true; },
                        [&](const Stmt &statement) {
                          if (statement.kind == StmtKind::Assign)
                            region.assigned.insert(statement.as<Assign>().slot);
                          if (statement.kind == StmtKind::Range) {
                            const auto &loop = statement.as<Range>();
                            region.assigned.insert(loop.slot);
                            count(region, loop);
                          }
                          return true;
                        }};
    for (const Stmt *statement : region.statements)
      visitor.walk(*statement);
  }

  /// Notes the values of a loop's variable that only the loop changes.
  void count(Region &region, const Range &loop) const {
    const bool isConstant = loop.start->kind == ExprKind::Const && loop.stop->kind == ExprKind::Const &&
                            loop.step->kind == ExprKind::Const && loop.slot->type == loop.counter;
    if (!isConstant || assignments[loop.slot->index] != 2)
      return;
    const int64_t start = loop.start->as<Const>().integer, stop = loop.stop->as<Const>().integer;
    const bool goesUp = loop.step->as<Const>().integer > 0;
    constexpr int64_t most = int64_t(1) << 31;
    if (std::min(start, stop) < -most || std::max(start, stop) > most || (goesUp ? start >= stop : start <= stop))
      return;
    region.counted[loop.slot] = goesUp ? Interval{start, stop - 1} : Interval{stop + 1, start};
  }

  void findClamps(Region &region) const {
    auto look = [&](const Expr &expression, bool isIndex) {
      TreeVisitor visitor{[&](const Expr &node) {
                            if (!(isIndex || indexParts.contains(&node)) || !isCandidate(node, region))
                              return true;
                            region.clamps.push_back(&node);
                            return false;
                          },
                          [](const Stmt &) { return true; }};
      visitor.walk(expression);
    };
    TreeVisitor visitor{[](const Expr &) { return false; },
                        [&](const Stmt &statement) {
                          const bool isIndex =
                              statement.kind == StmtKind::Assign && indexSlots.contains(statement.as<Assign>().slot);
                          forEachExpression(statement, [&](const Expr &expression) { look(expression, isIndex); });
                          return true;
                        }};
    for (const Stmt *statement : region.statements)
      visitor.walk(*statement);
  }

  static bool mayStandTwice(const Region &region) {
    unsigned nodes = 0;
    bool isPlain = true;
    TreeVisitor visitor{[&](const Expr &expression) {
                          isPlain &= expression.kind != ExprKind::WarpOp && expression.kind != ExprKind::Call &&
                                     expression.kind != ExprKind::HeapArray;
                          return ++nodes <= budget && isPlain;
                        },
                        [&](const Stmt &statement) {
                          isPlain &= statement.kind != StmtKind::Barrier && statement.kind != StmtKind::While;
                          return ++nodes <= budget && isPlain;
                        }};
    for (const Stmt *statement : region.statements)
      visitor.walk(*statement);
    return isPlain && nodes <= budget;
  }

  bool add(std::vector<const Stmt *> statements) {
    Region region{std::move(statements), defined, {}, {}, {}};
    if (!mayStandTwice(region))
      return false;
    describe(region);
    findClamps(region);
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

  /// The outermost loops that may stand twice; elsewhere, plain statements that follow each other.
  void plan(Body body) {
    const std::unordered_set<const Slot *> definedBefore = defined;
    for (size_t i = 0; i < body.size(); ++i) {
      const Stmt &statement = *body[i];
      if (isPlain(statement)) {
        i += planRun(body.subspan(i)) - 1;
        continue;
      }
      if (statement.kind == StmtKind::Range && add({&statement}))
        continue;
      forEachBody(statement, [&](Body inner) { plan(inner); });
    }
    defined = definedBefore;
  }

  /// The plain statements at the beginning of the list, from the first one with a clamp on; returns how many there are.
  size_t planRun(Body body) {
    std::vector<const Stmt *> statements;
    size_t count = 0;
    for (; count < body.size() && isPlain(*body[count]); ++count) {
      const Stmt &statement = *body[count];
      if (statements.empty() && !hasClamp(statement))
        define(statement);
      else
        statements.push_back(&statement);
    }
    if (!statements.empty())
      add(statements);
    for (const Stmt *statement : statements)
      define(*statement);
    return count;
  }

  bool hasClamp(const Stmt &statement) const {
    Region alone{{&statement}, defined, {}, {}, {}};
    describe(alone);
    findClamps(alone);
    return !alone.clamps.empty();
  }

  void define(const Stmt &statement) {
    if (statement.kind == StmtKind::Assign)
      defined.insert(statement.as<Assign>().slot);
  }

  RangeTable ranges;
  std::vector<unsigned> assignments;
  std::vector<const Expr *> definitions;
  std::unordered_set<const Slot *> indexSlots; ///< variables that indices are computed from
  std::unordered_set<const Expr *> indexParts;
  std::unordered_set<const Slot *> defined; ///< before the statement that is looked at, wherever control comes from

  friend class Separation;
};

/// The kernel with its regions twice.
class Separation final : public TreeCopy {
public:
  Separation(TypedFunction &out, const TypedFunction &from, const Plan &plan) : TreeCopy(out, from), plan(plan) {
    uses.resize(from.slots.size());
    countUses(from.body, [&](const Slot &slot) { ++uses[slot.index]; });
  }

private:
  using Statements = std::vector<Stmt *>;

  template <class Note> static void countUses(Body body, Note note) {
    for (const Stmt *statement : body)
      countUses(*statement, note);
  }
  template <class Note> static void countUses(const Stmt &statement, Note note) {
    TreeVisitor visitor{[&](const Expr &expression) {
                          if (expression.kind == ExprKind::Slot)
                            note(*expression.as<SlotRead>().slot);
                          return true;
                        },
                        [&](const Stmt &inner) {
                          if (inner.kind == StmtKind::Assign)
                            note(*inner.as<Assign>().slot);
                          if (inner.kind == StmtKind::Range)
                            note(*inner.as<Range>().slot);
                          return true;
                        }};
    visitor.walk(statement);
  }

  void copyInto(Statements &statements, const Stmt &statement) override {
    if (plan.others.contains(&statement))
      return;
    const auto found = plan.regions.find(&statement);
    if (found == plan.regions.end())
      return statements.push_back(copyOne(statement));
    const Region &region = found->second;
    Expr *test = testOf(region);
    Statements inner, outer;
    const std::vector<Slot *> kept = slots;
    renameOwn(region);
    for (const Expr *clamp : region.clamps)
      replacements[clamp] = copy(Plan::sumBelow(*clamp, region, plan));
    for (const Stmt *one : region.statements)
      inner.push_back(copyOne(*one));
    for (const Expr *clamp : region.clamps)
      replacements.erase(clamp);
    slots = kept;
    for (const Stmt *one : region.statements)
      outer.push_back(copyOne(*one));
    auto *choice = nodes.statement<If>(StmtKind::If, statement.span, test, listOf(inner), listOf(outer));
    choice->isForAll = true;
    statements.push_back(choice);
  }

  /// Variables that nothing outside uses become others: theirs may have better shapes.
  void renameOwn(const Region &region) {
    std::vector<unsigned> inside(from.slots.size());
    for (const Stmt *statement : region.statements)
      countUses(*statement, [&](const Slot &slot) { ++inside[slot.index]; });
    for (const Slot *slot : region.assigned)
      if (inside[slot->index] == uses[slot->index] && !slot->isParameter) {
        Slot *own = out.nodes.make<Slot>(*slot);
        own->index = uint32_t(out.slots.size());
        out.slots.push_back(own);
        slots[slot->index] = own;
      }
  }

  Expr *testOf(const Region &region) {
    Expr *all = nullptr;
    for (const Expr *clamp : region.clamps)
      for (const Expr *at = clamp; const Expr *inner = plan.clamped(*at, region); at = inner)
        addTests(all, *at, *inner, region);
    return all;
  }

  void addTests(Expr *&all, const Expr &clamp, const Expr &inner, const Region &region) {
    const Expr &sum = Plan::sumBelow(inner, region, plan);
    const Expr &bound = &operand(clamp, 0) == &inner ? operand(clamp, 1) : operand(clamp, 0);
    if (is(clamp, Operation::Max))
      return add(all, Operation::Ge, extreme(sum, false, region), copy(bound));
    if (is(clamp, Operation::Min))
      return add(all, Operation::Le, extreme(sum, true, region), copy(bound));
    add(all, Operation::Ge, extreme(sum, false, region), nodes.integer(sum.type, 0, sum.span));
    add(all, Operation::Lt, extreme(sum, true, region), copy(bound));
  }

  void add(Expr *&all, Operation op, Expr *left, Expr *right) {
    Expr *test = nodes.operation(op, types::boolean(), {left, right}, left->span);
    all = all ? nodes.conditional(all, test, nodes.boolean(false, left->span), left->span) : test;
  }

  /// The largest value of the sum in the region, or the smallest.
  Expr *extreme(const Expr &sum, bool isLargest, const Region &region) {
    if (sum.kind == ExprKind::Slot) {
      const auto loop = region.counted.find(sum.as<SlotRead>().slot);
      if (loop != region.counted.end())
        return nodes.integer(sum.type, isLargest ? loop->second.high : loop->second.low, sum.span);
    }
    if (!isSum(sum))
      return copy(sum);
    const bool isDifference = is(sum, Operation::Sub);
    return nodes.operation(
        sum.as<OperationExpr>().op, sum.type,
        {extreme(operand(sum, 0), isLargest, region), extreme(operand(sum, 1), isLargest != isDifference, region)},
        sum.span);
  }

  const Plan &plan;
  std::vector<unsigned> uses; ///< of each slot, in the kernel
};

/// Whether it is worth looking: most kernels have no such operation.
bool mayClamp(const TypedFunction &kernel) {
  bool found = false;
  TreeVisitor visitor{[&](const Expr &expression) {
                        found |=
                            isSigned(expression) && (is(expression, Operation::Min) || is(expression, Operation::Max) ||
                                                     is(expression, Operation::Mod));
                        return !found;
                      },
                      [&](const Stmt &) { return !found; }};
  visitor.walk(kernel.body);
  return found;
}

} // namespace

std::shared_ptr<TypedFunction> separateInnerIndices(const TypedFunction &kernel, const RangeSeeds &seeds) {
  if (!kernel.expanded.empty() || !mayClamp(kernel))
    return nullptr;
  const Plan plan(kernel, findRanges(kernel, seeds));
  if (plan.regions.empty())
    return nullptr;
  auto made = std::make_shared<TypedFunction>();
  static_cast<FunctionHeader &>(*made) = kernel;
  made->body = Separation(*made, kernel, plan).copy(kernel.body);
  return made;
}

} // namespace treadle
