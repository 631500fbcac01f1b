// forwarded_values: follows what is known about elements in memory along the flow of control.
#include "passes/forwarded_values.h"

#include "passes/assignments.h"
#include "passes/liveness.h"
#include "passes/spin_loops.h"
#include "passes/tree_copy.h"
#include "passes/tree_walk.h"
#include "passes/value_numbers.h"
#include "support/scoped.h"
#include "typed/walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <unordered_map>
#include <unordered_set>

namespace treadle {

using namespace typed;

namespace {

using Number = ValueNumbers::Number;

/// More are not worth their registers; this also bounds the time that stores and joins take.
constexpr size_t mostElements = 32;

/// Stores and loads whose values loads may take. Those that one load may take share a variable.
class Definitions {
public:
  /// A load or a store.
  struct Definition {
    const Expr *load;
    const Store *store;
    unsigned parent; ///< another one with the same variable; itself
    bool isRead = false;
  };

  unsigned add(const Expr *load, const Store *store) {
    all.push_back({load, store, unsigned(all.size())});
    return unsigned(all.size() - 1);
  }
  unsigned rootOf(unsigned number) {
    while (all[number].parent != number)
      number = all[number].parent = all[all[number].parent].parent;
    return number;
  }
  void read(const Expr &load, llvm::ArrayRef<unsigned> reaching) {
    const unsigned root = rootOf(reaching.front());
    for (const unsigned other : reaching.drop_front()) {
      const unsigned joined = rootOf(other);
      all[root].isRead |= all[joined].isRead;
      all[joined].parent = root;
    }
    all[root].isRead = true;
    reads.emplace_back(&load, root);
  }
  std::vector<Definition> all;                          ///< in the order of evaluation
  std::vector<std::pair<const Expr *, unsigned>> reads; ///< what takes a value, and one of its definitions
};

/// Which positions of its thread the kernel reads, one bit for each axis.
unsigned axesOf(const TypedFunction &function, std::unordered_set<const TypedFunction *> &seen) {
  unsigned axes = 0;
  TreeVisitor visitor{[&](const Expr &node) {
                        if (node.kind == ExprKind::Operation)
                          if (const auto at = positionOf(node.as<OperationExpr>().op))
                            if (at->position == Position::Grid || at->position == Position::ThreadIdx)
                              axes |= 1u << at->axis;
                        if (node.kind == ExprKind::Call && seen.insert(node.as<Call>().callee).second)
                          axes |= axesOf(*node.as<Call>().callee, seen);
                        return true;
                      },
                      [](const Stmt &) { return true; }};
  visitor.walk(function.body);
  return axes;
}

/// Walks the kernel once, in the order of evaluation.
class Plan {
public:
  Plan(const TypedFunction &kernel, bool noOverlap, unsigned axes)
      : kernel(kernel), noOverlap(noOverlap), axes(axes), assignments(countAssignments(kernel)),
        slots(kernel.slots.size()) {
    for (unsigned i = 0; i < kernel.parameterCount; ++i)
      if (assignments[i]++ == 0)
        slots[i] = {numbers.fresh({ThreadPlace::uniform(), {}, kernel.slots[i]}), 0};
    walk(kernel.body);
  }

  Definitions definitions;

private:
  /// An element whose value variables have.
  struct Element {
    Number array;
    llvm::SmallVector<Number, 3> indices;
    Number value;
    llvm::SmallVector<unsigned, 2> reaching; ///< its definitions, one of which has run last, on every path
    bool isSame(const Element &other) const { return array == other.array && indices == other.indices; }
  };
  using Elements = std::vector<Element>;

  struct SlotState {
    Number number = 0;
    unsigned since = 0; ///< of `loops`
  };
  struct Change {
    unsigned slot;
    SlotState before;
  };

  //===--- Variables ---===//

  void assign(const Slot &slot, Number number) {
    changes.push_back({slot.index, slots[slot.index]});
    slots[slot.index] = {number, loops};
  }

  /// A variable with several assignments may have been changed by an earlier round of the loop.
  Number valueOf(const Slot &slot) {
    SlotState &state = slots[slot.index];
    if (state.number == 0 || (state.since < loops && assignments[slot.index] > 1))
      state = {numbers.fresh(), loops};
    return state.number;
  }

