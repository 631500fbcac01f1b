// forwarded_values: store-to-load and load-to-load forwarding along the flow of control.
#include "passes/rewrites/forwarded_values.h"

#include "passes/analyses/liveness.h"
#include "passes/analyses/slot_numbers.h"
#include "passes/analyses/spin_loops.h"
#include "passes/analyses/tree_walk.h"
#include "support/error.h"
#include "support/scoped.h"
#include "typed/traits.h"
#include "typed/walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <unordered_map>

namespace treadle {

using namespace typed;

namespace {

using Number = ValueNumbers::Number;

/// More do not pay for their registers; this also bounds the time of stores and joins.
constexpr size_t mostElements = 32;

/// Stores and loads whose values can be forwarded. Those that reach the same load share a variable.
class Definitions {
public:
  /// A load or a store.
  struct Definition {
    const Expr *load;
    const Store *store;
    unsigned parent; ///< another one with the same variable (union-find); itself at the root
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
  /// Whichever of the definitions has run last, its value must be in the one variable that the load becomes a read of:
  /// so all of them write it, and those that reach several loads tie these variables together.
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
  std::vector<Definition> all; ///< in the order of evaluation
  std::vector<std::pair<const Expr *, unsigned>>
      reads; ///< the loads that are replaced, each with one of its definitions
};

/// The thread positions that the kernel reads, one bit per axis.
unsigned axesOf(const TypedFunction &kernel) {
  unsigned axes = 0;
  for (const TypedFunction *function : withCallees(kernel))
    forEachExpr(*function, [&](const Expr &node) {
      if (node.kind == ExprKind::Operation)
        if (const auto at = positionOf(node.as<OperationExpr>().op))
          if (at->position == Position::Grid || at->position == Position::ThreadIdx)
            axes |= 1u << at->axis;
    });
  return axes;
}

/// Walks the kernel once, in evaluation order.
class Plan {
public:
  Plan(const RuleInput &input, unsigned axes)
      : kernel(input.kernel), noOverlap(input.noOverlap), axes(axes), slots(kernel, input.uses.of(kernel), numbers) {
    walk(kernel.body);
  }

  Definitions definitions;

private:
  /// An element whose value is available in variables.
  struct Element {
    Number array;
    llvm::SmallVector<Number, 3> indices;
    Number value;
    llvm::SmallVector<unsigned, 2> reaching; ///< reaching definitions: on every path, one of them has run last
    bool isSame(const Element &other) const { return array == other.array && indices == other.indices; }
  };
  using Elements = std::vector<Element>;

  //===--- Joins ---===//

