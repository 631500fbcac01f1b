// lockstep_counters: finds the loops and their counters.
#include "passes/rewrites/lockstep_counters.h"

#include "passes/analyses/tree_walk.h"
#include "passes/rewrites/doubled_statements.h"
#include "typed/loop_exits.h"
#include "typed/traits.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace treadle {

using namespace typed;

namespace {

struct Counter {
  const Slot *slot;
  const Assign *start; ///< nullptr for the variable of a Range
};
using Counters = std::unordered_map<const Stmt *, std::vector<Counter>>; ///< by loop

/// How many statements before a loop are searched for the counter's initialisation: searching all would take quadratic
/// time.
constexpr size_t farthest = 8;

/// How far the values of variables are followed to see whether they are uniform.
constexpr unsigned deepest = 6;

/// `slot = slot + 2` or the like.
bool isStep(const Assign &assign) {
  if (assign.value->kind != ExprKind::Operation)
    return false;
  const auto &step = assign.value->as<OperationExpr>();
  const bool isSum = step.op == Operation::Add || step.op == Operation::Sub || step.op == Operation::Mul;
  return isSum && readSlot(*step.operands[0]) == assign.slot && step.operands[1]->kind == ExprKind::Const;
}

class Search {
public:
  Search(const TypedFunction &kernel, const Uses &uses) : kernel(kernel), uses(uses) { search(kernel.body); }

  Counters found;

private:
  void search(Body body) {
    for (size_t place = 0; place < body.size(); ++place) {
      const Stmt &statement = *body[place];
      std::vector<Counter> counters;
      if (statement.kind == StmtKind::While)
        counters = countersOf(statement.as<While>(), body.first(place));
      else if (statement.kind == StmtKind::Range)
        counters = countersOf(statement.as<Range>());
      if (!counters.empty())
        found.emplace(&statement, std::move(counters));
      forEachBody(statement, [&](Body inner) { search(inner); });
    }
  }

  /// The counters that each iteration increments and that start with the same value in all threads. `before`: the
  /// statements before the loop in its list.
  /// A `continue` would let some threads skip the step. A loop whose only exit is a plain test, `while j < n`, is left
  /// alone: it takes a second condition, a `break` or a `return`.
  std::vector<Counter> countersOf(const While &loop, Body before) const {
    std::map<uint32_t, unsigned> steps; // by slot
    for (const Stmt *statement : loop.body)
      if (statement->kind == StmtKind::Assign && isStep(statement->as<Assign>()))
        ++steps[statement->as<Assign>().slot->index];
    const LoopExits exits = steps.empty() ? LoopExits() : loopExits(loop.body);
    std::vector<Counter> counters;
    if (exits.byContinue || (!exits.byBreak && !exits.byReturn && loop.test->kind != ExprKind::Conditional))
      return counters;
    for (const auto &[index, count] : steps) {
      const Slot &slot = *kernel.slots[index];
      if (isIndexAlsoReadElsewhere(slot, loop) && count == uses.assignments(slot, uses.ofRounds(loop)))
        if (const Assign *start = lastAssignment(before, slot); start && isLockstep(*start->value))
          counters.push_back({&slot, start});
    }
    return counters;
  }

  /// Threads have made as many steps, whatever the stop is.
  std::vector<Counter> countersOf(const Range &loop) const {
    if (!isLockstep(*loop.start) || loop.step->kind != ExprKind::Const)
      return {};
    const LoopExits exits = loopExits(loop.body);
    const bool isOwn = uses.assignments(*loop.slot, uses.ofRounds(loop)) == 0;
    if ((!exits.byBreak && !exits.byReturn) || !isOwn || !isIndexAlsoReadElsewhere(*loop.slot, loop))
      return {};
    return {{loop.slot, nullptr}};
  }

  /// Whether threads that have made as many steps from there are one value, or each a fixed distance from its
  /// neighbour.
  bool isLockstep(const Expr &start) const { return isUniform(start, deepest) || isOfThread(start, uses); }

  /// Whether it is the same in all threads of a warp. A guess: where it is wrong, the separate counter is a vector,
  /// too.
  bool isUniform(const Expr &value, unsigned depth) const {
    if (depth == 0)
      return false;
    if (const Slot *slot = readSlot(value)) {
      if (const Range *loop = uses.onlyLoop(*slot))
        return isUniform(*loop->start, depth - 1) && isUniform(*loop->step, depth - 1);
      const Expr *only = uses.onlyValue(*slot);
      return only ? isUniform(*only, depth - 1) : slot->isParameter && uses.assignments(*slot) == 0;
    }
    if (value.kind == ExprKind::Operation && !isOneForBlock(value.as<OperationExpr>().op))
      return false;
    const bool isPlain = value.kind == ExprKind::Const || value.kind == ExprKind::Operation ||
                         value.kind == ExprKind::Attribute || value.kind == ExprKind::Load;
    bool areUniform = isPlain;
    forEachOperand(value, [&](const Expr &part) { areUniform = areUniform && isUniform(part, depth - 1); });
    return areUniform;
  }