  /// The variables that have changed since then have any value.
  void forgetChanged(size_t since) {
    const std::vector<Change> changed(changes.begin() + ptrdiff_t(since), changes.end());
    for (const Change &change : changed)
      assign(*kernel.slots[change.slot], numbers.fresh());
  }

  //===--- Joins ---===//

  /// Runs the two in either order; afterwards that is known which is known after each that goes on.
  template <class Then, class Otherwise> void fork(Then then, Otherwise otherwise) {
    const Elements before = elements;
    const size_t mark = changes.size();
    then();
    Elements known = std::move(elements);
    const bool thenLeaves = leaves;
    const std::vector<Change> changed(changes.begin() + ptrdiff_t(mark), changes.end());
    for (; changes.size() > mark; changes.pop_back())
      slots[changes.back().slot] = changes.back().before;
    elements = before;
    leaves = false;
    otherwise();
    if (leaves)
      elements = std::move(known);
    else if (!thenLeaves)
      join(known);
    leaves &= thenLeaves;
    forgetChanged(mark);
    for (const Change &change : changed)
      assign(*kernel.slots[change.slot], numbers.fresh());
  }

  void join(const Elements &others) {
    llvm::erase_if(elements, [&](Element &element) {
      const auto other = llvm::find_if(others, [&](const Element &one) { return one.isSame(element); });
      if (other == others.end())
        return true;
      for (const unsigned definition : other->reaching)
        if (!llvm::is_contained(element.reaching, definition))
          element.reaching.push_back(definition);
      if (other->value != element.value)
        element.value = numbers.fresh();
      return false;
    });
  }

  /// Nothing is known at the beginning of a round, and behind the loop, which may end anywhere in it.
  template <class Round> void loop(Body otherwise, Round round) {
    ++loops;
    elements.clear();
    const size_t mark = changes.size();
    round();
    for (const bool isBehind : {false, true}) {
      elements.clear();
      leaves = false;
      forgetChanged(mark);
      if (!isBehind)
        walk(otherwise);
    }
  }

  //===--- Statements ---===//

  void walk(Body body) {
    for (const Stmt *statement : body)
      walk(*statement);
  }

  void walk(const Stmt &statement) {
    switch (statement.kind) {
    case StmtKind::Assign:
      assign(*statement.as<Assign>().slot, evaluate(*statement.as<Assign>().value));
      ++effects;
      return;
    case StmtKind::Store:
      return store(statement.as<Store>());
    case StmtKind::If: {
      const If &branch = statement.as<If>();
      evaluateTest(*branch.test, statement);
      return fork([&] { walk(branch.then); }, [&] { walk(branch.otherwise); });
    }
    case StmtKind::While: {
      const While &own = statement.as<While>();
      return loop(own.otherwise, [&] {
        evaluateTest(*own.test, statement);
        walk(own.body);
      });
    }
    case StmtKind::Range:
      return walkRange(statement.as<Range>());
    case StmtKind::Assert: // does not run
    case StmtKind::Raise:
      return;
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Return:
      forEachExpression(statement, [&](const Expr &value) { evaluate(value); });
      leaves = true;
      return;
    case StmtKind::Effect:
    case StmtKind::Barrier:
    case StmtKind::Print:
      forEachExpression(statement, [&](const Expr &value) { evaluate(value); });
      ++effects;
      if (statement.kind == StmtKind::Barrier)
        elements.clear();
    }
  }

  void walkRange(const Range &range) {
    const Scoped<bool> plain(isPlain, isPlain || mustBePlain(range));
    const Number start = evaluate(*range.start);
    evaluate(*range.stop);
    const Number step = evaluate(*range.step);
    // Lanes that are in the loop together are in the same round.
    const bool isEven = numbers[step].place.isUniform() && range.slot->type == range.counter;
    const Scoped<bool> inside(isPlain, false);
    loop(range.otherwise, [&] {
      assign(*range.slot, numbers.fresh({isEven ? numbers[start].place : ThreadPlace::unknown()}));
      walk(range.body);
    });
  }

  /// Control flow around barriers is that of the block, not of threads.
  bool mustBePlain(const Stmt &statement) const { return kernel.hasBarrier && containsBarrier(statement); }

  void evaluateTest(const Expr &test, const Stmt &statement) {
    const Scoped<bool> plain(isPlain, isPlain || mustBePlain(statement));
    evaluate(test);
  }

