// The types of definitions: a worklist of assignments and joins.
#include "infer/instances/solver.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

namespace {

/// After this many changes of a type, it may only widen, so that solving terminates whatever the rules do.
constexpr unsigned freeChanges = 32;
constexpr unsigned maxChanges = 256;

} // namespace

Solver::Solver(Compilation &compilation, const InstanceRequest &request, Flow &flow)
    : compilation(compilation), scope(*request.scope), source(request.known->called.syntax->source()),
      rules(request.rules), flow(flow) {}

/// In source order, so that most assignments find the types that they need at the first evaluation.
void Solver::enqueue(const WorkItem &item) {
  const size_t index = item.isAssignment ? item.id : flow.assignments.size() + item.id;
  if (queued[index])
    return;
  queued[index] = true;
  worklist.push_back(item);
  std::push_heap(worklist.begin(), worklist.end(), std::greater<>());
}

/// Every assignment is evaluated at least once. Errors of the last evaluations are reported before joins that do not
/// unify, as they are likely to be the cause; of several, the first in the source.
bool Solver::solve(const Evaluate &evaluateSource) {
  worklist.clear();
  failures.clear();
  isAbandoned = false;
  queued.assign(flow.assignments.size() + flow.nodes.size(), false);
  for (uint32_t id = 0; id < flow.assignments.size(); ++id)
    enqueueAssignment(id);
  for (const FlowNode &node : flow.nodes)
    if (node.kind == FlowNode::Kind::Parameter)
      for (NodeId join : node.joins)
        enqueueJoin(join);
  while (!worklist.empty()) {
    std::pop_heap(worklist.begin(), worklist.end(), std::greater<>());
    const WorkItem item = worklist.back();
    worklist.pop_back();
    queued[item.isAssignment ? item.id : flow.assignments.size() + item.id] = false;
    if (item.isAssignment)
      evaluate(item.id, evaluateSource);
    else
      typeJoin(item.id);
    if (isAbandoned)
      return false;
  }
  if (!failures.empty())
    throw CompileError(failures.begin()->second);
  checkJoins();
  return true;
}

/// An error may be due to types that are not final; it is reported only if it persists to the end.
void Solver::evaluate(uint32_t index, const Evaluate &evaluateSource) {
  failures.erase(index);
  evaluating = index;
  try {
    evaluateSource(flow.assignments[index]);
  } catch (const NotYet &) {
  } catch (const CompileError &error) {
    failures.emplace(index, error.diagnostic());
  }
}

void Solver::fail(SourceSpan span, const Mistake &mistake) const { throwMistake(mistake, source, span); }

/// For what is no name in the source, such as the function's own result.
void Solver::dependOn(NodeId id) {
  std::vector<uint32_t> &readers = flow.nodes[id].readers;
  if (std::find(readers.begin(), readers.end(), evaluating) == readers.end())
    readers.push_back(evaluating);
}

/// A value that differs when re-evaluated is not a constant.
/// It was no constant before it had a type, either: only the first value can become one. What it was read for must be
/// evaluated again when it no longer is.
void Solver::setConstant(NodeId id, const typed::Expr &value) {
  FlowNode &node = flow.nodes[id];
  if (node.isVariable || (node.constant && typed::isConstant(value) && typed::isSameConstant(*node.constant, value)))
    return;
  if (!node.constant && !node.type && typed::isConstant(value)) {
    node.constant = compilation.keep(value);
    return;
  }
  const bool wasConstant = node.constant != nullptr;
  node.constant = typed::hasStorage(value.type) ? nullptr : compilation.keep(value);
  node.isVariable = !node.constant;
  if (wasConstant)
    for (uint32_t reader : node.readers)
      enqueueAssignment(reader);
}

namespace {

/// The expected type, for two types that do not unify.
/// Types of local and global arrays have the same name, but do not go together.
std::string expectedOf(const Type *left, const Type *right, const std::string &usual) {
  const bool lookSame = left && right && left->name() == right->name();
  return lookSame ? "arrays in one kind of memory: local (of constant shape), shared, or global" : usual;
}

} // namespace