  /// Walks both arms; what is available afterwards is the intersection over the arms that fall through.
  /// Both begin with what was known before. What either assigns has no known number afterwards.
  template <class Then, class Otherwise> void fork(Then then, Otherwise otherwise) {
    const Elements before = elements;
    const auto changedByThen = slots.changedBy(then);
    Elements known = std::move(elements);
    const bool thenLeaves = leaves;
    elements = before;
    leaves = false;
    const auto changedByOtherwise = slots.changedBy(otherwise);
    if (leaves)
      elements = std::move(known);
    else if (!thenLeaves)
      join(known);
    leaves &= thenLeaves;
    slots.forget(changedByThen);
    slots.forget(changedByOtherwise);
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

  /// Nothing is available at the start of an iteration, and after the loop, which may end anywhere in it.
  template <class Round> void loop(Body otherwise, Round round) {
    slots.enterLoop();
    elements.clear();
    const auto changedByRound = slots.changedBy(round);
    const auto begin = [&] {
      elements.clear();
      leaves = false;
      slots.forget(changedByRound);
    };
    begin();
    const auto changedByOtherwise = slots.changedBy([&] { walk(otherwise); });
    begin();
    slots.forget(changedByOtherwise);
  }

  //===--- Statements ---===//

  void walk(Body body) {
    for (const Stmt *statement : body)
      walk(*statement);
  }

  void walk(const Stmt &statement) {
    switch (statement.kind) {
    case StmtKind::Assign:
      slots.assign(*statement.as<Assign>().slot, evaluate(*statement.as<Assign>().value));
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
    // Lanes that are in the loop together are in the same iteration.
    const bool isEven = numbers[step].place.isUniform() && range.slot->type == range.counter;
    const Scoped<bool> inside(isPlain, false);
    loop(range.otherwise, [&] {
      slots.assign(*range.slot, numbers.fresh({isEven ? numbers[start].place : ThreadPlace::unknown()}));
      walk(range.body);
    });
  }

  /// Control flow around barriers is the block's, not a thread's.
  bool mustBePlain(const Stmt &statement) const { return kernel.hasBarrier && containsBarrier(statement); }

  void evaluateTest(const Expr &test, const Stmt &statement) {
    const Scoped<bool> plain(isPlain, isPlain || mustBePlain(statement));
    evaluate(test);
  }

  /// The stored element is known after the store, in place of all that it may have changed.
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

  /// Numbers tell equal indices and arrays; other values have new ones, as no element is found by them.
  Number evaluate(const Expr &expression) {
    switch (expression.kind) {
    case ExprKind::Slot:
      return slots.valueOf(*expression.as<SlotRead>().slot);
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
    case ExprKind::Call:
    case ExprKind::Tuple:
    case ExprKind::Item:
    case ExprKind::ItemAt:
    case ExprKind::Allocation:
    case ExprKind::HeapArray:
    case ExprKind::Atomic:
    case ExprKind::WarpOp:
      evaluateParts(expression);
      noteEffects(expression);
      return numbers.fresh();
    }
    failCheck("a known kind of expression", __FILE__, __LINE__);
  }

  std::vector<Number> evaluateParts(const Expr &expression) {
    std::vector<Number> parts;
    forEachOperand(expression, [&](const Expr &part) { parts.push_back(evaluate(part)); });
    return parts;
  }

  void noteEffects(const Expr &expression) {
    const ExprTraits kind = traits(expression.kind);
    effects += kind.isVolatile || kind.makesArray;
    const bool isHarmless = expression.kind == ExprKind::Call && !expression.as<Call>().callee->effects.writes &&
                            !expression.as<Call>().callee->effects.meets;
    if (kind.isVolatile && !isHarmless)
      elements.clear();
  }

  /// A load that is replaced is dropped with its array and its indices, so these must be free of effects.
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

  /// Whether the element is private to its thread within the block, and a variable preserves its bits. Excludes fields
  /// of records, whose stores are not distinguished here: a kernel that moves particles gains a twentieth.
  bool isOwn(const Indexed &at, const Element &element) const {
    const Slot *root = numbers[element.array].root;
    const bool hasGaps = !root || root->type->layout() == Layout::Any; // or overlapping elements
    if (isPlain || at.array->type->element() == types::float16() || numbers[element.array].isField ||
        (hasGaps && !noOverlap))
      return false;
    ThreadPlace place = numbers[element.array].place;
    for (const Number index : element.indices)
      place = place.indexedBy(numbers[index].place);
    return at.array->type->space() == Space::Global && place.covers(axes);
  }

  /// The oldest element goes first: it is the least likely to be read again.
  void define(Element element, const Expr *load, const Store *store) {
    llvm::erase_if(elements, [&](const Element &known) { return known.isSame(element); });
    if (elements.size() == mostElements)
      elements.erase(elements.begin());
    element.reaching = {definitions.add(load, store)};
    elements.push_back(std::move(element));
  }

  /// Whether a store by any thread at this point may change it.
  /// Only elements of global memory are known, which stores to shared and local memory do not reach.
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
  const unsigned axes; ///< positions that distinguish the threads of a block
  ValueNumbers numbers;
  SlotNumbers slots;
  Elements elements;
  unsigned effects = 0; ///< so far
  bool leaves = false;  ///< the list of statements has ended with a jump
  bool isPlain = false; ///< no value is forwarded to or from here
};

/// One variable for the definitions that reach the same load.
/// Definitions that no load reads stay as they were.
class Forwarding final : public Rule {
public:
  explicit Forwarding(Definitions definitions) {
    for (const auto &[load, definition] : definitions.reads)
      reads[load] = definitions.rootOf(definition);
    for (unsigned i = 0; i < definitions.all.size(); ++i) {
      const Definitions::Definition &one = definitions.all[i];
      const unsigned root = definitions.rootOf(i);
      if (!definitions.all[root].isRead)
        continue;
      if (one.load)
        loads[one.load] = root;
      else
        stores[one.store] = root;
    }
  }

  Expr *expression(const Rest &rest, const Expr &e) override {
    if (e.kind != ExprKind::Load)
      return rest(e);
    const Nodes &nodes = rest.copy.nodes;
    if (const auto read = reads.find(&e); read != reads.end())
      return nodes.read(variable(rest.copy, read->second, e), e.span);
    const auto found = loads.find(&e);
    if (found == loads.end())
      return rest(e);
    Slot *slot = variable(rest.copy, found->second, e);
    return nodes.block({nodes.assign(slot, rest(e), e.span)}, nodes.read(slot, e.span), e.span);
  }

  /// The value is evaluated before the array and the indices in either form, so its assignment may come first.
  void statement(const Rest &rest, Statements &into, const Stmt &statement) override {
    const auto found = stores.find(&statement);
    if (found == stores.end())
      return rest(into, statement);
    const Expr &value = *statement.as<Store>().value;
    Slot *slot = variable(rest.copy, found->second, value);
    into.push_back(rest.copy.nodes.assign(slot, rest.copy.copy(value), value.span));
    rest.copy.replacements[&value] = rest.copy.nodes.read(slot, value.span);
    rest(into, statement);
    rest.copy.replacements.erase(&value);
  }

private:
  Slot *variable(Rewriter &copy, unsigned root, const Expr &value) {
    Slot *&slot = variables[root];
    return slot ? slot : slot = copy.newSlot(value.type, value.span);
  }

  std::unordered_map<const Expr *, unsigned> reads, loads; ///< loads that are replaced, and that are kept for them
  std::unordered_map<const Stmt *, unsigned> stores;
  std::unordered_map<unsigned, Slot *> variables; ///< by the root of their definitions
};

/// A quick check: an element must be accessed twice.
bool mayForward(const TypedFunction &kernel) {
  unsigned loads = 0, stores = 0;
  forEachNode(
      kernel, [&](const Expr &node) { loads += node.kind == ExprKind::Load; },
      [&](const Stmt &node) { stores += node.kind == StmtKind::Store; });
  return loads > 0 && loads + stores > 1;
}

} // namespace

std::unique_ptr<Rule> forwardedValues(const RuleInput &input) {
  const TypedFunction &kernel = input.kernel;
  const unsigned axes = mayForward(kernel) ? axesOf(kernel) : 0;
  if (axes == 0)
    return nullptr;
  Plan plan(input, axes);
  // Threads that wait for others must reload memory.
  if (plan.definitions.reads.empty() || WaitingLoops(kernel, input.uses, input.noOverlap).any())
    return nullptr;
  return std::make_unique<Forwarding>(std::move(plan.definitions));
}

} // namespace treadle