  void store(const Store &store) {
    const Number value = evaluate(*store.value);
    Element element = elementAt(store.at);
    element.value = value;
    ++effects;
    llvm::erase_if(elements, [&](const Element &known) { return mayChange(known, element, store.at); });
    if (isOwn(store.at, element))
      define(std::move(element), nullptr, &store);
  }

  //===--- Expressions ---===//

  Number evaluate(const Expr &expression) {
    switch (expression.kind) {
    case ExprKind::Slot:
      return valueOf(*expression.as<SlotRead>().slot);
    case ExprKind::Load:
      return load(expression);
    case ExprKind::Conditional: {
      const Conditional &choice = expression.as<Conditional>();
      evaluate(*choice.test);
      fork([&] { evaluate(*choice.then); }, [&] { evaluate(*choice.otherwise); });
      return numbers.fresh();
    }
    case ExprKind::Block:
      walk(expression.as<Block>().body);
      return evaluate(*expression.as<Block>().value);
    case ExprKind::Const:
    case ExprKind::Operation:
    case ExprKind::View:
    case ExprKind::Attribute:
    case ExprKind::Captured: {
      const std::vector<Number> parts = evaluateParts(expression);
      const bool hasNumber = expression.type->isInteger() || expression.type->isArray();
      return hasNumber ? numbers.of(expression, parts) : numbers.fresh();
    }
    default:
      evaluateParts(expression);
      noteEffects(expression);
      return numbers.fresh();
    }
  }

  std::vector<Number> evaluateParts(const Expr &expression) {
    std::vector<Number> parts;
    forEachOperand(expression, [&](const Expr &part) { parts.push_back(evaluate(part)); });
    return parts;
  }

  void noteEffects(const Expr &expression) {
    if (expression.kind == ExprKind::Tuple || expression.kind == ExprKind::Item || expression.kind == ExprKind::ItemAt)
      return;
    ++effects;
    const bool isCall = expression.kind == ExprKind::Call;
    if (isCall && !expression.as<Call>().callee->effects.writes && !expression.as<Call>().callee->effects.meets)
      return;
    if (isCall || expression.kind == ExprKind::Atomic || expression.kind == ExprKind::WarpOp)
      elements.clear();
  }

  Number load(const Expr &expression) {
    const unsigned before = effects;
    Element element = elementAt(expression.as<Load>().at);
    const bool isCandidate = isOwn(expression.as<Load>().at, element);
    const auto found = llvm::find_if(elements, [&](const Element &known) { return known.isSame(element); });
    if (isCandidate && effects == before && found != elements.end()) {
      definitions.read(expression, found->reaching);
      return found->value;
    }
    element.value = numbers.fresh();
    const Number value = element.value;
    if (isCandidate)
      define(std::move(element), &expression, nullptr);
    return value;
  }

  //===--- Elements ---===//

  Element elementAt(const Indexed &at) {
    Element element{evaluate(*at.array), {}, 0, {}};
    for (const Expr *index : at.indices)
      element.indices.push_back(evaluate(*index));
    return element;
  }

  /// Whether no other thread of the block has it, and a variable keeps the same bits. Not fields of records, whose
  /// stores are not told apart here: a kernel that moves particles gains a twentieth.
  bool isOwn(const Indexed &at, const Element &element) const {
    const Slot *root = numbers[element.array].root;
    const bool hasGaps = !root || root->type->layout() == Layout::Any; // or elements in the same place
    if (isPlain || at.array->type->element() == types::float16() || numbers[element.array].isField ||
        (hasGaps && !noOverlap))
      return false;
    ThreadPlace place = numbers[element.array].place;
    for (const Number index : element.indices)
      place = place.indexedBy(numbers[index].place);
    return at.array->type->space() == Space::Global && place.covers(axes);
  }

  void define(Element element, const Expr *load, const Store *store) {
    llvm::erase_if(elements, [&](const Element &known) { return known.isSame(element); });
    if (elements.size() == mostElements)
      elements.erase(elements.begin());
    element.reaching = {definitions.add(load, store)};
    elements.push_back(std::move(element));
  }

  /// Whether a store by any thread that is here may change it.
  bool mayChange(const Element &known, const Element &stored, const Indexed &at) const {
    const Space space = at.array->type->space();
    if (space == Space::Shared || space == Space::Local)
      return false;
    const Slot *one = numbers[known.array].root, *other = numbers[stored.array].root;
    return !noOverlap || ((!one || !other || one == other) && !areApart(known, stored));
  }

