// The walk over expressions; meetings of definitions where paths join; loops.
#include "infer/flow_builder.h"

#include "infer/syntax_walk.h"

#include <algorithm>

namespace treadle {

void FlowBuilder::read(const syntax::Expr *expression) {
  using syntax::ExprKind;
  if (!expression)
    return;
  stack.check(source, expression->span);
  switch (expression->kind) {
  case ExprKind::Name:
    return readName(expression->as<syntax::Name>());
  case ExprKind::Lambda:
    return captureAt(expression, *expression->as<syntax::Lambda>().function);
  case ExprKind::Walrus:
    return readWalrus(expression->as<syntax::Walrus>());
  case ExprKind::Conditional:
    if (scope.hasWalrus())
      return readConditional(expression->as<syntax::Conditional>());
    break;
  case ExprKind::Boolean:
  case ExprKind::Compare:
    if (scope.hasWalrus())
      return readShortCircuit(*expression);
    break;
  default:
    break;
  }
  forEachChild(*expression, [&](const syntax::Expr &child) { read(&child); });
}

void FlowBuilder::readName(const syntax::Name &name) {
  const uint32_t id = scope.find(name.id);
  if (id == Scope::notLocal)
    return;
  flow->reads[&name] = use(id);
  if (const auto *functions = scope.functionsNamed(id))
    for (const syntax::Function *function : *functions)
      captureAt(&name, *function);
}

void FlowBuilder::captureAt(const void *place, const syntax::Function &function) {
  Flow::Captures captures;
  for (std::string_view name : scope.nested(function).captured())
    if (const uint32_t id = scope.find(name); id != Scope::notLocal)
      captures.emplace_back(name, use(id));
  Flow::Captures &all = flow->captures[place];
  all.insert(all.end(), captures.begin(), captures.end());
  for (const syntax::Parameter &parameter : function.parameters)
    if (function.isLambda)
      read(parameter.defaultValue);
}

NodeId FlowBuilder::use(uint32_t name) {
  const NodeId node = current[name];
  used.push_back(node);
  flow->nodes[node].isUsed = true;
  for (uint32_t reader : readers)
    flow->nodes[node].readers.push_back(reader);
  return node;
}

void FlowBuilder::readConditional(const syntax::Conditional &expression) {
  read(expression.test);
  State before = current;
  read(expression.then);
  std::swap(before, current);
  read(expression.otherwise);
  merge(before, true);
}

void FlowBuilder::readShortCircuit(const syntax::Expr &expression) {
  State before;
  unsigned position = 0;
  // A comparison runs its first two operands always, `and` and `or` only their first.
  const unsigned certain = expression.kind == syntax::ExprKind::Compare ? 2 : 1;
  forEachChild(expression, [&](const syntax::Expr &child) {
    if (position++ == certain)
      before = current;
    read(&child);
  });
  if (position > certain)
    merge(before, true);
}

void FlowBuilder::readWalrus(const syntax::Walrus &expression) {
  addAssignment({.kind = FlowAssignment::Kind::Value, .source = expression.value, .target = expression.target},
                [&] { read(expression.value); });
  bind(*expression.target);
  // Whoever reads the value of the expression reads the name.
  use(scope.find(expression.target->id));
}

NodeId FlowBuilder::addNode(FlowNode::Kind kind, uint32_t name, SourceSpan span) {
  const uint32_t order = static_cast<uint32_t>(flow->assignments.size());
  flow->nodes.push_back({.kind = kind,
                         .name = name,
                         .span = span,
                         .order = order,
                         .operands = {},
                         .readers = {},
                         .meetings = {},
                         .copies = {}});
  return static_cast<NodeId>(flow->nodes.size() - 1);
}

NodeId FlowBuilder::define(uint32_t name, SourceSpan span) {
  const NodeId node = addNode(FlowNode::Kind::Assigned, name, span);
  if (rules == RuleSet::CudaPython)
    pin(node);
  current[name] = node;
  return node;
}

void FlowBuilder::pin(NodeId node) {
  const uint32_t name = flow->nodes[node].name;
  auto outermost = std::find_if(loops.begin(), loops.end(), [](const Loop &loop) { return !loop.isUnrolled; });
  if (outermost == loops.end())
    return;
  NodeId before = outermost->entry[name];
  if (flow->isUnset(before)) {
    auto [first, isNew] = outermost->first.emplace(name, node);
    if (isNew)
      return;
    before = first->second;
  }
  flow->nodes[node].pinnedTo = before;
  used.push_back(before);
}

NodeId FlowBuilder::meet(uint32_t name, NodeId left, NodeId right) {
  const NodeId node = addNode(FlowNode::Kind::Meeting, name, flow->nodes[right].span);
  flow->nodes[node].operands = {left, right};
  return node;
}

void FlowBuilder::merge(const State &other, bool otherReachable) {
  if (!otherReachable)
    return;
  if (!reachable) {
    current = other;
    reachable = true;
    return;
  }
  for (uint32_t name = 0; name < current.size(); ++name)
    if (current[name] != other[name])
      current[name] = meet(name, other[name], current[name]);
}

FlowBuilder::Heads FlowBuilder::startLoop(const syntax::Stmt &loop, bool hasHeads) {
  loops.push_back({.entry = current, .exits = {}, .continues = {}, .first = {}, .isUnrolled = !hasHeads});
  Heads heads;
  if (!hasHeads)
    return heads;
  for (uint32_t name : assignedIn(loop)) {
    const NodeId head = addNode(FlowNode::Kind::Meeting, name, flow->nodes[current[name]].span);
    flow->nodes[head].operands = {current[name]};
    current[name] = head;
    heads.push_back(head);
  }
  return heads;
}

void FlowBuilder::closeLoop(const Heads &heads) {
  auto addBackEdge = [&](const State &state) {
    for (NodeId head : heads) {
      FlowNode &node = flow->nodes[head];
      if (state[node.name] != head)
        node.operands.push_back(state[node.name]);
    }
  };
  if (reachable)
    addBackEdge(current);
  for (const State &state : loops.back().continues)
    addBackEdge(state);
}

void FlowBuilder::finishLoop(const State &exhausted, bool canExhaust, syntax::Body otherwise) {
  const std::vector<State> exits = std::move(loops.back().exits);
  loops.pop_back();
  current = exhausted;
  reachable = canExhaust;
  if (reachable)
    body(otherwise);
  for (const State &state : exits)
    merge(state, true);
}

/// Adds the names bound by `:=` anywhere in an expression.
static void collectWalrus(const syntax::Expr *expression, const Scope &scope, std::vector<uint32_t> &names) {
  if (!expression)
    return;
  std::vector<const syntax::Expr *> work{expression};
  while (!work.empty()) {
    const syntax::Expr &next = *work.back();
    work.pop_back();
    if (next.kind == syntax::ExprKind::Walrus)
      names.push_back(scope.find(next.as<syntax::Walrus>().target->id));
    forEachChild(next, [&](const syntax::Expr &child) { work.push_back(&child); });
  }
}

/// Calls `visit` for the expressions of a statement that are evaluated, and `enter` for its bodies.
template <typename Visit, typename Enter>
static void forEachPart(const syntax::Stmt &statement, Visit visit, Enter enter) {
  using syntax::StmtKind;
  switch (statement.kind) {
  case StmtKind::Assign:
    for (const syntax::Expr *target : statement.as<syntax::Assign>().targets)
      visit(target);
    return visit(statement.as<syntax::Assign>().value);
  case StmtKind::AugAssign:
    visit(statement.as<syntax::AugAssign>().target);
    return visit(statement.as<syntax::AugAssign>().value);
  case StmtKind::Expression:
    return visit(statement.as<syntax::ExprStmt>().value);
  case StmtKind::If:
    visit(statement.as<syntax::If>().test);
    enter(statement.as<syntax::If>().then);
    return enter(statement.as<syntax::If>().otherwise);
  case StmtKind::While:
    visit(statement.as<syntax::While>().test);
    enter(statement.as<syntax::While>().body);
    return enter(statement.as<syntax::While>().otherwise);
  case StmtKind::For:
    visit(statement.as<syntax::For>().iterable);
    enter(statement.as<syntax::For>().body);
    return enter(statement.as<syntax::For>().otherwise);
  case StmtKind::Return:
    return visit(statement.as<syntax::Return>().value);
  case StmtKind::Assert:
    return visit(statement.as<syntax::Assert>().test);
  case StmtKind::Raise:
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::FunctionDef:
    return;
  }
}

std::vector<uint32_t> FlowBuilder::assignedIn(const syntax::Stmt &loop) const {
  std::vector<uint32_t> names;
  auto addTarget = [&](const syntax::Expr &target) {
    forEachBoundName(target, [&](const syntax::Name &name) { names.push_back(scope.find(name.id)); });
  };
  std::vector<const syntax::Stmt *> work{&loop};
  while (!work.empty()) {
    const syntax::Stmt &next = *work.back();
    work.pop_back();
    if (next.kind == syntax::StmtKind::Assign)
      for (const syntax::Expr *target : next.as<syntax::Assign>().targets)
        addTarget(*target);
    else if (next.kind == syntax::StmtKind::AugAssign)
      addTarget(*next.as<syntax::AugAssign>().target);
    else if (next.kind == syntax::StmtKind::For)
      addTarget(*next.as<syntax::For>().target);
    else if (next.kind == syntax::StmtKind::FunctionDef)
      names.push_back(scope.find(next.as<syntax::FunctionDef>().name));
    forEachPart(
        next,
        [&](const syntax::Expr *part) {
          if (scope.hasWalrus())
            collectWalrus(part, scope, names);
        },
        [&](syntax::Body body) { work.insert(work.end(), body.begin(), body.end()); });
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void FlowBuilder::markReads() {
  std::vector<NodeId> work = std::move(used);
  while (!work.empty()) {
    FlowNode &node = flow->nodes[work.back()];
    work.pop_back();
    if (std::exchange(node.isRead, true))
      continue;
    work.insert(work.end(), node.operands.begin(), node.operands.end());
  }
  for (NodeId id = 0; id < flow->nodes.size(); ++id)
    if (flow->nodes[id].kind == FlowNode::Kind::Meeting && flow->nodes[id].isRead)
      for (NodeId operand : flow->nodes[id].operands)
        flow->nodes[operand].meetings.push_back(id);
}

} // namespace treadle
