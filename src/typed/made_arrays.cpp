// made_arrays: tracks arrays through variables, and compares their reads with the order of the tree.
#include "typed/made_arrays.h"

#include "typed/traits.h"
#include "typed/walk.h"

#include <algorithm>
#include <map>
#include <set>

namespace treadle::typed {

namespace {

bool holdsArrays(const Type &type) {
  if (type.isOptional())
    return holdsArrays(*type.element());
  return type.isArray() || std::ranges::any_of(type.items(), [](const Type *item) { return holdsArrays(*item); });
}

/// Positions count nodes in evaluation order. Lists of statements are numbered, and so are the outermost loops.
struct Assigned {
  const Assign *statement;
  unsigned begin; ///< position before its value
  unsigned at;    ///< position after its value
  unsigned list;  ///< whose rest it dominates
  unsigned loop;  ///< 0: none
  /// In one arm of an `if` whose other arm assigns the slot, too; a separate entry represents both, after the `if`.
  bool isJoined = false;
};

struct Made {
  const Expr *expression;
  unsigned loop;
};

/// The function's assignments and reads of variables that hold arrays, in order. The traversal uses an explicit stack,
/// since trees may be deeper than the thread's.
class Order {
public:
  explicit Order(const TypedFunction &function) : assigned(function.slots.size()), reads(function.slots.size()) {
    enterList(function.body);
    while (!todo.empty()) {
      const Item next = todo.back();
      todo.pop_back();
      step(next);
    }
  }

  std::vector<std::vector<Assigned>> assigned; ///< to each slot
  std::vector<Made> made;
  std::vector<const Expr *> results;

  /// Whether the variable is assigned before each read, in the same iteration of all loops around both.
  bool isSetBeforeReads(const Slot &slot) const {
    const auto &all = assigned[slot.index];
    for (const Assigned &outer : all)
      for (const Assigned &inner : all)
        if (!inner.isJoined && outer.list != inner.list && covers(outer, inner.at))
          return false;
    return std::ranges::all_of(reads[slot.index], [&](unsigned read) {
      return std::ranges::any_of(all, [&](const Assigned &before) { return covers(before, read); });
    });
  }

private:
  struct Item {
    enum class Kind : uint8_t { Expr, Stmt, Body, EndList, EndAssign, EndArm, EndIf, EndLoop } kind;
    const void *node;
    unsigned number = 0;
  };
  using Kind = Item::Kind;

  bool covers(const Assigned &assignment, unsigned at) const {
    return assignment.at < at && at < listEnds[assignment.list];
  }

  void enterList(const Body &body) {
    lists.push_back(unsigned(listEnds.size()));
    listEnds.push_back(~0u);
    for (size_t i = body.size(); i-- > 0;)
      todo.push_back({Kind::Stmt, body[i]});
  }

  template <typename Node> void pushParts(const Node &node) {
    const size_t first = todo.size();
    forEachPart(
        node, [&](const Expr &part) { todo.push_back({Kind::Expr, &part}); },
        [&](const Body &body) {
          todo.push_back({Kind::Body, &body});
          todo.push_back({Kind::EndList, nullptr});
        });
    std::reverse(todo.begin() + ptrdiff_t(first), todo.end());
  }

  void step(const Item &next) {
    ++position;
    switch (next.kind) {
    case Kind::Expr:
      return visit(*static_cast<const Expr *>(next.node));
    case Kind::Stmt:
      return visit(*static_cast<const Stmt *>(next.node));
    case Kind::Body:
      return enterList(*static_cast<const Body *>(next.node));
    case Kind::EndList:
      listEnds[lists.back()] = position;
      return lists.pop_back();
    case Kind::EndAssign:
      return assign({static_cast<const Assign *>(next.node), next.number, position, lists.back(), loop});
    case Kind::EndArm:
      arms.push_back(lists.back());
      listEnds[lists.back()] = position;
      return lists.pop_back();
    case Kind::EndIf:
      return joinArms();
    case Kind::EndLoop:
      loop = next.number;
    }
  }

