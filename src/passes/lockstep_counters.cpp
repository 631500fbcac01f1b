// lockstep_counters: finds the loops and their counters, then copies the kernel.
#include "passes/lockstep_counters.h"

#include "passes/tree_copy.h"
#include "passes/tree_walk.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace treadle {

using namespace typed;

namespace {

struct Counter {
  const Slot *slot;
  const Expr *start; ///< a constant; nullptr for the variable of a Range
};
using Counters = std::unordered_map<const Stmt *, std::vector<Counter>>; ///< by loop

/// Statements before a loop among which the counter is set: looking at all would take time in the square of their
/// number.
constexpr size_t farthest = 8;

bool isRead(const Expr &expression, const Slot &slot) {
  return expression.kind == ExprKind::Slot && expression.as<SlotRead>().slot == &slot;
}

/// `slot = slot + 2` or the like.
bool isStep(const Assign &assign) {
  if (assign.value->kind != ExprKind::Operation)
    return false;
  const auto &step = assign.value->as<OperationExpr>();
  const bool isSum = step.op == Operation::Add || step.op == Operation::Sub || step.op == Operation::Mul;
  return isSum && isRead(*step.operands[0], *assign.slot) && step.operands[1]->kind == ExprKind::Const;
}

using Counts = std::unordered_map<const Slot *, unsigned>;

/// What matters of the rounds of a loop, or of other statements, found in one walk over them.
class Summary {
public:
  Summary() = default;
  Summary(const Summary &) = delete; // the visitor holds its address
  void walk(const Expr &test) { visitor.walk(test); }
  void walk(Body body) { visitor.walk(body); }

  Counts assigned, read;
  std::unordered_set<const Slot *> indices; ///< read in indices of elements
  bool hasExits = false;
  bool hasContinues = false;

private:
  void see(const Stmt &statement) {
    hasContinues |= statement.kind == StmtKind::Continue;
    hasExits |= statement.kind == StmtKind::Break || statement.kind == StmtKind::Return;
    if (statement.kind == StmtKind::Assign)
      ++assigned[statement.as<Assign>().slot];
    if (statement.kind == StmtKind::Range)
      ++assigned[statement.as<Range>().slot];
    if (statement.kind == StmtKind::Store)
      seeIndices(statement.as<Store>().at.indices);
  }

  void see(const Expr &expression) {
    if (expression.kind == ExprKind::Slot)
      ++read[expression.as<SlotRead>().slot];
    if (expression.kind == ExprKind::Load)
      seeIndices(expression.as<Load>().at.indices);
  }

  /// Indices within indices are seen by themselves.
  void seeIndices(std::span<Expr *const> of) {
    TreeVisitor slots{[&](const Expr &expression) {
                        if (expression.kind == ExprKind::Slot)
                          indices.insert(expression.as<SlotRead>().slot);
                        return expression.kind != ExprKind::Load;
                      },
                      [](const Stmt &) { return true; }};
    for (const Expr *index : of)
      slots.walk(*index);
  }

  TreeVisitor visitor{[this](const Expr &expression) {
                        see(expression);
                        return true;
                      },
                      [this](const Stmt &statement) {
                        see(statement);
                        return true;
                      }};
};

/// The last assignment to the slot among the first statements of a body, if it is one of these itself.
const Assign *lastAssignment(Body body, size_t count, const Slot &slot) {
  for (const size_t end = count > farthest ? count - farthest : 0; count > end; --count) {
    const Stmt &statement = *body[count - 1];
    if (statement.kind == StmtKind::Assign && statement.as<Assign>().slot == &slot)
      return &statement.as<Assign>();
    Summary inner;
    inner.walk(body.subspan(count - 1, 1));
    if (inner.assigned.contains(&slot))
      return nullptr;
  }
  return nullptr;
}

std::vector<const Slot *> inOrder(const Counts &counts) {
  std::vector<const Slot *> slots;
  for (const auto &[slot, count] : counts)
    slots.push_back(slot);
  std::ranges::sort(slots, {}, &Slot::index);
  return slots;
}

class Search {
public:
  explicit Search(const TypedFunction &kernel) {
    all.walk(kernel.body);
    search(kernel.body);
  }

  Counters found;

private:
  void search(Body body) {
    for (size_t place = 0; place < body.size(); ++place) {
      const Stmt &statement = *body[place];
      std::vector<Counter> counters;
      if (statement.kind == StmtKind::While)
        counters = countersOf(statement.as<While>(), body, place);
      else if (statement.kind == StmtKind::Range)
        counters = countersOf(statement.as<Range>());
      if (!counters.empty())
        found.emplace(&statement, std::move(counters));
      forEachBody(statement, [&](Body inner) { search(inner); });
    }
  }

