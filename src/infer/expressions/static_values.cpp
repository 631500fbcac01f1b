// Tests that are decided before typing: on None, on literals and frozen globals, on the number of axes.
// A function for many types has branches that do not fit all of them, as in Numba: `if x is None`, `if a.ndim == 2`,
// `if isinstance(x, float)`, `if DEBUG`. Such tests are decided while the flow is built, so before any type but those
// of parameters is known; what is not decided here is an ordinary test. Errors in a test are not reported here, as it
// may not even be reached.
#include "infer/expressions/static_values.h"

namespace treadle {

using syntax::ExprKind;

namespace {

/// nullopt if a constant's truth is uninformative (functions and the like are always true).
std::optional<bool> truthOfConstant(const typed::Expr &value) {
  if (value.type->isNone())
    return false;
  if (value.type->is(TypeKind::String))
    return !value.type->text().empty();
  if (value.type->isMember())
    return std::nullopt; // for a Flag, its value decides
  if (value.kind == typed::ExprKind::Tuple)
    return !value.as<typed::Tuple>().items.empty();
  const auto &constant = value.as<typed::Const>();
  if (value.type->isInteger())
    return constant.integer != 0;
  if (value.type->isNumber())
    return constant.real != 0 || constant.imag != 0;
  return std::nullopt;
}

} // namespace

/// `a and b` is decided by one operand that is false, even if the others are not known.
std::optional<bool> StaticValues::decide(const syntax::Expr &test) {
  if (test.kind == ExprKind::Boolean) {
    const auto &boolean = test.as<syntax::Boolean>();
    bool allKnown = true;
    for (const syntax::Expr *value : boolean.values) {
      const std::optional<bool> one = decide(*value);
      if (one == !boolean.isAnd)
        return one;
      allKnown &= one.has_value();
    }
    return allKnown ? std::optional(boolean.isAnd) : std::nullopt;
  }
  if (test.kind == ExprKind::Unary && test.as<syntax::Unary>().op == UnaryOperator::Not) {
    const std::optional<bool> inner = decide(*test.as<syntax::Unary>().operand);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (test.kind == ExprKind::Compare)
    return decideCompare(test.as<syntax::Compare>());
  if (typed::Expr *value = known(test))
    return truthOfConstant(*value);
  return std::nullopt;
}

/// Whether everything that Python evaluates until the test is decided is known.
/// In `f() and False` the answer is known, but f must be called; in `False and f()` it need not.
bool StaticValues::isKnownThroughout(const syntax::Expr &test) {
  if (test.kind == ExprKind::Unary && test.as<syntax::Unary>().op == UnaryOperator::Not)
    return isKnownThroughout(*test.as<syntax::Unary>().operand);
  if (test.kind != ExprKind::Boolean)
    return decide(test).has_value();
  const auto &boolean = test.as<syntax::Boolean>();
  for (const syntax::Expr *value : boolean.values) {
    if (!isKnownThroughout(*value))
      return false;
    if (decide(*value) == !boolean.isAnd)
      return true;
  }
  return true;
}

namespace {

bool isNoneLiteral(const syntax::Expr &expression) {
  return expression.kind == ExprKind::Literal && expression.as<syntax::Literal>().literal == syntax::LiteralKind::None;
}

} // namespace

/// An Optional may be None or not.
std::optional<bool> StaticValues::decideNone(const syntax::Expr &value) {
  const Type *type = knownType(value);
  if (!type || type->isOptional())
    return std::nullopt;
  return type->isNone();
}

/// Chains are left to run time.
std::optional<bool> StaticValues::decideCompare(const syntax::Compare &test) {
  if (test.ops.size() != 1)
    return std::nullopt;
  const syntax::Comparison op = test.ops[0];
  const syntax::Expr &left = *test.left, &right = *test.rights[0];
  if ((op == syntax::Comparison::Is || op == syntax::Comparison::IsNot) &&
      (isNoneLiteral(left) || isNoneLiteral(right))) {
    const std::optional<bool> isNone = decideNone(isNoneLiteral(left) ? right : left);
    return isNone ? std::optional(*isNone == (op == syntax::Comparison::Is)) : std::nullopt;
  }
  typed::Expr *first = known(left), *second = first ? known(right) : nullptr;
  if (!first || !second)
    return std::nullopt;
  try {
    typed::Expr *answer = operators.comparison(op, first, second, test.span);
    return answer->kind == typed::ExprKind::Const ? truthOfConstant(*answer) : std::nullopt;
  } catch (const CompileError &) {
    return std::nullopt; // it is reported when the test is built
  }
}

/// The value of an expression that depends on no types but those of parameters, or nullptr.
/// Less than what building folds: only expressions without effects, and names that have one definition here.
typed::Expr *StaticValues::known(const syntax::Expr &expression) {
  switch (expression.kind) {
  case ExprKind::Literal:
    return expression.as<syntax::Literal>().tooLarge ? nullptr : names.literal(expression.as<syntax::Literal>());
  case ExprKind::String:
    return names.string(expression.as<syntax::String>());
  case ExprKind::Name:
    return knownName(expression.as<syntax::Name>());
  case ExprKind::Attribute:
    return knownAttribute(expression.as<syntax::Attribute>());
  case ExprKind::Unary: {
    const auto &unary = expression.as<syntax::Unary>();
    typed::Expr *operand = unary.op == UnaryOperator::Not ? nullptr : known(*unary.operand);
    if (!operand || !operand->type->isNumber() || (unary.op == UnaryOperator::Invert && flagsIn(*unary.operand)))
      return nullptr;
    typed::Expr *value = operators.unaryValue(unary.op, operand, expression.span);
    return value->kind == typed::ExprKind::Const ? value : nullptr;
  }
  case ExprKind::Tuple:
  case ExprKind::List:
    return knownTuple(expression.as<syntax::Sequence>());
  case ExprKind::Call:
    return knownCall(expression.as<syntax::Call>());
  case ExprKind::Consteval: {
    const CapturedValue *value = evaluatedEarly(expression.as<syntax::Consteval>());
    return value && isPlain(*value) ? names.captured(*value, expression.span, "consteval(...)") : nullptr;
  }
  case ExprKind::Ellipsis:
  case ExprKind::Binary:
  case ExprKind::Boolean:
  case ExprKind::Compare:
  case ExprKind::Conditional:
  case ExprKind::Subscript:
  case ExprKind::Slice:
  case ExprKind::Joined:
  case ExprKind::Format:
  case ExprKind::Walrus:
  case ExprKind::Starred:
  case ExprKind::Lambda:
  case ExprKind::Comprehension:
    return nullptr;
  }
  return nullptr;
}

typed::Expr *StaticValues::knownTuple(const syntax::Sequence &sequence) {
  Items items;
  for (const syntax::Expr *item : sequence.items) {
    items.push_back(known(*item));
    if (!items.back())
      return nullptr;
  }
  return tree.makeTuple(items, sequence.span);
}

/// literal_unroll(...) as an iterable.
/// Numba's name for a loop over a tuple whose body is compiled for each item.
bool StaticValues::isLiteralUnroll(const syntax::Expr &iterable) {
  if (iterable.kind != ExprKind::Call)
    return false;
  const auto &call = iterable.as<syntax::Call>();
  const bool isNamed = call.callee->kind == ExprKind::Name || call.callee->kind == ExprKind::Attribute;
  const Type *callee = isNamed ? knownType(*call.callee) : nullptr;
  const Builtin *row = callee && callee->is(TypeKind::Builtin) ? findBuiltin(callee->text()) : nullptr;
  return row && row->rule == BuiltinRule::LiteralUnroll && call.arguments.size() == 1 && call.keywords.empty();
}

/// isinstance() and the library's type queries.
/// Arguments of which the type alone is known are placeholders. A builtin that needs their values fails, and the call
/// is not known.
typed::Expr *StaticValues::knownCall(const syntax::Call &call) {
  const bool isNamed = call.callee->kind == ExprKind::Name || call.callee->kind == ExprKind::Attribute;
  const Type *callee = isNamed ? knownType(*call.callee) : nullptr;
  const Builtin *row = callee && callee->is(TypeKind::Builtin) ? findBuiltin(callee->text()) : nullptr;
  if (isLiteralUnroll(call))
    return known(*call.arguments[0]);
  const bool asks = row && (row->rule == BuiltinRule::IsInstance || row->rule == BuiltinRule::TypeOf ||
                            row->rule == BuiltinRule::MathFloat || row->rule == BuiltinRule::Unit ||
                            row->rule == BuiltinRule::UnitFactor || row->rule == BuiltinRule::UnitNamed);
  if (!asks || !call.keywords.empty())
    return nullptr;
  if (row->rule == BuiltinRule::IsInstance && flow.isOfList(call))
    return nullptr; // rejected when the call is built
  Arguments arguments{{}, {}, &call, call.span};
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    // A value tells more than its type: for classes, units and texts.
    typed::Expr *value = known(*call.arguments[i]);
    const Type *type = value ? nullptr : knownType(*call.arguments[i]);
    if (type)
      value = typed::hasStorage(type) ? tree.placeholder(type, call.span) : tree.unit(type, call.span);
    if (!value)
      return nullptr;
    arguments.positional.push_back(value);
  }
  try {
    typed::Expr *answer = builtins.callBuiltin(*row, arguments);
    return answer->kind == typed::ExprKind::Const ? answer : nullptr;
  } catch (const CompileError &) {
    return nullptr; // it is reported when the call is built
  }
}

/// Arrays are not captured here, as that would note them in the function although the test makes no code.
typed::Expr *StaticValues::knownName(const syntax::Name &name) {
  auto read = flow.reads.find(&name);
  if (read == flow.reads.end()) {
    const CapturedValue &value = compilation.resolve(request.known->called.handle, name.id);
    if (!value.type || value.type->isArray())
      return nullptr;
    typed::Expr *constant = names.captured(value, name.span, name.id);
    return constant->kind == typed::ExprKind::Const || constant->type->isMember() ? constant : nullptr;
  }
  const FlowNode &node = flow.nodes[read->second];
  if (node.kind == FlowNode::Kind::Parameter)
    return node.constant;
  if (const CapturedValue *found = earlySource(read->second))
    return isPlain(*found) ? names.captured(*found, name.span, name.id) : nullptr;
  typed::Expr *value = node.isKept() ? known(*node.source) : nullptr;
  for (uint32_t index : node.path) {
    if (!value || value->kind != typed::ExprKind::Tuple || index >= value->as<typed::Tuple>().items.size())
      return nullptr;
    value = value->as<typed::Tuple>().items[index];
  }
  return value;
}

/// `a.shape` is no type question; `a.ndim` and `a.dtype` are.
typed::Expr *StaticValues::knownAttribute(const syntax::Attribute &attribute) {
  const Type *type = knownType(*attribute.value);
  if (!type)
    return nullptr;
  if (type->is(Series::Elementwise)) {
    const bool isKnown = attribute.name == "ndim" || attribute.name == "dtype";
    return isKnown ? attributes.attributeOf(placeholderOf(tree, *type, attribute.span), attribute) : nullptr;
  }
  if (type->isArray() && attribute.name == "dtype")
    return tree.unit(types::typeObject(type->element()), attribute.span);
  if (type->isArray())
    return attribute.name == "ndim" ? tree.index(type->ndim(), attribute.span) : nullptr;
  if (type->is(TypeKind::TypeObject)) {
    const bool isKnown = attribute.name == "kind" || attribute.name == "itemsize" || attribute.name == "name";
    return isKnown ? attributes.attributeOf(tree.unit(type, attribute.span), attribute) : nullptr;
  }
  if (type->isMember()) {
    typed::Expr *member = known(*attribute.value);
    typed::Expr *value = member ? attributes.attributeOf(member, attribute) : nullptr;
    return value && typed::isConstant(*value) ? value : nullptr;
  }
  if (!type->is(TypeKind::Module) && !type->is(TypeKind::Object))
    return nullptr;
  const CapturedValue &value = compilation.attribute(type->handle(), attribute.name);
  if (!value.type || value.type->isArray())
    return nullptr;
  typed::Expr *constant = names.captured(value, attribute.span, attribute.name);
  return constant->kind == typed::ExprKind::Const || constant->type->isMember() ? constant : nullptr;
}

/// The type of x[0], x[i, j] and the like, if the indices are known to be integers.
const Type *StaticValues::knownElement(const syntax::Subscript &subscript) {
  const Type *array = knownType(*subscript.value);
  if (!array || !array->isArray() || !array->element()->isNumber())
    return nullptr;
  std::vector<const syntax::Expr *> indices{subscript.index};
  if (subscript.index->kind == ExprKind::Tuple)
    indices.assign(subscript.index->as<syntax::Sequence>().items.begin(),
                   subscript.index->as<syntax::Sequence>().items.end());
  for (const syntax::Expr *index : indices)
    if (const Type *type = knownType(*index); !type || !type->isInt())
      return nullptr;
  return indices.size() == array->ndim() ? array->element() : nullptr;
}

/// The type of a name that is bound once before anything runs, or of a result of known(); nullptr otherwise.
const Type *StaticValues::knownType(const syntax::Expr &expression) {
  if (expression.kind == ExprKind::Name) {
    auto read = flow.reads.find(&expression);
    if (read != flow.reads.end()) {
      const FlowNode &node = flow.nodes[read->second];
      if (node.kind == FlowNode::Kind::Parameter)
        return node.type;
      if (const CapturedValue *found = earlySource(read->second))
        return found->type;
      const Type *type = node.isKept() ? knownType(*node.source) : nullptr;
      for (uint32_t index : node.path)
        type = type && type->isPlainTuple() && index < type->items().size() ? type->items()[index] : nullptr;
      return type;
    }
    return compilation.resolve(request.known->called.handle, expression.as<syntax::Name>().id).type;
  }
  if (expression.kind == ExprKind::Subscript)
    return knownElement(expression.as<syntax::Subscript>());
  if (expression.kind == ExprKind::Tuple || expression.kind == ExprKind::List) {
    std::vector<const Type *> items;
    for (const syntax::Expr *item : expression.as<syntax::Sequence>().items)
      if (items.push_back(knownType(*item)); !items.back())
        return nullptr;
    return types::tuple(items);
  }
  if (expression.kind == ExprKind::Call) {
    const auto &call = expression.as<syntax::Call>();
    if (isLiteralUnroll(expression))
      return knownType(*call.arguments[0]);
    const bool isNamed = call.callee->kind == ExprKind::Name || call.callee->kind == ExprKind::Attribute;
    const Type *callee = isNamed ? knownType(*call.callee) : nullptr;
    if (callee && callee->is(TypeKind::TypeObject) && callee->element()->isNumber())
      return callee->element();
  }
  typed::Expr *value = known(expression);
  return value ? value->type : nullptr;
}

/// The IntFlag class that an expression is a member of, judging by its syntax; nullptr for others.
/// Members of an IntFlag are integers here, so that the types do not tell. A name is followed to its definition, at
/// most `depth` steps, as definitions may lead to each other in loops.
const CapturedValue *StaticValues::flagsIn(const syntax::Expr &expression, unsigned depth) {
  using syntax::ExprKind;
  if (depth == 0)
    return nullptr;
  const syntax::Expr *named = nullptr;
  switch (expression.kind) {
  case ExprKind::Binary: {
    const auto &binary = expression.as<syntax::Binary>();
    if (binary.op != BinaryOperator::Or && binary.op != BinaryOperator::And && binary.op != BinaryOperator::Xor)
      return nullptr;
    const CapturedValue *left = flagsIn(*binary.left, depth - 1);
    return left ? left : flagsIn(*binary.right, depth - 1);
  }
  case ExprKind::Name: {
    const auto read = flow.reads.find(&expression.as<syntax::Name>());
    const FlowNode *node = read == flow.reads.end() ? nullptr : &flow.nodes[read->second];
    return node && node->isKept() && node->path.empty() ? flagsIn(*node->source, depth - 1) : nullptr;
  }
  case ExprKind::Attribute:
    named = expression.as<syntax::Attribute>().value;
    break;
  case ExprKind::Subscript:
    named = expression.as<syntax::Subscript>().value;
    break;
  case ExprKind::Call:
    named = expression.as<syntax::Call>().callee;
    break;
  case ExprKind::Literal:
  case ExprKind::String:
  case ExprKind::Ellipsis:
  case ExprKind::Unary:
  case ExprKind::Boolean:
  case ExprKind::Compare:
  case ExprKind::Conditional:
  case ExprKind::Slice:
  case ExprKind::Tuple:
  case ExprKind::List:
  case ExprKind::Joined:
  case ExprKind::Format:
  case ExprKind::Walrus:
  case ExprKind::Starred:
  case ExprKind::Lambda:
  case ExprKind::Consteval:
  case ExprKind::Comprehension:
    return nullptr;
  }
  const bool isPath = named->kind == ExprKind::Name || named->kind == ExprKind::Attribute;
  const Type *type = isPath ? knownType(*named) : nullptr;
  const CapturedValue *found = type && type->is(TypeKind::Object) ? &compilation.members(type->handle()) : nullptr;
  return found && found->type && found->items[part::Bits].type->isInt() ? found : nullptr;
}

} // namespace treadle
