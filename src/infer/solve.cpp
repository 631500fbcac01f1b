// The types of definitions: a worklist of assignments and meetings.
#include "infer/inference.h"

#include <algorithm>
#include <bit>

namespace treadle {

namespace {

/// After this many changes of one type new ones only widen it: it ends whatever the rules do.
constexpr unsigned freeChanges = 32;
constexpr unsigned maxChanges = 256;

bool isSameConstant(const typed::Expr &left, const typed::Expr &right) {
  if (left.type != right.type || left.kind != right.kind)
    return false;
  if (left.kind == typed::ExprKind::Tuple)
    return std::equal(left.as<typed::Tuple>().items.begin(), left.as<typed::Tuple>().items.end(),
                      right.as<typed::Tuple>().items.begin(),
                      [](const typed::Expr *a, const typed::Expr *b) { return isSameConstant(*a, *b); });
  const auto &a = left.as<typed::Const>(), &b = right.as<typed::Const>();
  return a.integer == b.integer && std::bit_cast<int64_t>(a.real) == std::bit_cast<int64_t>(b.real) &&
         std::bit_cast<int64_t>(a.imag) == std::bit_cast<int64_t>(b.imag);
}

} // namespace

void Inference::enqueue(const WorkItem &item) {
  const size_t index = item.isAssignment ? item.id : flow.assignments.size() + item.id;
  if (queued[index])
    return;
  queued[index] = true;
  worklist.push_back(item);
  std::push_heap(worklist.begin(), worklist.end(), std::greater<>());
}

void Inference::work(const WorkItem &item) {
  queued[item.isAssignment ? item.id : flow.assignments.size() + item.id] = false;
  if (item.isAssignment)
    evaluate(item.id);
  else
    typeMeeting(item.id);
}

void Inference::solve() {
  worklist.clear();
  failures.clear();
  queued.assign(flow.assignments.size() + flow.nodes.size(), false);
  for (uint32_t id = 0; id < flow.assignments.size(); ++id)
    enqueueAssignment(id);
  for (const FlowNode &node : flow.nodes)
    if (node.kind == FlowNode::Kind::Parameter)
      for (NodeId meeting : node.meetings)
        enqueueMeeting(meeting);
  while (!worklist.empty()) {
    std::pop_heap(worklist.begin(), worklist.end(), std::greater<>());
    const WorkItem item = worklist.back();
    worklist.pop_back();
    work(item);
    if (mustRestart)
      return;
  }
  if (!failures.empty())
    throw CompileError(failures.begin()->second);
  checkMeetings();
}

/// An error may be due to types that are not final; it is reported if it is still there at the end.
bool Inference::evaluate(uint32_t index) {
  failures.erase(index);
  evaluating = index;
  scratchStatements.clear();
  statements = &scratchStatements;
  scratch = std::make_unique<Arena>();
  nodes.moveTo(*scratch);
  try {
    evaluateSource(flow.assignments[index]);
    return true;
  } catch (const NotYet &) {
  } catch (const CompileError &error) {
    failures.emplace(index, error.diagnostic());
  }
  statements = &scratchStatements;
  return false;
}

void Inference::evaluateSource(const FlowAssignment &assignment) {
  using Kind = FlowAssignment::Kind;
  switch (assignment.kind) {
  case Kind::Value:
    if (assignment.target)
      return assignTo(*assignment.target, expr(*assignment.source));
    return assign(assignment.statement->as<syntax::Assign>());
  case Kind::Element:
    return bindElement(assignment.statement->as<syntax::For>());
  case Kind::Augmented:
    return augment(assignment.statement->as<syntax::AugAssign>());
  case Kind::Function:
    return defineFunction(assignment.statement->as<syntax::FunctionDef>(), assignment.node);
  case Kind::Return:
    return setType(assignment.node,
                   assignment.source ? expr(*assignment.source) : nodes.unit(types::none(), scope.function().span));
  }
}

typed::Expr *Inference::keepConstant(const typed::Expr *value) {
  typed::Nodes keeper(compilation.constants);
  if (value->kind == typed::ExprKind::Tuple) {
    Items items;
    for (const typed::Expr *item : value->as<typed::Tuple>().items)
      items.push_back(keepConstant(item));
    return keeper.tuple(value->type, items, value->span);
  }
  auto *kept = compilation.constants.make<typed::Const>(value->as<typed::Const>());
  kept->isLiteral = false;
  return kept;
}

/// A value that is another one when evaluated again is no constant.
void Inference::setConstant(NodeId id, const typed::Expr &value) {
  FlowNode &node = flow.nodes[id];
  if (node.isVariable || (node.constant && typed::isConstant(value) && isSameConstant(*node.constant, value)))
    return;
  if (!node.constant && !node.type && typed::isConstant(value)) {
    node.constant = keepConstant(&value);
    return;
  }
  const bool wasConstant = node.constant != nullptr;
  node.constant = typed::hasStorage(value.type) ? nullptr : keepConstant(&value);
  node.isVariable = node.constant == nullptr;
  if (wasConstant)
    for (uint32_t reader : node.readers)
      enqueueAssignment(reader);
}

void Inference::setType(NodeId id, typed::Expr *value) {
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
                       .expected = kept->name(),
                       .remedy = "use another name inside the loop"});
  }
  changeType(id, kept);
}

void Inference::changeType(NodeId id, const Type *type) {
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
  for (NodeId meeting : node.meetings)
    enqueueMeeting(meeting);
}

/// Operands in the order of their widths, as Numba unifies them; those without a type do not take part (yet).
void Inference::typeMeeting(NodeId id) {
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

void Inference::checkMeetings() {
  for (const FlowNode &node : flow.nodes) {
    if (node.kind != FlowNode::Kind::Meeting || !node.isRead)
      continue;
    for (NodeId operand : node.operands) {
      const Type *type = flow.nodes[operand].type;
      if (type && (!node.type || rules.unify(type, node.type) != node.type))
        failMeeting(node);
    }
  }
}

/// Where a value of that type was first given to the name, looking through meetings.
SourceSpan Inference::definitionOf(NodeId id, const Type *type) const {
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
    if (node.kind != FlowNode::Kind::Meeting)
      break;
    work.insert(work.end(), node.operands.begin(), node.operands.end());
  }
  return first;
}

void Inference::failMeeting(const FlowNode &meeting) {
  // Two operands that do not go together; the later one is where the error stands.
  const Type *first = nullptr, *second = nullptr;
  SourceSpan firstSpan, secondSpan;
  for (NodeId operand : meeting.operands) {
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
  const bool isResult = meeting.name >= scope.names().size();
  const std::string what = isResult ? "the returned value" : quoted(scope.names()[meeting.name]);
  const std::string there = firstSpan.line == secondSpan.line ? "" : " in line " + std::to_string(firstSpan.line);
  fail(secondSpan, {.kind = CompileErrorKind::Typing,
                    .message = what + " has types that do not go together",
                    .found = (second ? second->name() : "?") + " here, " + (first ? first->name() : "?") + there,
                    .expected = "one type, or numbers, which are widened",
                    .remedy = isResult ? "return values of one type" : "use another name for one of the two"});
}

} // namespace treadle
