// The walk over expressions; joins of definitions; loops.
// Expressions matter to flow in three ways: they read names, `:=` binds names, and lambdas and nested functions capture
// them. Only `:=` makes it necessary to know which operands run: without it, the children of a node are read in order.
#include "infer/flow/flow_builder.h"

#include "infer/flow/syntax_walk.h"

#include <algorithm>

namespace treadle {

/// Conditional and short-circuit expressions without `:=` change no name, so they need no join.
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
  case ExprKind::Consteval:
    return readByPython(expression->as<syntax::Consteval>());
  case ExprKind::Conditional:
    if (scope.hasWalrus())
      return readConditional(expression->as<syntax::Conditional>());
    break;
  case ExprKind::Boolean:
  case ExprKind::Compare:
    if (scope.hasWalrus())
      return readShortCircuit(*expression);
    break;
  case ExprKind::Literal:
  case ExprKind::String:
  case ExprKind::Ellipsis:
  case ExprKind::Unary:
  case ExprKind::Binary:
  case ExprKind::Call:
  case ExprKind::Attribute:
  case ExprKind::Subscript:
  case ExprKind::Slice:
  case ExprKind::Tuple:
  case ExprKind::List:
  case ExprKind::Joined:
  case ExprKind::Format:
  case ExprKind::Starred:
  case ExprKind::Comprehension:
    break;
  }
  forEachChild(*expression, [&](const syntax::Expr &child) { read(&child); });
}

/// Names that only Python reads are not needed at run time.
void FlowBuilder::readByPython(const syntax::Consteval &code) {
  read(code.callee);
  const size_t before = needed.size();
  for (const syntax::Expr *name : code.names)
    read(name);
  needed.resize(before);
  // In Python's order of execution, so that none has to wait for many others.
  (*decideTest)(code);
}

/// A name that is not local is resolved by Python while expressions are typed, and has no node. Where a name may be a
/// nested function, its captured names are read as well: Python looks them up at the call.
void FlowBuilder::readName(const syntax::Name &name) {
  const uint32_t id = scope.find(name.id);
  if (id == Scope::notLocal)
    return;
  flow->reads[&name] = use(id);
  if (const auto *functions = scope.functionsNamed(id))
    for (const syntax::Function *function : *functions)
      captureAt(&name, *function);
}

/// One place may have the captures of several functions, where a name is bound to one of them in each arm of a branch.
/// Of functions that are defined by `def`, the defaults are read by functionDef().
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

/// All enclosing assignments become readers, as the value of the inner one in `a = (b := c) + 1` is part of the outer.
NodeId FlowBuilder::use(uint32_t name) {
  const NodeId node = current[name];
  used.push_back(node);
  needed.push_back(node);
  flow->nodes[node].isUsed = true;
  for (uint32_t reader : readers)
    flow->nodes[node].readers.push_back(reader);
  return node;
}

/// `(n := 1) if test else n`: a name that one side binds has its earlier value on the other.
void FlowBuilder::readConditional(const syntax::Conditional &expression) {
  read(expression.test);
  const size_t start = log.size();
  read(expression.then);
  const Changes then = changesSince(start);
  revertTo(start);
  read(expression.otherwise);
  merge(start, then);
}

/// `test() and (n := f())`: n may be unchanged afterwards.
void FlowBuilder::readShortCircuit(const syntax::Expr &expression) {
  // A comparison always evaluates its first two operands, `and` and `or` only the first.
  const unsigned certain = expression.kind == syntax::ExprKind::Compare ? 2 : 1;
  unsigned position = 0;
  std::vector<size_t> starts; // of the operands that may be skipped
  forEachChild(expression, [&](const syntax::Expr &child) {
    if (position++ >= certain)
      starts.push_back(log.size());
    read(&child);
  });
  // Evaluation may stop before any of them: the names then have their values from before it.
  for (; !starts.empty(); starts.pop_back())
    merge(starts.back(), {});
}

