// unset_slots: definite assignment, a forward analysis.
#include "typed/unset_slots.h"

#include "typed/walk.h"

namespace treadle::typed {

namespace {

/// The slots that are assigned on every path to a point.
class Assigned {
public:
  explicit Assigned(size_t slots) : slots(slots) {}
  /// The state at an unreachable point.
  static Assigned unreached() { return Assigned(); }

  bool isReached() const { return reached; }
  bool contains(const Slot &slot) const { return !reached || slots[slot.index]; }
  void add(const Slot &slot) {
    if (reached)
      slots[slot.index] = true;
  }
  /// Where two paths join.
  void meet(const Assigned &other) {
    if (!reached)
      *this = other;
    if (!other.reached)
      return;
    for (size_t i = 0; i < slots.size(); ++i)
      slots[i] = slots[i] && other.slots[i];
  }

private:
  Assigned() : reached(false) {}
  std::vector<bool> slots;
  bool reached = true;
};

class Walk {
public:
  explicit Walk(const TypedFunction &function)
      : function(function), unset(function.slots.size()), here(function.slots.size()) {
    for (uint32_t i = 0; i < function.parameterCount; ++i)
      here.add(*function.slots[i]);
  }

  std::vector<Slot *> run() {
    walk(function.body);
    std::vector<Slot *> found;
    for (Slot *slot : function.slots)
      if (unset[slot->index])
        found.push_back(slot);
    return found;
  }

private:
  /// The states at the exits of a loop's body.
  struct Exits {
    Assigned atBreak = Assigned::unreached(), atContinue = Assigned::unreached();
  };

  void walk(Body body) {
    for (const Stmt *statement : body)
      walk(*statement);
  }

  template <class Node> void walkParts(const Node &node) {
    forEachPart(node, [&](const Expr &part) { walk(part); }, [&](Body body) { walk(body); });
  }

  template <class Then, class Otherwise> void fork(Then then, Otherwise otherwise) {
    Assigned before = here;
    then();
    std::swap(before, here);
    otherwise();
    here.meet(before);
  }

  void walk(const Expr &expression) {
    if (expression.kind == ExprKind::Slot && !here.contains(*expression.as<SlotRead>().slot))
      unset[expression.as<SlotRead>().slot->index] = true;
    if (expression.kind != ExprKind::Conditional)
      return walkParts(expression);
    const auto &choice = expression.as<Conditional>();
    walk(*choice.test);
    fork([&] { walk(*choice.then); }, [&] { walk(*choice.otherwise); });
  }

  void walk(const Stmt &statement) {
    switch (statement.kind) {
    case StmtKind::Assign:
      walk(*statement.as<Assign>().value);
      return here.add(*statement.as<Assign>().slot);
    case StmtKind::If:
      walk(*statement.as<If>().test);
      return fork([&] { walk(statement.as<If>().then); }, [&] { walk(statement.as<If>().otherwise); });
    case StmtKind::While:
      return walkWhile(statement.as<While>());
    case StmtKind::Range:
      return walkRange(statement.as<Range>());
    case StmtKind::Break:
      exits.back().atBreak.meet(here);
      here = Assigned::unreached();
      return;
    case StmtKind::Continue:
      exits.back().atContinue.meet(here);
      here = Assigned::unreached();
      return;
    case StmtKind::Return:
      walkParts(statement);
      here = Assigned::unreached();
      return;
    case StmtKind::Store:
    case StmtKind::Effect:
    case StmtKind::Barrier:
    case StmtKind::Raise: // ends the thread in checked code only
    case StmtKind::Assert:
    case StmtKind::Print:
      return walkParts(statement);
    }
  }

  /// Returns the state at the `break`s of the loop's body; afterwards, `here` is the state at the end of an iteration.
  Assigned walkRound(Body body) {
    exits.emplace_back();
    walk(body);
    here.meet(exits.back().atContinue);
    Assigned left = std::move(exits.back().atBreak);
    exits.pop_back();
    return left;
  }

  void walkWhile(const While &loop) {
    walk(*loop.test);
    const bool isEndless = loop.test->kind == ExprKind::Const && loop.test->as<Const>().integer != 0;
    Assigned end = isEndless ? Assigned::unreached() : here;
    const Assigned left = walkRound(loop.body);
    here = std::move(end);
    walk(loop.otherwise);
    here.meet(left);
  }

  void walkRange(const Range &loop) {
    for (const Expr *bound : {loop.start, loop.stop, loop.step})
      walk(*bound);
    const Assigned before = here;
    here.add(*loop.slot);
    const Assigned left = walkRound(loop.body);
    if (!hasRound(loop))
      here = before;
    walk(loop.otherwise);
    here.meet(left);
  }

  static bool hasRound(const Range &loop) {
    for (const Expr *bound : {loop.start, loop.stop, loop.step})
      if (bound->kind != ExprKind::Const)
        return false;
    const auto value = [](const Expr &bound) { return bound.as<Const>().integer; };
    // Unsigned numbers beyond int64 are treated as negative.
    const bool isNegative = value(*loop.start) < 0 || value(*loop.stop) < 0 || value(*loop.step) < 0;
    if (isNegative && !loop.counter->isSigned())
      return false;
    return value(*loop.step) > 0 ? value(*loop.start) < value(*loop.stop)
                                 : value(*loop.step) < 0 && value(*loop.start) > value(*loop.stop);
  }

  const TypedFunction &function;
  std::vector<bool> unset;
  Assigned here;
  std::vector<Exits> exits;
};

} // namespace

std::vector<Slot *> unsetSlots(const TypedFunction &function) { return Walk(function).run(); }

} // namespace treadle::typed
