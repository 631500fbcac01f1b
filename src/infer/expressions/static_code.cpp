// Compile-time Python code: consteval(...), with consteval().
// The code of consteval(...) is run by Python, with what is known of the names that it reads. It is run as early as
// possible: during the walk of the flow if no types are needed, so that loops over its items are unrolled once and not
// one by one. Each list of values is run once; Compilation keeps the results.
#include "infer/expressions/static_values.h"

#include <algorithm>

namespace treadle {

using Kind = ConstevalName::Kind;

namespace {

/// A constant of the kernel as Python gets it; isNumpy says whether as a NumPy scalar.
CapturedValue valueOf(const typed::Expr &constant) {
  CapturedValue value;
  value.type = constant.type;
  if (constant.kind == typed::ExprKind::Tuple) {
    for (const typed::Expr *item : constant.as<typed::Tuple>().items)
      value.items.push_back(valueOf(*item));
    return value;
  }
  const auto &number = constant.as<typed::Const>();
  value.integer = number.integer;
  value.real = number.real;
  value.imag = number.imag;
  value.isNumpy = number.isNumpy;
  return value;
}

/// Of a run-time value, Python sees `x.dtype` and the like.
CapturedValue typeOnly(const Type *type) {
  CapturedValue value;
  value.type = type;
  return value;
}

/// The knowledge about a value without its storage: all of it, or its type.
ConstevalName named(std::string_view name, const Type *type, const typed::Expr *constant) {
  if (constant)
    return {name, Kind::Known, valueOf(*constant)};
  return {name, typed::hasStorage(type) ? Kind::RunTime : Kind::Known, typeOnly(type)};
}

} // namespace

/// An array would become a captured one, which belongs to the function that reads it.
bool isPlain(const CapturedValue &value) {
  return value.type && !value.type->isArray() && value.problem.empty() && std::ranges::all_of(value.items, isPlain);
}

/// Whether a call is consteval is decided by syntax, once for all functions that share it; a closure may have another
/// meaning of the name.
void StaticValues::checkMeaning(const syntax::Consteval &code) {
  const Type *callee = knownType(*code.callee);
  if (!callee || !callee->is(TypeKind::Builtin) || callee->text() != "consteval")
    tree.failUnsupported(code.callee->span,
                         "this is not what another function made of the same lines knows as consteval",
                         "import consteval by one name, and do not assign to it");
}

/// An error in a line of a `with consteval():` block is shown at that line; lines of Python's code count from its own
/// start.
const CapturedValue &StaticValues::evaluate(const syntax::Consteval &code, std::vector<ConstevalName> names) {
  checkMeaning(code);
  const ConstevalRequest asked{code.code, code.yields == syntax::Consteval::Yields::Items, std::move(names)};
  const ConstevalResult &result = compilation.evaluate(request.known->called.handle, asked);
  if (result.kind.empty())
    return result.value;
  const bool isOwnLine = code.yields == syntax::Consteval::Yields::Block && result.line != 0;
  tree.fail(isOwnLine ? source->wholeLine(uint32_t(int64_t(result.line) + code.lineOffset)) : code.span,
            {.kind = result.kind == "constant" ? CompileErrorKind::Constant
                     : result.kind == "limit"  ? CompileErrorKind::Limit
                                               : CompileErrorKind::Value,
             .message = result.problem,
             .remedy = result.remedy,
             .needsConstant = result.kind == "constant"});
}

/// The value of a name that consteval has defined, if known before typing.
/// By the definition that reaches it. nullptr: another kind of definition, or one that needs types.
const CapturedValue *StaticValues::earlySource(NodeId id) {
  const FlowNode &node = flow.nodes[id];
  if (node.kind == FlowNode::Kind::Parameter)
    return request.bindings[id].source;
  if (!node.isKept() || node.source->kind != syntax::ExprKind::Consteval)
    return nullptr;
  const CapturedValue *value = evaluatedEarly(node.source->as<syntax::Consteval>());
  for (const uint32_t index : node.path)
    value = value && index < value->items.size() && value->type->isPlainTuple() ? &value->items[index] : nullptr;
  return value;
}

/// Only those that are not plain: others are constants, and passed as such.
std::vector<const CapturedValue *> StaticValues::sourcesAt(const syntax::Expr &place, const Scope &nested) {
  std::vector<const CapturedValue *> sources;
  const auto found = flow.captures.find(&place);
  for (std::string_view name : nested.captured()) {
    const CapturedValue *source = nullptr;
    if (found != flow.captures.end())
      for (const auto &[captured, id] : found->second)
        if (captured == name && (source = earlySource(id)))
          break;
    sources.push_back(source && !isPlain(*source) ? source : nullptr);
  }
  return sources;
}

/// nullopt: its value may become known while solving.
std::optional<ConstevalName> StaticValues::knownEarly(const syntax::Name &name) {
  const NodeId id = flow.reads.at(&name);
  const FlowNode &node = flow.nodes[id];
  if (node.kind == FlowNode::Kind::Unset)
    return ConstevalName{name.id, Kind::Unset, {}};
  if (const CapturedValue *value = earlySource(id))
    return ConstevalName{name.id, Kind::Known, *value};
  if (node.kind == FlowNode::Kind::Parameter)
    return named(name.id, node.type, node.constant);
  const typed::Expr *value = node.kind == FlowNode::Kind::Assigned ? knownName(name) : nullptr;
  if (!value || !typed::isConstant(*value))
    return std::nullopt;
  return named(name.id, value->type, value);
}

/// Remembered before it is computed, as nullptr: a name whose value leads back to this code is not known early.
const CapturedValue *StaticValues::evaluatedEarly(const syntax::Consteval &code) {
  if (const auto found = early.find(&code); found != early.end())
    return found->second;
  const CapturedValue *&value = early[&code];
  std::vector<ConstevalName> names;
  for (const syntax::Expr *name : code.names) {
    if (!flow.reads.contains(name))
      continue; // Python finds it
    std::optional<ConstevalName> known = knownEarly(name->as<syntax::Name>());
    if (!known)
      return nullptr;
    names.push_back(std::move(*known));
  }
  return value = &evaluate(code, std::move(names));
}

/// As far as types and constants are known.
/// Waits for a type; a name without any value on this path is unset for Python, too.
ConstevalName StaticValues::knownNow(const syntax::Name &name) {
  const NodeId id = flow.reads.at(&name);
  const FlowNode &node = flow.nodes[id];
  if (const CapturedValue *value = earlySource(id))
    return {name.id, Kind::Known, *value};
  if (!node.type && !flow.isUnset(id))
    tree.phase()->awaitType();
  return node.type ? named(name.id, node.type, node.constant) : ConstevalName{name.id, Kind::Unset, {}};
}

/// Evaluated again whenever a type changes that it depends on, each time with other values.
typed::Expr *StaticValues::evaluated(const syntax::Consteval &code) {
  const CapturedValue *value = evaluatedEarly(code);
  if (!value) {
    std::vector<ConstevalName> names;
    for (const syntax::Expr *name : code.names)
      if (flow.reads.contains(name))
        names.push_back(knownNow(name->as<syntax::Name>()));
    value = &evaluate(code, std::move(names));
  }
  return names.captured(*value, code.span, "consteval(...)");
}

} // namespace treadle