/// An assignment of its own for the solver, inside the one whose value contains it.
void FlowBuilder::readWalrus(const syntax::Walrus &expression) {
  addAssignment({.kind = FlowAssignment::Kind::Value, .source = expression.value, .target = expression.target},
                [&] { read(expression.value); });
  bind(*expression.target);
  // Reading the value of the expression reads the name.
  use(scope.find(expression.target->id));
}

/// The solver types joins in the order of the source: `order` is the number of assignments before the node.
NodeId FlowBuilder::addNode(FlowNode::Kind kind, uint32_t name, SourceSpan span) {
  const uint32_t order = uint32_t(flow->assignments.size());
  flow->nodes.push_back({.kind = kind,
                         .name = name,
                         .span = span,
                         .order = order,
                         .operands = {},
                         .readers = {},
                         .joins = {},
                         .copies = {}});
  return NodeId(flow->nodes.size() - 1);
}

NodeId FlowBuilder::define(uint32_t name, SourceSpan span) {
  const NodeId node = addNode(FlowNode::Kind::Assigned, name, span);
  if (pins && rules == RuleSet::CudaPython)
    pin(node);
  set(name, node);
  return node;
}

/// The types from before the outermost loop hold in the inner ones, too; an unrolled loop keeps no types.
FlowBuilder::Loop *FlowBuilder::outermostLoop() {
  const auto outermost = std::find_if(loops.begin(), loops.end(), [](const Loop &loop) { return !loop.isUnrolled; });
  return outermost == loops.end() ? nullptr : &*outermost;
}

NodeId FlowBuilder::withoutCopies(uint32_t name, NodeId node) const {
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
    if (loop->isUnrolled && node >= loop->copies && node < loop->copy)
      node = loop->before[name];
  return node;
}

/// A name without a value before the loop keeps the type of its first definition in the loop. The kept node counts as
/// read even if only its type is used: joins that nothing reads get no type.
void FlowBuilder::pin(NodeId node) {
  const uint32_t name = flow->nodes[node].name;
  Loop *outermost = outermostLoop();
  if (!outermost)
    return;
  NodeId before = withoutCopies(name, outermost->entry.at(name));
  if (flow->isUnset(before)) {
    auto [first, isNew] = outermost->first.emplace(name, node);
    if (isNew)
      return;
    before = first->second;
  }
  flow->nodes[node].pinnedTo = before;
  used.push_back(before);
}

/// A join of two paths has the position of the path walked last, for errors and debug information.
NodeId FlowBuilder::meet(uint32_t name, NodeId left, NodeId right) {
  const NodeId node = addNode(FlowNode::Kind::Join, name, flow->nodes[right].span);
  flow->nodes[node].operands = {left, right};
  return node;
}

void FlowBuilder::set(uint32_t name, NodeId node) {
  log.push_back({name, current[name]});
  current[name] = node;
}

/// Each name once, with its value now, however often it has changed.
FlowBuilder::Changes FlowBuilder::changesSince(size_t start) {
  Changes changes;
  ++stamp;
  for (size_t i = start; i < log.size(); ++i)
    if (std::exchange(stamps[log[i].name], stamp) != stamp)
      changes.push_back({log[i].name, current[log[i].name]});
  return changes;
}

void FlowBuilder::revertTo(size_t start) {
  while (log.size() > start) {
    current[log.back().name] = log.back().node;
    log.pop_back();
  }
}

/// Where the present path has ended (`return`, `break`), the other one continues alone and no join is made.
void FlowBuilder::merge(size_t start, const Changes &other) {
  if (!reachable) {
    revertTo(start);
    for (const Change &change : other)
      set(change.name, change.node);
    reachable = true;
    return;
  }
  // Names changed only on this path have their initial values on the other.
  Changes all = other;
  ++stamp;
  for (const Change &change : other)
    stamps[change.name] = stamp;
  for (size_t i = start; i < log.size(); ++i)
    if (std::exchange(stamps[log[i].name], stamp) != stamp)
      all.push_back(log[i]);
  for (const Change &change : all)
    if (current[change.name] != change.node)
      set(change.name, meet(change.name, change.node, current[change.name]));
}