  /// Elements of one array whose indices are the same or different constants, for all threads.
  bool areApart(const Element &one, const Element &other) const {
    if (one.array != other.array)
      return false;
    bool differ = false;
    for (size_t axis = 0; axis < one.indices.size(); ++axis) {
      if (one.indices[axis] == other.indices[axis])
        continue;
      const auto first = numbers[one.indices[axis]].constant, second = numbers[other.indices[axis]].constant;
      if (!first || !second)
        return false;
      // Negative ones count from the end.
      differ |= *first != *second && (*first < 0) == (*second < 0);
    }
    return differ;
  }

  const TypedFunction &kernel;
  const bool noOverlap;
  const unsigned axes; ///< positions that tell the threads of a block apart
  std::vector<unsigned> assignments;
  ValueNumbers numbers;
  std::vector<SlotState> slots;
  std::vector<Change> changes; ///< of slots, in order
  Elements elements;
  unsigned loops = 0;   ///< entered so far
  unsigned effects = 0; ///< so far
  bool leaves = false;  ///< the list of statements has ended with a jump
  bool isPlain = false; ///< no value is forwarded to or from here
};

class Forwarding final : public TreeCopy {
public:
  Forwarding(TypedFunction &out, const TypedFunction &from, Definitions &definitions)
      : TreeCopy(out, from), definitions(definitions) {}

  /// Parts come before what they are parts of: their copies are in its copy.
  void replace() {
    for (const auto &[load, definition] : definitions.reads)
      replacements[load] = nodes.read(slotOf(definition, *load), load->span);
    for (unsigned i = 0; i < definitions.all.size(); ++i) {
      const Definitions::Definition &one = definitions.all[i];
      if (!definitions.all[definitions.rootOf(i)].isRead)
        continue;
      const Expr &value = one.load ? *one.load : *one.store->value;
      Slot *slot = slotOf(i, value);
      if (one.load)
        replacements[&value] =
            nodes.block({nodes.assign(slot, copy(value), value.span)}, nodes.read(slot, value.span), value.span);
      else
        stores[one.store] = slot;
    }
  }

private:
  Slot *slotOf(unsigned definition, const Expr &value) {
    Slot *&slot = variables[definitions.rootOf(definition)];
    return slot ? slot : slot = newSlot(value.type, value.span);
  }

  void copyInto(std::vector<Stmt *> &statements, const Stmt &statement) override {
    const auto found = stores.find(&statement);
    if (found == stores.end())
      return statements.push_back(copyOne(statement));
    const Expr &value = *statement.as<Store>().value;
    statements.push_back(nodes.assign(found->second, copy(value), value.span));
    replacements[&value] = nodes.read(found->second, value.span);
    statements.push_back(copyOne(statement));
  }

  Definitions &definitions;
  std::unordered_map<unsigned, Slot *> variables;
  std::unordered_map<const Stmt *, Slot *> stores;
};

/// Whether it is worth looking: an element must be accessed twice.
bool mayForward(const TypedFunction &kernel) {
  unsigned loads = 0, stores = 0;
  TreeVisitor visitor{[&](const Expr &expression) {
                        loads += expression.kind == ExprKind::Load;
                        return true;
                      },
                      [&](const Stmt &statement) {
                        stores += statement.kind == StmtKind::Store;
                        return true;
                      }};
  visitor.walk(kernel.body);
  return loads > 0 && loads + stores > 1;
}

} // namespace

std::shared_ptr<TypedFunction> forwardValues(const TypedFunction &kernel, bool noOverlap) {
  if (!kernel.expanded.empty() || !mayForward(kernel))
    return nullptr;
  std::unordered_set<const TypedFunction *> seen{&kernel};
  const unsigned axes = axesOf(kernel, seen);
  if (axes == 0)
    return nullptr;
  Plan plan(kernel, noOverlap, axes);
  // Threads that wait for others look at memory again.
  if (plan.definitions.reads.empty() || WaitingLoops(kernel, noOverlap).any())
    return nullptr;
  auto made = std::make_shared<TypedFunction>();
  static_cast<FunctionHeader &>(*made) = kernel;
  Forwarding forwarding(*made, kernel, plan.definitions);
  forwarding.replace();
  made->body = forwarding.copy(kernel.body);
  return made;
}

} // namespace treadle