  void visit(const Expr &expression) {
    if (const Slot *slot = readSlot(expression))
      reads[slot->index].push_back(position);
    const bool isLocal = expression.kind == ExprKind::Allocation && expression.type->space() == Space::Local;
    const bool isNew = isLocal && expression.as<Allocation>().isNew;
    if (isLocal || expression.kind == ExprKind::HeapArray ||
        (expression.kind == ExprKind::Call && expression.as<Call>().callee->givesArrays))
      made.push_back({&expression, isLocal && !isNew ? 0 : loop});
    if (expression.kind != ExprKind::Block)
      return pushParts(expression);
    // The value belongs to the list.
    const auto &block = expression.as<Block>();
    todo.push_back({Kind::EndList, nullptr});
    todo.push_back({Kind::Expr, block.value});
    enterList(block.body);
  }

  void visit(const Stmt &statement) {
    if (statement.kind == StmtKind::If)
      return pushIf(statement.as<If>());
    if (statement.kind == StmtKind::Assign)
      todo.push_back({Kind::EndAssign, &statement, position});
    if (statement.kind == StmtKind::Return && statement.as<Return>().value)
      results.push_back(statement.as<Return>().value);
    if (traits(statement.kind).loops) {
      todo.push_back({Kind::EndLoop, nullptr, loop});
      loop = loop ? loop : ++loops;
    }
    pushParts(statement);
  }

  void pushIf(const If &statement) {
    todo.push_back({Kind::EndIf, nullptr});
    for (const Body *arm : {&statement.otherwise, &statement.then}) {
      todo.push_back({Kind::EndArm, nullptr});
      todo.push_back({Kind::Body, arm});
    }
    todo.push_back({Kind::Expr, statement.test});
  }

  void assign(const Assigned &assignment) {
    auto &all = assigned[assignment.statement->slot->index];
    inList[assignment.list].emplace_back(assignment.statement->slot->index, all.size());
    all.push_back(assignment);
  }

  /// Slots assigned by both arms are assigned by the statement.
  void joinArms() {
    const auto otherwise = inList[arms.back()];
    const auto then = inList[arms[arms.size() - 2]];
    arms.resize(arms.size() - 2);
    std::set<uint32_t> inThen, inBoth;
    for (const auto &[slot, entry] : then)
      inThen.insert(slot);
    for (const auto &[slot, entry] : otherwise)
      if (inThen.contains(slot))
        inBoth.insert(slot);
    for (const auto *arm : {&then, &otherwise})
      for (const auto &[slot, entry] : *arm)
        if (inBoth.contains(slot))
          assigned[slot][entry].isJoined = true;
    for (const uint32_t slot : inBoth) {
      const Assign *statement = assigned[slot].back().statement;
      assign({statement, position, position, lists.back(), loop});
    }
  }

  std::vector<Item> todo;
  std::vector<std::vector<unsigned>> reads; ///< of each slot: positions
  std::vector<unsigned> listEnds;
  std::vector<unsigned> lists; ///< the open ones, outermost first
  std::vector<unsigned> arms;  ///< ended arms of `if` statements that have not ended
  std::map<unsigned, std::vector<std::pair<uint32_t, size_t>>> inList; ///< slot and position in `assigned`
  unsigned position = 0, loop = 0, loops = 0;
};

/// The arrays made by the function that a value may be.
struct Origin {
  static constexpr unsigned several = ~0u;
  const Expr *made = nullptr; ///< one of them
  unsigned loop = 0;          ///< the outermost loop of those made in loops; 0: none is