/// Joins for all names that the loop assigns are made before its body is walked, as what is read at its beginning may
/// come from its end. A head whose back edges bring nothing new has one operand, and costs nothing.
FlowBuilder::Heads FlowBuilder::startLoop(const syntax::Stmt &loop, bool hasHeads) {
  loops.push_back({.start = 0, .exits = {}, .continues = {}, .entry = {}, .first = {}, .isUnrolled = !hasHeads});
  if (!hasHeads) {
    loops.back().before = current;
    loops.back().copies = NodeId(flow->nodes.size());
  }
  Heads heads;
  if (hasHeads) {
    for (uint32_t name : assignedIn(loop)) {
      const NodeId before = current[name];
      loops.back().entry.emplace(name, before);
      const NodeId head = addNode(FlowNode::Kind::Join, name, flow->nodes[before].span);
      flow->nodes[head].operands = {before};
      set(name, head);
      heads.push_back(head);
    }
  }
  loops.back().start = log.size();
  return heads;
}

/// The paths that lead back to the head: the end of the body, and each `continue`.
void FlowBuilder::closeLoop(const Heads &heads) {
  auto addBackEdge = [&](NodeId head, NodeId node) {
    if (node != head)
      flow->nodes[head].operands.push_back(node);
  };
  const Loop &loop = loops.back();
  if (reachable)
    for (NodeId head : heads)
      addBackEdge(head, current[flow->nodes[head].name]);
  std::unordered_map<uint32_t, NodeId> headOf;
  if (!loop.continues.empty())
    for (NodeId head : heads)
      headOf.emplace(flow->nodes[head].name, head);
  // A name unchanged at a `continue` still has its value at the head.
  for (const Changes &changes : loop.continues)
    for (const Change &change : changes)
      addBackEdge(headOf.at(change.name), change.node);
}

/// The loop is left before its `else` is walked: a `break` there belongs to the loop around it. `break` skips the
/// `else`, so its changes join afterwards.
void FlowBuilder::finishLoop(const Changes &exhausted, bool canExhaust, syntax::Body otherwise) {
  const size_t start = loops.back().start;
  const std::vector<Changes> exits = std::move(loops.back().exits);
  loops.pop_back();
  reachable = false;
  if (canExhaust)
    merge(start, exhausted);
  body(otherwise);
  for (const Changes &changes : exits)
    merge(start, changes);
}

namespace {

/// Adds the names bound by `:=` anywhere in an expression.
void collectWalrus(const syntax::Expr *expression, const Scope &scope, std::vector<uint32_t> &names) {
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

} // namespace

/// By syntax, before the body is walked: also names that are assigned in branches that turn out to be dead.
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

void FlowBuilder::mark(std::vector<NodeId> work, bool FlowNode::*flag) {
  while (!work.empty()) {
    FlowNode &node = flow->nodes[work.back()];
    work.pop_back();
    if (std::exchange(node.*flag, true))
      continue;
    work.insert(work.end(), node.operands.begin(), node.operands.end());
  }
}

/// Joins that nothing reads are not typed, so that a name may have types that do not go together at the end of two arms
/// if it is not used afterwards.
void FlowBuilder::markReads() {
  mark(std::move(used), &FlowNode::isRead);
  mark(std::move(needed), &FlowNode::isNeeded);
  for (NodeId id = 0; id < flow->nodes.size(); ++id)
    if (flow->nodes[id].kind == FlowNode::Kind::Join && flow->nodes[id].isRead)
      for (NodeId operand : flow->nodes[id].operands)
        flow->nodes[operand].joins.push_back(id);
}

} // namespace treadle