/// A pinned name takes the kept type, if the value can be stored as such.
void Solver::setType(NodeId id, const typed::Expr *value) {
  FlowNode &node = flow.nodes[id];
  if (node.pinnedTo == noNode) {
    setConstant(id, *value);
    return changeType(id, value->type);
  }
  const Type *kept = flow.nodes[node.pinnedTo].type;
  if (!kept)
    throw NotYet();
  if (!rules.canStore(value->type, kept)) {
    fail(value->span, {.kind = CompileErrorKind::Typing,
                       .message = quoted(scope.names()[node.name]) + " keeps the type that it had before the loop",
                       .found = value->type->name(),
                       .expected = expectedOf(value->type, kept, kept->name()),
                       .remedy = "use another name inside the loop"});
  }
  changeType(id, kept);
}

/// Wakes what depends on it: assignments that read the name, and joins.
void Solver::changeType(NodeId id, const Type *type) {
  FlowNode &node = flow.nodes[id];
  if (node.type == type)
    return;
  if (node.type && ++node.changes > freeChanges) {
    const Type *wider = rules.unify(node.type, type);
    if (wider == node.type || node.changes > maxChanges)
      return;
    type = wider ? wider : type;
  }
  node.type = type;
  for (uint32_t reader : node.readers)
    enqueueAssignment(reader);
  for (NodeId join : node.joins)
    enqueueJoin(join);
}

/// Operands in the order of their widths, as Numba unifies them; untyped ones are omitted.
/// Unification need not be associative, so that the order counts.
void Solver::typeJoin(NodeId id) {
  std::vector<const Type *> operands;
  for (NodeId operand : flow.nodes[id].operands)
    if (const Type *type = flow.nodes[operand].type; type && operand != id)
      if (std::find(operands.begin(), operands.end(), type) == operands.end())
        operands.insert(std::upper_bound(operands.begin(), operands.end(), type,
                                         [](const Type *a, const Type *b) { return a->bits() < b->bits(); }),
                        type);
  const Type *common = operands.empty() ? nullptr : operands.front();
  for (const Type *operand : operands)
    common = common ? rules.unify(common, operand) : nullptr;
  if (common)
    changeType(id, common);
}

/// Only at the end, when types are final.
void Solver::checkJoins() {
  for (const FlowNode &node : flow.nodes) {
    if (node.kind != FlowNode::Kind::Join || !node.isRead)
      continue;
    for (NodeId operand : node.operands) {
      const Type *type = flow.nodes[operand].type;
      if (type && (!node.type || rules.unify(type, node.type) != node.type))
        failJoin(node);
    }
  }
}

/// Where a value of that type was first assigned to the name, looking through joins.
SourceSpan Solver::definitionOf(NodeId id, const Type *type) const {
  std::vector<NodeId> work{id};
  std::vector<bool> seen(flow.nodes.size());
  SourceSpan first = flow.nodes[id].span;
  while (!work.empty()) {
    const NodeId next = work.back();
    work.pop_back();
    const FlowNode &node = flow.nodes[next];
    if (seen[next] || node.type != type)
      continue;
    seen[next] = true;
    first = node.span;
    if (node.kind != FlowNode::Kind::Join)
      break;
    work.insert(work.end(), node.operands.begin(), node.operands.end());
  }
  return first;
}

void Solver::failJoin(const FlowNode &join) {
  // Two operands that do not unify; the error is reported at the later one.
  const Type *first = nullptr, *second = nullptr;
  SourceSpan firstSpan, secondSpan;
  for (NodeId operand : join.operands) {
    const Type *type = flow.nodes[operand].type;
    if (!type || type == first)
      continue;
    const SourceSpan span = definitionOf(operand, type);
    if (!first) {
      first = type, firstSpan = span;
    } else if (!rules.unify(first, type)) {
      second = type, secondSpan = span;
      break;
    } else {
      first = type, firstSpan = span;
    }
  }
  if (second && std::pair(secondSpan.line, secondSpan.column) < std::pair(firstSpan.line, firstSpan.column)) {
    std::swap(first, second);
    std::swap(firstSpan, secondSpan);
  }
  const bool isResult = join.name >= scope.names().size();
  const std::string what = isResult ? "the returned value" : quoted(scope.names()[join.name]);
  const std::string there = firstSpan.line == secondSpan.line ? "" : fmt::format(" in line {}", firstSpan.line);
  fail(secondSpan, {.kind = CompileErrorKind::Typing,
                    .message = what + " has types that do not go together",
                    .found = (second ? second->name() : "?") + " here, " + (first ? first->name() : "?") + there,
                    .expected = expectedOf(first, second, "one type, or numbers, which are widened"),
                    .remedy = isResult ? "return values of one type" : "use another name for one of the two"});
}

} // namespace treadle