  /// As an index it gains from being one number; without a read outside of the loop the original may be one itself.
  bool isIndexAlsoReadElsewhere(const Slot &slot, const Stmt &loop) const {
    const Uses::Part rounds = uses.ofRounds(loop);
    return uses.isIndex(slot, rounds) && uses.reads(slot, rounds) < uses.reads(slot, uses.all());
  }

  /// The last assignment to the slot in a list of statements, if it is itself one of these.
  const Assign *lastAssignment(Body list, const Slot &slot) const {
    for (size_t tries = std::min(farthest, list.size()); tries > 0; --tries, list = list.first(list.size() - 1)) {
      const Stmt &statement = *list.back();
      if (uses.assignments(slot, uses.of(statement)) > 0)
        return statement.kind == StmtKind::Assign ? &statement.as<Assign>() : nullptr;
    }
    return nullptr;
  }

  const TypedFunction &kernel;
  const Uses &uses;
};

class Counting final : public Rule {
public:
  explicit Counting(Counters counters) : counters(std::move(counters)) {
    for (const auto &[loop, counted] : this->counters)
      for (const Counter &counter : counted)
        if (counter.start && counter.start->value->kind != ExprKind::Const)
          starts.emplace(counter.start, nullptr);
  }

  /// Inside the loop, `copy.slots` has the counter in place of the original, so every read and step is of the counter;
  /// after each step the original gets its value, which threads that leave keep.
  void statement(const Rest &rest, Statements &into, const Stmt &statement) override {
    if (const auto found = counters.find(&statement); found != counters.end())
      return copyLoop(rest, into, statement, found->second);
    rest(into, statement);
    if (statement.kind != StmtKind::Assign)
      return;
    if (const auto start = starts.find(&statement.as<Assign>()); start != starts.end())
      start->second = keepStart(rest.copy, into);
    const auto counter = originals.find(statement.as<Assign>().slot);
    if (counter != originals.end())
      into.push_back(assign(rest.copy, counter->second, *rest.copy.slots[counter->first->index], statement.span));
  }

private:
  /// Else clauses read the original variable: that of a Range without iterations keeps its value from before the loop.
  void copyLoop(const Rest &rest, Statements &into, const Stmt &loop, const std::vector<Counter> &counted) {
    Rewriter &copy = rest.copy;
    for (const auto &[slot, start] : counted) {
      Slot *&used = copy.slots[slot->index];
      Slot *counter = copy.newSlot(slot->type, loop.span);
      if (start)
        into.push_back(copy.nodes.assign(counter, startOf(copy, *start), loop.span));
      originals.emplace(slot, used);
      used = counter;
    }
    rest(into, loop);
    Stmt *made = into.back();
    for (const auto &[slot, start] : counted) {
      if (!start)
        keepAtOnce(copy, made->as<Range>(), originals.at(slot));
      copy.slots[slot->index] = originals.at(slot);
      originals.erase(slot);
    }
    if (loop.kind == StmtKind::Range)
      made->as<Range>().otherwise = copy.copy(loop.as<Range>().otherwise);
    else
      made->as<While>().otherwise = copy.copy(loop.as<While>().otherwise);
  }

  Expr *startOf(Rewriter &copy, const Assign &start) const {
    const auto kept = starts.find(&start);
    return kept == starts.end() ? copy.copy(*start.value) : copy.nodes.read(kept->second, start.span);
  }

  /// The assignment just made keeps its value in a variable of its own as well, which has its shape whatever the
  /// counter is assigned later.
  static Slot *keepStart(Rewriter &copy, Statements &into) {
    Assign &made = into.back()->as<Assign>();
    Slot *start = copy.newSlot(made.slot->type, made.span);
    into.insert(into.end() - 1, copy.nodes.assign(start, made.value, made.span));
    made.value = copy.nodes.read(start, made.span);
    return start;
  }

  static void keepAtOnce(Rewriter &copy, Range &loop, Slot *slot) {
    Statements body{assign(copy, slot, *loop.slot, loop.span)};
    body.insert(body.end(), loop.body.begin(), loop.body.end());
    loop.body = copy.listOf(body);
  }

  static Stmt *assign(Rewriter &copy, Slot *slot, Slot &value, SourceSpan span) {
    return copy.nodes.assign(slot, copy.nodes.read(&value, span), span);
  }

  const Counters counters;
  std::unordered_map<const Assign *, Slot *> starts;  ///< what counters start with
  std::unordered_map<const Slot *, Slot *> originals; ///< of the counters of enclosing loops
};

} // namespace

std::unique_ptr<Rule> lockstepCounters(const RuleInput &input) {
  Search search(input.kernel, input.uses.of(input.kernel));
  return search.found.empty() ? nullptr : std::make_unique<Counting>(std::move(search.found));
}

} // namespace treadle
