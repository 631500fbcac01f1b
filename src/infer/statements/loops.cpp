// Loops: over range, arrays and tuples; while.
// Three kinds of loops: over a range, whose variable may be the counter itself; over anything with a count and an item
// for each index; and over tuples of several types, which are no loops at run time: the body is copied for each item.
#include "infer/statements/loops.h"

#include "infer/flow/syntax_clone.h"
#include "infer/statements/statements.h"
#include "typed/loop_exits.h"

#include <fmt/core.h>

namespace treadle {

/// Decided by the type of the iterable, so the kind may be known only while solving. A tuple of one type without
/// storage (functions, None) is unrolled as well, as its items cannot be chosen at run time.
Loops::Iteration Loops::iterate(const syntax::For &loop) {
  const syntax::Expr &iterable = *loop.iterable;
  typed::Expr *value = expressions.expr(iterable);
  // The statements before the value are emitted before the loop, so that its parts are visible: a constant step, say.
  for (; value->kind == typed::ExprKind::Block; value = value->as<typed::Block>().value)
    for (typed::Stmt *statement : value->as<typed::Block>().body)
      tree.emit(statement);
  if (typed::Expr *members = enumerations.membersOf(*value->type, iterable.span))
    value = members;
  if (value->type->is(Series::Range))
    return {Iteration::Kind::Range, tree.itemsOf(value)};
  if (value->type->isIterableSeries() || (value->type->isArray() && value->type->ndim() > 0))
    return {Iteration::Kind::Counted, {value}};
  if (value->type->isPlainTuple()) {
    const bool isUniform =
        value->type->items().empty() || (value->type->isUniTuple() && typed::hasStorage(value->type->items()[0]));
    const bool isConsteval = iterable.kind == syntax::ExprKind::Consteval;
    if (isUniform && !isConsteval && !unrolled.contains(&loop) && !statics.isLiteralUnroll(iterable))
      return {Iteration::Kind::Counted, {value}};
    return {Iteration::Kind::Unrolled, tree.itemsOf(value)};
  }
  tree.fail(iterable.span, {.kind = CompileErrorKind::Typing,
                            .message = "this cannot be iterated over",
                            .found = value->type->name(),
                            .expected = "range(...), an array or a tuple",
                            .remedy = value->type->isInt() ? "write range(...) around it" : ""});
}

namespace {

/// Its items have no type: the target gets none, and the body never runs.
bool isEmptyTuple(const Type &type) { return type.isTuple() && type.items().empty(); }

} // namespace

/// While solving: binds the target of the loop.
/// If the loop must be unrolled, or into another number of copies than there are, solving starts anew, with copies in
/// the flow that have separate variables. Copies after a `break` that always runs are not reached, and have no nodes.
void Loops::bindElement(const syntax::For &loop) {
  Iteration iteration = iterate(loop);
  const SourceSpan span = loop.iterable->span;
  switch (iteration.kind) {
  case Iteration::Kind::Range:
    return assignments.assignTo(*loop.target, tree.placeholder(iteration.parts[0]->type, span));
  case Iteration::Kind::Counted: {
    if (isEmptyTuple(*iteration.parts[0]->type))
      return;
    const typed::Expr *series = sequences.settledSeries(iteration.parts[0]);
    return assignments.assignTo(*loop.target,
                                sequences.elementAt(*series, *tree.placeholder(types::intp(), span), span));
  }
  case Iteration::Kind::Unrolled:
    if (!unrolled.contains(&loop))
      return requestUnroll(loop, iteration.parts.size());
    const auto &copiesOfLoop = unrolled.at(&loop);
    if (copiesOfLoop.size() != iteration.parts.size())
      return requestUnroll(loop, iteration.parts.size());
    for (size_t i = 0; i < copiesOfLoop.size(); ++i)
      if (flow.isReached(*copiesOfLoop[i]->target))
        assignments.assignTo(*copiesOfLoop[i]->target, iteration.parts[i]);
  }
}

/// The solver stops after this evaluation, and Inference::solve() builds the flow again.
void Loops::requestUnroll(const syntax::For &loop, size_t count) {
  makeCopies(loop, count);
  solver.abandon();
}

/// Nested loops over consteval(...) multiply, so that their limit is one for the whole function: each copy costs the
/// time to compile it. Copies of an earlier attempt stay in the arena, which frees nothing before its end.
void Loops::makeCopies(const syntax::For &loop, size_t count) {
  constexpr size_t mostCopies = 16384;
  if (loop.iterable->kind == syntax::ExprKind::Consteval && (copyCount += count) > mostCopies)
    tree.fail(loop.iterable->span, {.kind = CompileErrorKind::Limit,
                                    .message = "loops over consteval(...) make too many copies of their bodies",
                                    .found = fmt::format("more than {} in one function", mostCopies),
                                    .remedy = "loop over range() or an array at run time"});
  std::vector<const syntax::For *> made;
  for (size_t i = 0; i < count; ++i)
    made.push_back(cloneLoop(loop, copies));
  unrolled[&loop] = std::move(made);
}

/// Before typing, so that nested loops do not restart inference one by one.
/// Where the items need types, bindElement() finds them later.
void Loops::unrollEarly(const syntax::For &loop) {
  const CapturedValue *items = statics.evaluatedEarly(loop.iterable->as<syntax::Consteval>());
  if (!items)
    return;
  const auto found = unrolled.find(&loop);
  if (found == unrolled.end() || found->second.size() != items->items.size())
    makeCopies(loop, items->items.size());
}

void Loops::buildFor(const syntax::For &loop) {
  Iteration iteration = iterate(loop);
  switch (iteration.kind) {
  case Iteration::Kind::Range:
    return buildRange(loop, iteration);
  case Iteration::Kind::Counted:
    return buildCounted(loop, iteration.parts[0]);
  case Iteration::Kind::Unrolled:
    return buildUnrolled(loop, iteration);
  }
}

/// A hidden counter is needed where the target is no name, has another type than the counter, or is copied onwards to
/// joins.
void Loops::buildRange(const syntax::For &loop, const Iteration &iteration) {
  const Type *counter = iteration.parts[0]->type;
  // The user's variable is the counter if possible.
  typed::Slot *slot = nullptr;
  if (loop.target->kind == syntax::ExprKind::Name) {
    const NodeId node = flow.writes.at(loop.target);
    if (flow.nodes[node].type == counter && flow.nodes[flow.rootOf(node)].copies.empty())
      slot = flow.nodes[node].slot;
  }
  const bool isHidden = !slot;
  if (isHidden) {
    const bool isName = loop.target->kind == syntax::ExprKind::Name;
    slot = tree.newSlot(counter, isName ? loop.target->as<syntax::Name>().id : "", loop.target->span);
  }
  const typed::Body body = tree.collect([&] {
    if (isHidden)
      assignments.assignTo(*loop.target, tree.read(slot, loop.target->span));
    statements.buildBody(loop.body);
  });
  const typed::Body otherwise = tree.collect([&] { statements.buildBody(loop.otherwise); });
  tree.emit(tree.statement<typed::Range>(typed::StmtKind::Range, loop.span, slot, counter, iteration.parts[0],
                                         iteration.parts[1], iteration.parts[2], body, otherwise));
}

/// Over the first axis of arrays, the items of homogeneous tuples, enumerate() and zip(): with a hidden counter.
/// The count is taken once, before the first iteration. Of an empty tuple there is a loop without a body, for its
/// `else`.
void Loops::buildCounted(const syntax::For &loop, typed::Expr *series) {
  const SourceSpan span = loop.iterable->span;
  const bool isEmpty = isEmptyTuple(*series->type);
  series = sequences.settledSeries(series);
  typed::Expr *count = sequences.countOf(*series, span);
  typed::Slot *slot = tree.newSlot(types::intp(), "", loop.target->span);
  const typed::Body body = tree.collect([&] {
    if (isEmpty)
      return;
    assignments.assignTo(*loop.target, sequences.elementAt(*series, *tree.read(slot, span), span));
    statements.buildBody(loop.body);
  });
  const typed::Body otherwise = tree.collect([&] { statements.buildBody(loop.otherwise); });
  tree.emit(tree.statement<typed::Range>(typed::StmtKind::Range, loop.span, slot, types::intp(), tree.index(0, span),
                                         count, tree.index(1, span), body, otherwise));
}

namespace {

/// A syntax tree, for typed::loopExits.
struct SyntaxTree {
  using Body = syntax::Body;
  using StmtKind = syntax::StmtKind;
  using If = syntax::If;
  using While = syntax::While;
  using For = syntax::For;
  static constexpr StmtKind forKind = StmtKind::For;
};

} // namespace

/// Items are evaluated once, before the first copy. Without `break` and `continue` the copies follow each other, and
/// `else` always runs.
void Loops::buildUnrolled(const syntax::For &loop, const Iteration &iteration) {
  const auto &copiesOfLoop = unrolled.at(&loop);
  Items items;
  for (typed::Expr *item : iteration.parts)
    items.push_back(typed::isConstant(*item) ? item : tree.spill(item));
  auto buildCopy = [&](size_t i) {
    assignments.assignTo(*copiesOfLoop[i]->target, items[i]);
    statements.buildBody(copiesOfLoop[i]->body);
  };
  if (!typed::loopExits<SyntaxTree>(loop.body).ofLoop()) {
    for (size_t i = 0; i < items.size(); ++i)
      if (flow.isReached(*copiesOfLoop[i]->target))
        buildCopy(i);
    return statements.buildBody(loop.otherwise);
  }
  // `break` and `continue` need a loop: one over the positions, with an arm for each.
  typed::Slot *slot = tree.newSlot(types::intp(), "", loop.target->span);
  const SourceSpan span = loop.span;
  auto position = [&](size_t i) { return tree.index(int64_t(i), span); };
  const typed::Body body = tree.collect([&] {
    for (size_t i = 0; i < items.size(); ++i) {
      if (!flow.isReached(*copiesOfLoop[i]->target))
        continue;
      typed::Expr *isHere = tree.test(Operation::Eq, {tree.read(slot, span), position(i)}, span);
      const typed::Body arm = tree.collect([&] { buildCopy(i); });
      tree.emit(tree.statement<typed::If>(typed::StmtKind::If, span, isHere, arm, typed::Body()));
    }
  });
  const typed::Body otherwise = tree.collect([&] { statements.buildBody(loop.otherwise); });
  tree.emit(tree.statement<typed::Range>(typed::StmtKind::Range, span, slot, types::intp(), position(0),
                                         position(items.size()), position(1), body, otherwise));
}

/// A test that is known to be false leaves only the `else`; one that is true stays the condition of an endless loop.
void Loops::buildWhile(const syntax::While &loop) {
  auto decided = flow.decided.find(&loop);
  const bool canEnd = decided == flow.decided.end();
  typed::Expr *condition = canEnd ? expressions.test(*loop.test) : expressions.knownTest(*loop.test, decided->second);
  if (!canEnd && !decided->second) {
    tree.emitValue(condition, loop.span);
    return statements.buildBody(loop.otherwise);
  }
  const typed::Body body = tree.collect([&] { statements.buildBody(loop.body); });
  const typed::Body otherwise = tree.collect([&] { statements.buildBody(loop.otherwise); });
  tree.emit(tree.statement<typed::While>(typed::StmtKind::While, loop.span, condition, body, otherwise));
}

} // namespace treadle
