// Loops: over range, arrays and tuples; while.
#include "infer/inference.h"

#include "infer/syntax_clone.h"
#include "typed/loop_exits.h"

namespace treadle {

Inference::Iteration Inference::iterate(const syntax::For &loop) {
  const syntax::Expr &iterable = *loop.iterable;
  if (iterable.kind == syntax::ExprKind::Call) {
    const auto &call = iterable.as<syntax::Call>();
    const bool isNamed =
        call.callee->kind == syntax::ExprKind::Name || call.callee->kind == syntax::ExprKind::Attribute;
    const Type *callee = isNamed ? expr(*call.callee)->type : types::none();
    const Builtin *row = callee->is(TypeKind::Builtin) ? findBuiltin(callee->text()) : nullptr;
    if (row && row->rule == BuiltinRule::Range)
      return iterateRange(call, *row);
    if (row && (row->rule == BuiltinRule::Enumerate || row->rule == BuiltinRule::Zip))
      return iterateTogether(call, *row);
  }
  typed::Expr *value = expr(iterable);
  if (value->type->isArray() && value->type->ndim() > 0)
    return {Iteration::Kind::Array, {value}};
  if (value->type->isTuple()) {
    const bool isUniform =
        value->type->items().empty() || (value->type->isUniTuple() && typed::hasStorage(value->type->items()[0]));
    if (isUniform && !unrolled.contains(&loop))
      return {Iteration::Kind::Tuple, {value}};
    return {Iteration::Kind::Unrolled, itemsOf(value)};
  }
  fail(iterable.span, {.kind = CompileErrorKind::Typing,
                       .message = "this cannot be iterated over",
                       .found = value->type->name(),
                       .expected = "range(...), an array or a tuple",
                       .remedy = value->type->isInt() ? "write range(...) around it" : ""});
}

Inference::Iteration Inference::iterateRange(const syntax::Call &call, const Builtin &row) {
  Arguments arguments;
  evaluateArguments(call, arguments);
  placeKeywords(row, arguments);
  Items &given = arguments.positional;
  for (typed::Expr *&bound : given) {
    bound = unwrap(bound);
    if (!bound->type->isInteger()) {
      fail(bound->span, {.kind = CompileErrorKind::Typing,
                         .message = "the bounds of range() must be integers",
                         .found = bound->type->name(),
                         .expected = "an integer",
                         .remedy = bound->type->isFloat() ? "convert it: int(...)" : ""});
    }
  }
  auto literal = [&](int64_t value) {
    typed::Const *made = nodes.integer(types::int64(), value, call.span);
    made->isLiteral = true;
    return made;
  };
  typed::Expr *start = given.size() == 1 ? literal(0) : given[0];
  typed::Expr *stop = given.size() == 1 ? given[0] : given[1];
  typed::Expr *step = given.size() == 3 ? given[2] : literal(1);
  if (constantInteger(*step) == 0)
    fail(step->span, {.kind = CompileErrorKind::Value,
                      .message = "the step of range() must not be zero",
                      .found = {},
                      .expected = {},
                      .remedy = {}});
  // A bound that is left out does not affect the counter's type.
  const Operand first = given.size() == 1 ? operandOf(*stop) : operandOf(*start);
  const Operand last = given.size() == 3 ? operandOf(*step) : operandOf(*stop);
  const Type *counter = rules.rangeCounter(first, operandOf(*stop), last);
  return {Iteration::Kind::Range, {convert(start, counter), convert(stop, counter), convert(step, counter)}};
}

/// enumerate() and zip() over arrays and tuples of one type.
Inference::Iteration Inference::iterateTogether(const syntax::Call &call, const Builtin &row) {
  Arguments arguments;
  evaluateArguments(call, arguments);
  placeKeywords(row, arguments);
  Iteration iteration{Iteration::Kind::Zip, arguments.positional};
  if (row.rule == BuiltinRule::Enumerate) {
    iteration.start = nodes.integer(types::intp(), 0, call.span);
    if (arguments.positional.size() == 2) {
      typed::Expr *start = unwrap(iteration.parts.back());
      if (!start->type->isInt())
        failArgument(row, *start, "an integer");
      iteration.start = convert(start, types::intp());
      iteration.parts.pop_back();
    }
  }
  for (const typed::Expr *part : iteration.parts) {
    const bool isTuple = part->type->isUniTuple() && typed::hasStorage(part->type->items()[0]);
    if (!isTuple && !(part->type->isArray() && part->type->ndim() > 0))
      failArgument(row, *part, "an array, or a tuple of one type");
  }
  return iteration;
}

/// The item at `index` of an array or tuple; for several, a tuple of their items.
typed::Expr *Inference::elementAt(const Iteration &iteration, const typed::Expr &index, SourceSpan span) {
  auto itemAt = [&](const typed::Expr *container) -> typed::Expr * {
    if (container->type->isArray())
      return rowView(clone(container), {clone(&index)}, span);
    return nodes.itemAt(clone(container), clone(&index), span);
  };
  if (iteration.kind != Iteration::Kind::Zip)
    return itemAt(iteration.parts[0]);
  Items items;
  if (iteration.start)
    items.push_back(nodes.operation(Operation::Add, types::intp(), {clone(&index), clone(iteration.start)}, span));
  for (const typed::Expr *container : iteration.parts)
    items.push_back(itemAt(container));
  return makeTuple(items, span);
}

typed::Expr *Inference::countOf(const typed::Expr &container, SourceSpan span) {
  if (container.type->isArray())
    return nodes.attribute(clone(&container), typed::ArrayAttribute::Shape, 0, span);
  return nodes.integer(types::intp(), int64_t(container.type->items().size()), span);
}

/// While solving: binds the target of the loop.
void Inference::bindElement(const syntax::For &loop) {
  Iteration iteration = iterate(loop);
  const SourceSpan span = loop.iterable->span;
  switch (iteration.kind) {
  case Iteration::Kind::Range:
    return assignTo(*loop.target, placeholder(iteration.parts[0]->type, span));
  case Iteration::Kind::Array:
  case Iteration::Kind::Zip: {
    for (typed::Expr *&part : iteration.parts)
      part = materialize(part);
    if (iteration.start)
      iteration.start = materialize(iteration.start);
    return assignTo(*loop.target, elementAt(iteration, *placeholder(types::intp(), span), span));
  }
  case Iteration::Kind::Tuple: {
    const auto &items = iteration.parts[0]->type->items();
    return items.empty() ? void() : assignTo(*loop.target, placeholder(items[0], span));
  }
  case Iteration::Kind::Unrolled:
    if (!unrolled.contains(&loop))
      return requestUnroll(loop, iteration.parts.size());
    const auto &copiesOfLoop = unrolled.at(&loop);
    if (copiesOfLoop.size() != iteration.parts.size())
      return requestUnroll(loop, iteration.parts.size());
    for (size_t i = 0; i < copiesOfLoop.size(); ++i)
      if (flow.isReached(*copiesOfLoop[i]->target))
        assignTo(*copiesOfLoop[i]->target, iteration.parts[i]);
  }
}

void Inference::requestUnroll(const syntax::For &loop, size_t count) {
  std::vector<const syntax::For *> made;
  for (size_t i = 0; i < count; ++i)
    made.push_back(cloneLoop(loop, copies));
  unrolled[&loop] = std::move(made);
  solver.abandon();
}

void Inference::buildFor(const syntax::For &loop) {
  Iteration iteration = iterate(loop);
  switch (iteration.kind) {
  case Iteration::Kind::Range:
    return buildRange(loop, iteration);
  case Iteration::Kind::Array:
  case Iteration::Kind::Zip:
  case Iteration::Kind::Tuple:
    return buildCounted(loop, iteration);
  case Iteration::Kind::Unrolled:
    return buildUnrolled(loop, iteration);
  }
}

void Inference::buildRange(const syntax::For &loop, const Iteration &iteration) {
  const Type *counter = iteration.parts[0]->type;
  // The user's variable is the counter where it can be.
  typed::Slot *slot = nullptr;
  if (loop.target->kind == syntax::ExprKind::Name) {
    const NodeId node = flow.writes.at(loop.target);
    if (flow.nodes[node].type == counter && flow.nodes[flow.rootOf(node)].copies.empty())
      slot = flow.nodes[node].slot;
  }
  const bool isHidden = !slot;
  if (isHidden) {
    const bool isName = loop.target->kind == syntax::ExprKind::Name;
    slot = newSlot(counter, isName ? loop.target->as<syntax::Name>().id : "", loop.target->span);
  }
  const typed::Body body = collect([&] {
    if (isHidden)
      assignTo(*loop.target, nodes.read(slot, loop.target->span));
    buildBody(loop.body);
  });
  const typed::Body otherwise = collect([&] { buildBody(loop.otherwise); });
  emit(nodes.statement<typed::Range>(typed::StmtKind::Range, loop.span, slot, counter, iteration.parts[0],
                                     iteration.parts[1], iteration.parts[2], body, otherwise));
}

/// Over the first axis of arrays, or the items of tuples of one type: by a hidden counter.
void Inference::buildCounted(const syntax::For &loop, Iteration iteration) {
  const SourceSpan span = loop.iterable->span;
  bool isEmpty = false;
  typed::Expr *count = nullptr;
  for (typed::Expr *&part : iteration.parts) {
    part = spill(part);
    typed::Expr *length = countOf(*part, span);
    count = count ? nodes.operation(Operation::Min, types::intp(), {count, length}, span) : length;
    isEmpty |= part->type->isTuple() && part->type->items().empty();
  }
  if (iteration.start)
    iteration.start = spill(iteration.start);
  typed::Slot *slot = newSlot(types::intp(), "", loop.target->span);
  const typed::Body body = collect([&] {
    if (isEmpty)
      return;
    assignTo(*loop.target, elementAt(iteration, *nodes.read(slot, span), span));
    buildBody(loop.body);
  });
  const typed::Body otherwise = collect([&] { buildBody(loop.otherwise); });
  emit(nodes.statement<typed::Range>(typed::StmtKind::Range, loop.span, slot, types::intp(),
                                     nodes.integer(types::intp(), 0, span), count,
                                     nodes.integer(types::intp(), 1, span), body, otherwise));
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

void Inference::buildUnrolled(const syntax::For &loop, const Iteration &iteration) {
  const auto &copiesOfLoop = unrolled.at(&loop);
  Items items;
  for (typed::Expr *item : iteration.parts)
    items.push_back(item->kind == typed::ExprKind::Const ? item : spill(item));
  auto buildCopy = [&](size_t i) {
    assignTo(*copiesOfLoop[i]->target, items[i]);
    buildBody(copiesOfLoop[i]->body);
  };
  if (!typed::loopExits<SyntaxTree>(loop.body).ofLoop()) {
    for (size_t i = 0; i < items.size(); ++i)
      if (flow.isReached(*copiesOfLoop[i]->target))
        buildCopy(i);
    return buildBody(loop.otherwise);
  }
  // `break` and `continue` need a loop: one over the positions, with an arm for each.
  typed::Slot *slot = newSlot(types::intp(), "", loop.target->span);
  const SourceSpan span = loop.span;
  auto position = [&](size_t i) { return nodes.integer(types::intp(), int64_t(i), span); };
  const typed::Body body = collect([&] {
    for (size_t i = 0; i < items.size(); ++i) {
      if (!flow.isReached(*copiesOfLoop[i]->target))
        continue;
      typed::Expr *isHere =
          nodes.operation(Operation::Eq, types::boolean(), {nodes.read(slot, span), position(i)}, span);
      const typed::Body arm = collect([&] { buildCopy(i); });
      emit(nodes.statement<typed::If>(typed::StmtKind::If, span, isHere, arm, typed::Body()));
    }
  });
  const typed::Body otherwise = collect([&] { buildBody(loop.otherwise); });
  emit(nodes.statement<typed::Range>(typed::StmtKind::Range, span, slot, types::intp(), position(0),
                                     position(items.size()), position(1), body, otherwise));
}

void Inference::buildWhile(const syntax::While &loop) {
  auto decided = flow.decided.find(&loop);
  const bool canEnd = decided == flow.decided.end();
  typed::Expr *condition = canEnd ? test(*loop.test) : knownTest(*loop.test, decided->second);
  if (!canEnd && !decided->second) {
    emitValue(condition, loop.span);
    return buildBody(loop.otherwise);
  }
  const typed::Body body = collect([&] { buildBody(loop.body); });
  const typed::Body otherwise = collect([&] { buildBody(loop.otherwise); });
  emit(nodes.statement<typed::While>(typed::StmtKind::While, loop.span, condition, body, otherwise));
}

} // namespace treadle