  /// In which each round adds to a counter that has begun with a constant.
  std::vector<Counter> countersOf(const While &loop, Body around, size_t place) const {
    Counts steps;
    for (const Stmt *statement : loop.body)
      if (statement->kind == StmtKind::Assign && isStep(statement->as<Assign>()))
        ++steps[statement->as<Assign>().slot];
    std::vector<Counter> counters;
    if (steps.empty())
      return counters;
    Summary rounds;
    rounds.walk(*loop.test);
    rounds.walk(loop.body);
    if (rounds.hasContinues || (!rounds.hasExits && loop.test->kind != ExprKind::Conditional))
      return counters;
    for (const Slot *slot : inOrder(steps))
      if (isIndexAlsoReadElsewhere(*slot, rounds) && steps.at(slot) == rounds.assigned.at(slot))
        if (const Assign *start = lastAssignment(around, place, *slot); start && start->value->kind == ExprKind::Const)
          counters.push_back({slot, start->value});
    return counters;
  }

  std::vector<Counter> countersOf(const Range &loop) const {
    if (loop.start->kind != ExprKind::Const || loop.step->kind != ExprKind::Const)
      return {};
    Summary rounds;
    rounds.walk(loop.body);
    if (!rounds.hasExits || rounds.assigned.contains(loop.slot) || !isIndexAlsoReadElsewhere(*loop.slot, rounds))
      return {};
    return {{loop.slot, nullptr}};
  }

  bool isIndexAlsoReadElsewhere(const Slot &slot, const Summary &rounds) const {
    return rounds.indices.contains(&slot) && rounds.read.at(&slot) < all.read.at(&slot);
  }

  Summary all;
};

class Counting final : public TreeCopy {
public:
  Counting(TypedFunction &out, const TypedFunction &from, const Counters &counters)
      : TreeCopy(out, from), counters(counters) {}

private:
  void copyInto(std::vector<Stmt *> &statements, const Stmt &statement) override {
    if (const auto found = counters.find(&statement); found != counters.end())
      return copyLoop(statements, statement, found->second);
    statements.push_back(copyOne(statement));
    if (statement.kind != StmtKind::Assign)
      return;
    const auto counter = originals.find(statement.as<Assign>().slot);
    if (counter != originals.end())
      statements.push_back(
          nodes.assign(counter->second, nodes.read(slots[counter->first->index], statement.span), statement.span));
  }

  /// Else clauses read the variable itself: that of a Range without rounds has the value from before the loop.
  void copyLoop(std::vector<Stmt *> &statements, const Stmt &loop, const std::vector<Counter> &counted) {
    for (const auto &[slot, start] : counted) {
      Slot *&used = slots[slot->index];
      Slot *counter = newSlot(slot->type, loop.span);
      if (start)
        statements.push_back(nodes.assign(counter, copy(*start), loop.span));
      originals.emplace(slot, used);
      used = counter;
    }
    Stmt *made = copyOne(loop);
    statements.push_back(made);
    for (const auto &[slot, start] : counted) {
      if (!start)
        keepAtOnce(made->as<Range>(), originals.at(slot));
      slots[slot->index] = originals.at(slot);
      originals.erase(slot);
    }
    if (loop.kind == StmtKind::Range)
      made->as<Range>().otherwise = copy(loop.as<Range>().otherwise);
    else
      made->as<While>().otherwise = copy(loop.as<While>().otherwise);
  }

  void keepAtOnce(Range &loop, Slot *slot) {
    std::vector<Stmt *> body{nodes.assign(slot, nodes.read(loop.slot, loop.span), loop.span)};
    body.insert(body.end(), loop.body.begin(), loop.body.end());
    loop.body = listOf(body);
  }

  const Counters &counters;
  std::unordered_map<const Slot *, Slot *> originals; ///< of the counters of loops around
};

} // namespace

std::shared_ptr<TypedFunction> countInLockstep(const TypedFunction &kernel) {
  if (!kernel.expanded.empty())
    return nullptr;
  const Search search(kernel);
  if (search.found.empty())
    return nullptr;
  auto made = std::make_shared<TypedFunction>();
  static_cast<FunctionHeader &>(*made) = kernel;
  made->body = Counting(*made, kernel, search.found).copy(kernel.body);
  return made;
}

} // namespace treadle