  /// Returns whether it adds anything.
  bool add(const Origin &other) {
    if (!other.made || (made && (!other.loop || other.loop == loop || loop == several)))
      return false;
    if (!made || !loop)
      made = other.made;
    loop = !loop || !other.loop ? std::max(loop, other.loop) : several;
    return true;
  }
};

class Following {
public:
  explicit Following(const TypedFunction &function) : order(function), held(function.slots.size()) {
    for (const Made &made : order.made)
      places[made.expression] = {made.expression, made.loop};
    for (bool isNew = true; isNew;) {
      isNew = false;
      for (size_t slot = 0; slot < held.size(); ++slot)
        for (const Assigned &assignment : order.assigned[slot])
          forEachSource(*assignment.statement->value, [&](const Expr &source) { isNew |= held[slot].add(of(source)); });
    }
  }

  MadeArrays found() {
    MadeArrays result;
    for (const Expr *value : order.results)
      forEachSource(*value, [&](const Expr &source) { result.mayBeResult |= of(source).made != nullptr; });
    for (const auto &all : order.assigned)
      for (const Assigned &assignment : all) {
        const Origin copied = copiedBy(assignment);
        if (!copied.loop || order.isSetBeforeReads(*assignment.statement->slot))
          continue;
        result.kept = assignment.statement;
        result.made = copied.made;
        return result;
      }
    return result;
  }

private:
  /// The variables, made arrays and calls from which an array-holding value may originate.
  template <typename Use> static void forEachSource(const Expr &value, Use use) {
    std::vector<const Expr *> todo{&value};
    while (!todo.empty()) {
      const Expr &next = *todo.back();
      todo.pop_back();
      if (!holdsArrays(*next.type))
        continue;
      use(next);
      if (next.kind == ExprKind::View)
        todo.push_back(next.as<View>().array);
      else
        forEachPart(next, [&](const Expr &part) { todo.push_back(&part); }, [](const Body &) {});
    }
  }

  Origin of(const Expr &source) const {
    if (source.kind == ExprKind::Slot)
      return held[source.as<SlotRead>().slot->index];
    const auto place = places.find(&source);
    return place == places.end() ? Origin{} : place->second;
  }

  /// The arrays that the assignment copies from other variables, in the loop that made them. A variable that is
  /// assigned inside the value is part of the value.
  Origin copiedBy(const Assigned &assignment) const {
    Origin copied;
    std::set<uint32_t> inner;
    std::vector<std::pair<const Expr *, bool>> todo{{assignment.statement->value, false}};
    while (!todo.empty()) {
      const auto [value, isArgument] = todo.back();
      todo.pop_back();
      forEachSource(*value, [&, isArgument = isArgument](const Expr &source) {
        // The arrays that the call makes may be those of its arguments, from the previous iteration.
        if (source.kind == ExprKind::Call && source.as<Call>().callee->givesArrays)
          for (const Expr *argument : source.as<Call>().arguments)
            todo.emplace_back(argument, true);
        if (source.kind != ExprKind::Slot)
          return;
        const uint32_t slot = source.as<SlotRead>().slot->index;
        if (slot == assignment.statement->slot->index && !isArgument)
          return;
        const auto &all = order.assigned[slot];
        const bool isInner = !all.empty() && std::ranges::all_of(all, [&](const Assigned &other) {
          return other.begin > assignment.begin && other.at < assignment.at;
        });
        if (!isInner && (held[slot].loop == assignment.loop || held[slot].loop == Origin::several))
          copied.add(held[slot]);
        if (isInner && inner.insert(slot).second)
          for (const Assigned &other : all)
            todo.emplace_back(other.statement->value, isArgument);
      });
    }
    return assignment.loop ? copied : Origin{};
  }

  Order order;
  std::vector<Origin> held;
  std::map<const Expr *, Origin> places;
};

} // namespace

MadeArrays followMadeArrays(const TypedFunction &function) {
  const bool makesArrays =
      std::ranges::any_of(function.arrays, [](const BlockArray &array) { return !array.isShared; }) ||
      std::ranges::any_of(function.callees, [](const auto &callee) { return callee->givesArrays; });
  return makesArrays ? Following(function).found() : MadeArrays{};
}

} // namespace treadle::typed
