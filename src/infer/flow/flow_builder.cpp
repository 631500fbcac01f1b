// The walk over statements that finds reaching definitions.
// The walk follows the order of execution: in `x = x + 1` the value is read before the name is bound, so that the read
// finds the earlier definition. A statement that cannot be reached is not walked: its names have no nodes, and what it
// does need not fit the types. So branches that `isinstance(x, ...)` rules out compile for any x.
#include "infer/flow/flow_builder.h"

#include "support/scoped.h"

#include <utility>

namespace treadle {

FlowBuilder::FlowBuilder(const Scope &scope, const SourceRef &source, RuleSet rules, const UnrolledBodies &unrolled)
    : scope(scope), source(source), rules(rules), unrolled(unrolled) {}

/// The nodes of the values at entry come first, one for each name, numbered as the Scope numbers names:
/// bindParameters() and parameterRead() take the number of a parameter for its node. A name that is read on a path
/// without an assignment has the node of kind Unset, for which there is a zero at run time. The result is a join of all
/// `return` statements, under a number that is no name's; a body that can reach its end returns None there.
void FlowBuilder::run(Flow &out, const Decide &decide, const Unroll &unroll) {
  flow = &out;
  decideTest = &decide;
  unrollLoop = &unroll;
  const syntax::Function &function = scope.function();
  const uint32_t bound = scope.parameterCount() + uint32_t(scope.captured().size());
  for (uint32_t name = 0; name < scope.names().size(); ++name) {
    SourceSpan span = name < scope.parameterCount() ? function.parameters[name].span : function.span;
    current.push_back(addNode(name < bound ? FlowNode::Kind::Parameter : FlowNode::Kind::Unset, name, span));
  }
  stamps.resize(current.size());
  const uint32_t resultName = uint32_t(scope.names().size());
  flow->result = addNode(FlowNode::Kind::Join, resultName, function.span);
  used.push_back(flow->result);
  body(function.body);
  flow->fallsThrough = reachable;
  if (reachable) {
    const NodeId node = addNode(FlowNode::Kind::Assigned, resultName, function.span);
    flow->nodes[flow->result].operands.push_back(node);
    addAssignment({.kind = FlowAssignment::Kind::Return, .node = node}, [] {});
  }
  markReads();
}

/// Records only the first unreachable statement: buildBody() stops there as well.
void FlowBuilder::body(syntax::Body statements) {
  for (const syntax::Stmt *next : statements) {
    if (!reachable) {
      flow->unreachable.insert(next);
      return;
    }
    statement(*next);
  }
}

/// `break` and `continue` keep what has changed since the loop began: closeLoop() and finishLoop() join it later. The
/// class of a raised exception is not read: its name is not a variable of the kernel, see Statements::buildRaise.
void FlowBuilder::statement(const syntax::Stmt &next) {
  using syntax::StmtKind;
  switch (next.kind) {
  case StmtKind::Assign:
    return assign(next.as<syntax::Assign>());
  case StmtKind::AugAssign:
    return augmented(next.as<syntax::AugAssign>());
  case StmtKind::Expression:
    return read(next.as<syntax::ExprStmt>().value);
  case StmtKind::If:
    return ifStatement(next.as<syntax::If>());
  case StmtKind::While:
    return whileStatement(next.as<syntax::While>());
  case StmtKind::For:
    return forStatement(next.as<syntax::For>());
  case StmtKind::Break:
    loops.back().exits.push_back(changesSince(loops.back().start));
    reachable = false;
    return;
  case StmtKind::Continue:
    loops.back().continues.push_back(changesSince(loops.back().start));
    reachable = false;
    return;
  case StmtKind::Return:
    return returnStatement(next.as<syntax::Return>());
  case StmtKind::Raise: {
    const syntax::Expr *exception = next.as<syntax::Raise>().exception;
    if (exception && exception->kind == syntax::ExprKind::Call)
      for (const syntax::Expr *argument : exception->as<syntax::Call>().arguments)
        read(argument);
    reachable = false;
    return;
  }
  case StmtKind::Assert:
    read(next.as<syntax::Assert>().test);
    if (next.as<syntax::Assert>().message)
      read(next.as<syntax::Assert>().message);
    return;
  case StmtKind::FunctionDef:
    return functionDef(next.as<syntax::FunctionDef>());
  }
}

/// The answer is kept, as statements are built from it: a branch that was not walked has no nodes to be built from.
std::optional<bool> FlowBuilder::decide(const syntax::Stmt &place, const syntax::Expr &test) {
  std::optional<bool> answer = (*decideTest)(test);
  if (answer)
    flow->decided.emplace(&place, *answer);
  return answer;
}

/// Each arm begins with the state after its test, whose `:=` holds in the later arms too: `elif n < 0` after `if (n :=
/// f()) > 0`. An arm that a test rules out does not take part in the join.
void FlowBuilder::ifStatement(const syntax::If &first) {
  // `elif` chains are walked here, not by recursion: they may be long.
  const size_t start = log.size();
  std::vector<Changes> ends;
  const syntax::If *next = &first;
  while (next) {
    stack.check(source, next->span);
    read(next->test);
    const std::optional<bool> known = decide(*next, *next->test);
    const size_t tested = log.size();
    if (known != false) {
      body(next->then);
      if (reachable)
        ends.push_back(changesSince(start));
      revertTo(tested);
      reachable = known != true;
    }
    if (known == true)
      break;
    const bool isChain = next->otherwise.size() == 1 && next->otherwise[0]->kind == syntax::StmtKind::If;
    if (!isChain)
      body(next->otherwise);
    next = isChain ? &next->otherwise[0]->as<syntax::If>() : nullptr;
  }
  // The current state is that after the last arm; join from the innermost `else` outwards.
  for (auto end = ends.rbegin(); end != ends.rend(); ++end)
    merge(start, *end);
}

/// The test is walked inside of the loop, as each iteration evaluates it: `while (n := next()) > 0`. After the loop,
/// names have the values from after the test that failed. `while True` ends by `break` alone, so nothing is joined for
/// the test.
void FlowBuilder::whileStatement(const syntax::While &loop) {
  const Heads heads = startLoop(loop);
  read(loop.test);
  const std::optional<bool> known = decide(loop, *loop.test);
  const Changes exhausted = changesSince(loops.back().start);
  if (known != false)
    body(loop.body);
  closeLoop(heads);
  finishLoop(exhausted, known != true, loop.otherwise);
}

/// The iterable is read before the loop begins: Python evaluates it once. When it is exhausted, names have their values
/// from the head of the loop, also the target, which keeps its last value, or its earlier one if there was no
/// iteration.
void FlowBuilder::forStatement(const syntax::For &loop) {
  addAssignment(
      {.kind = FlowAssignment::Kind::Element, .source = loop.iterable, .target = loop.target, .statement = &loop},
      [&] { read(loop.iterable); });
  if (loop.iterable->kind == syntax::ExprKind::Consteval)
    (*unrollLoop)(loop);
  if (auto copies = unrolled.find(&loop); copies != unrolled.end())
    return unrolledFor(copies->second, loop);
  const Heads heads = startLoop(loop);
  bind(*loop.target);
  body(loop.body);
  closeLoop(heads);
  finishLoop({}, true, loop.otherwise);
}

/// The copies follow each other like statements: no join at a head, and a variable may have another type in each copy.
/// `continue` leads to the next copy, `break` past the last one.
void FlowBuilder::unrolledFor(const std::vector<const syntax::For *> &copies, const syntax::For &original) {
  startLoop(original, false);
  // A copy has separate variables: its item, and those that get no type from outside of it.
  const auto before = outermostLoop() ? outermostLoop()->first : decltype(Loop::first)();
  auto forget = [&] {
    if (Loop *outermost = outermostLoop())
      outermost->first = before;
  };
  for (size_t i = 0; i < copies.size() && reachable; ++i) {
    const syntax::For *copy = copies[i];
    loops.back().copy = NodeId(flow->nodes.size());
    {
      const Scoped own(pins, false);
      bind(*copy->target);
    }
    noteSource(*copy->target, *original.iterable, {uint32_t(i)});
    body(copy->body);
    for (const Changes &end : std::exchange(loops.back().continues, {}))
      merge(loops.back().start, end);
    forget();
  }
  finishLoop(changesSince(loops.back().start), reachable, original.otherwise);
}

/// Each `return` defines a node of its own, so that the solver sees which of several results does not fit the others.
void FlowBuilder::returnStatement(const syntax::Return &statement) {
  const NodeId node = addNode(FlowNode::Kind::Assigned, flow->nodes[flow->result].name, statement.span);
  addAssignment(
      {.kind = FlowAssignment::Kind::Return, .source = statement.value, .statement = &statement, .node = node},
      [&] { read(statement.value); });
  flow->nodes[flow->result].operands.push_back(node);
  flow->writes.emplace(&statement, node);
  reachable = false;
}

/// Targets are bound from left to right, after the value is read: `a = b[a] = f()` indexes with the new a, as in
/// Python.
void FlowBuilder::assign(const syntax::Assign &statement) {
  addAssignment({.kind = FlowAssignment::Kind::Value, .source = statement.value, .statement = &statement},
                [&] { read(statement.value); });
  for (const syntax::Expr *target : statement.targets) {
    bind(*target);
    noteSource(*target, *statement.value, {});
  }
}

/// For `n = x.ndim`, whose tests can be decided before typing: where a name comes from. In `(a, b), c = t`, b has the
/// source t and the path 0, 1.
void FlowBuilder::noteSource(const syntax::Expr &target, const syntax::Expr &source, std::vector<uint32_t> path) {
  if (target.kind == syntax::ExprKind::Name) {
    FlowNode &node = flow->nodes[flow->writes.at(&target)];
    node.source = &source;
    node.path = std::move(path);
  }
  if (target.kind != syntax::ExprKind::Tuple && target.kind != syntax::ExprKind::List)
    return;
  path.push_back(0);
  for (const syntax::Expr *item : target.as<syntax::Sequence>().items) {
    noteSource(*item, source, path);
    ++path.back();
  }
}

/// `x += 1` of a name reads it and defines it anew; of an element, `x[i] += 1`, it defines nothing. The node is noted
/// after the reads, in the list and not in a reference to its item: the value may contain `:=`, which adds assignments.
void FlowBuilder::augmented(const syntax::AugAssign &statement) {
  if (statement.target->kind != syntax::ExprKind::Name) {
    read(statement.target);
    return read(statement.value);
  }
  const syntax::Name &name = statement.target->as<syntax::Name>();
  const uint32_t index = uint32_t(flow->assignments.size());
  addAssignment({.kind = FlowAssignment::Kind::Augmented,
                 .source = statement.value,
                 .target = statement.target,
                 .statement = &statement},
                [&] {
                  readName(name);
                  read(statement.value);
                });
  flow->assignments[index].node = define(scope.find(name.id), name.span);
  flow->writes.emplace(&name, flow->assignments[index].node);
}

/// Defaults are read at `def`, as in Python; the variables that the function uses are read where it is called by its
/// name (readName), as they may change in between.
void FlowBuilder::functionDef(const syntax::FunctionDef &statement) {
  for (const syntax::Parameter &parameter : statement.function->parameters)
    read(parameter.defaultValue);
  const NodeId node = define(scope.find(statement.name), statement.span);
  addAssignment({.kind = FlowAssignment::Kind::Function, .statement = &statement, .node = node}, [] {});
  flow->writes.emplace(&statement, node);
}

/// A target that is an element or a field binds nothing: its array and indices are read.
void FlowBuilder::bind(const syntax::Expr &target) {
  if (target.kind == syntax::ExprKind::Name) {
    flow->writes[&target] = define(scope.find(target.as<syntax::Name>().id), target.span);
    return;
  }
  if (target.kind == syntax::ExprKind::Tuple || target.kind == syntax::ExprKind::List) {
    for (const syntax::Expr *item : target.as<syntax::Sequence>().items)
      bind(*item);
    return;
  }
  if (target.kind == syntax::ExprKind::Starred)
    return bind(*target.as<syntax::Starred>().value);
  read(&target);
}

} // namespace treadle
