// Members of enumerations: values of run time, whose class is part of their type.
#include "infer/expression_rules.h"

#include "infer/operator_text.h"

#include <algorithm>

namespace treadle {

/// What is known of an enumeration while compiling.
struct ExpressionRules::Enumeration {
  const Type *classType;
  std::string_view call; ///< as NameResolver::members says
  std::vector<std::string_view> names;
  Items members; ///< constants: members, or the numbers that they are
};

/// What NameResolver::members says, by its place.
namespace part {
enum : size_t { Call, Bases, SeenAs, Own, Bits, Iterated, FirstPair };
}

typed::Expr *ValueRules::valueOfMember(typed::Expr *member, SourceSpan span) {
  return member->kind == typed::ExprKind::Tuple ? member->as<typed::Tuple>().items[0] : nodes.item(member, 0, span);
}

/// Members of different classes are never equal, and none is to anything else.
typed::Expr *ValueRules::compareMembers(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  const bool isEquality = op == CompareOperator::Equal || op == CompareOperator::NotEqual;
  const auto isScalar = [](const Type *type) { return type->isNumber() || type->isTuple() || !type->isRuntime(); };
  if (!isEquality || areElementwise({left, right}) || !isScalar(left->type) || !isScalar(right->type))
    failOperands(operatorText(op), *left, *right, span);
  if (left->type != right->type)
    return after({left, right}, nodes.boolean(op == CompareOperator::NotEqual, span));
  return compareValues(op, valueOfMember(left, span), valueOfMember(right, span), span);
}

/// `|`, `&` and `^` of members of one enum.Flag.
typed::Expr *ValueRules::combineFlags(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  if (op != BinaryOperator::Or && op != BinaryOperator::And && op != BinaryOperator::Xor)
    failOperands(operatorText(op), *left, *right, span);
  const Type *type = left->type;
  typed::Expr *value = binaryValue(op, valueOfMember(left, span), valueOfMember(right, span), span);
  return nodes.tuple(type, {convert(value, type->items()[0])}, span);
}

std::optional<ExpressionRules::Enumeration> ExpressionRules::enumeration(const Type &type, SourceSpan span) {
  if (!type.is(TypeKind::Object) && !type.isMember())
    return std::nullopt;
  const CapturedValue &found = compilation.members(type.handle());
  if (!found.type)
    return std::nullopt;
  Enumeration result{&type, found.items[part::Call].type->text(), {}, {}};
  for (size_t i = part::FirstPair; i < found.items.size(); ++i) {
    const std::vector<CapturedValue> &pair = found.items[i].items;
    result.names.push_back(pair[0].type->text());
    result.members.push_back(captured(pair[1], span, result.names.back()));
  }
  return result;
}

typed::Expr *ExpressionRules::membersOf(const Type &type, SourceSpan span) {
  if (!type.is(TypeKind::Object))
    return nullptr;
  const CapturedValue &found = compilation.members(type.handle());
  return found.type ? captured(found.items[part::Iterated], span, type.text()) : nullptr;
}

/// What is known of the enumeration that the value is a member of; nullptr if it is none, or no longer known to be one.
const CapturedValue *BuiltinRules::enumerationOf(const Type &type) {
  uint64_t handle = type.isMember() ? type.handle() : 0;
  if (type.is(TypeKind::Object)) {
    const Type *classType = compilation.attribute(type.handle(), "__class__").type;
    handle = classType && classType->is(TypeKind::Object) ? classType->handle() : 0;
  }
  const CapturedValue *found = handle ? &compilation.members(handle) : nullptr;
  return found && found->type ? found : nullptr;
}

bool BuiltinRules::derivesFrom(const CapturedValue &enumeration, const Type *classType) {
  const std::vector<CapturedValue> &bases = enumeration.items[part::Bases].items;
  return std::ranges::any_of(bases, [&](const CapturedValue &base) { return base.type == classType; });
}

std::string_view BuiltinRules::seenAs(const Type &classType) {
  const CapturedValue &found = compilation.members(classType.handle());
  return found.type ? found.items[part::SeenAs].type->text() : std::string_view();
}

static bool says(std::string_view own, std::string_view what) { return own.find(what) != std::string_view::npos; }

void BuiltinRules::checkTruth(const typed::Expr &value) {
  const CapturedValue *of = value.type->is(TypeKind::Object) ? enumerationOf(*value.type) : nullptr;
  if (of && says(of->items[part::Own].type->text(), "truth"))
    failOwn(value, "whether it is true", "compare its `value`");
}

/// Members of classes with an `__eq__` of their own, and of those that derive from a str, say.
void BuiltinRules::checkEquality(const typed::Expr &left, const typed::Expr &right) {
  for (const typed::Expr *value : {&left, &right}) {
    const CapturedValue *of = value->type->is(TypeKind::Object) ? enumerationOf(*value->type) : nullptr;
    const std::string_view own = of ? of->items[part::Own].type->text() : std::string_view();
    const auto isSameClass = [&] { return enumerationOf(*left.type) == enumerationOf(*right.type); };
    if (says(own, "equality") || (says(own, "data") && !isSameClass()))
      failOwn(*value, "what it is equal to", "compare its `value`, or use `is`");
  }
}

void BuiltinRules::failOwn(const typed::Expr &value, std::string_view what, std::string_view remedy) {
  fail(value.span,
       {.kind = CompileErrorKind::Typing,
        .message = "the class of this member says itself " + std::string(what) + ", which kernels cannot ask",
        .found = std::string(value.type->text()),
        .expected = {},
        .remedy = std::string(remedy)});
}

/// The class of an IntFlag that an expression is a member of, as far as its text shows; nullptr for others.
const CapturedValue *ExpressionRules::flagsIn(const syntax::Expr &expression, unsigned depth) {
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
    return node && isKept(*node) && node->path.empty() ? flagsIn(*node->source, depth - 1) : nullptr;
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
  default:
    return nullptr;
  }
  const bool isPath = named->kind == ExprKind::Name || named->kind == ExprKind::Attribute;
  const Type *type = isPath ? knownType(*named) : nullptr;
  const CapturedValue *found = type && type->is(TypeKind::Object) ? &compilation.members(type->handle()) : nullptr;
  return found && found->type && found->items[part::Bits].type->isInt() ? found : nullptr;
}

/// ~ of members of an IntFlag: the other flags. Python gives numbers beyond them bits of their own.
typed::Expr *ExpressionRules::otherFlags(const CapturedValue &flags, typed::Expr *value, SourceSpan span) {
  const int64_t bits = flags.items[part::Bits].integer;
  const std::optional<int64_t> known = constantInteger(*value);
  if (!known || (*known & ~bits) != 0)
    failUnsupported(span, "~ of flags that are known only at run time",
                    "combine them by ^ with all flags of the class");
  typed::Const *made = nodes.integer(types::int64(), bits & ~*known, span);
  made->isLiteral = true;
  return made;
}

/// Level["HIGH"]; nullptr if it is no member of an enumeration.
typed::Expr *ExpressionRules::memberNamed(const typed::Expr &value, const syntax::Subscript &expression) {
  const Type &type = *value.type;
  if (!type.is(TypeKind::Object) || !compilation.members(type.handle()).type)
    return nullptr;
  const typed::Expr &name = *expr(*expression.index);
  if (!name.type->is(TypeKind::String))
    return nullptr;
  // The names of members have no dots: what has is a path of attributes.
  const std::string_view key = name.type->text();
  const CapturedValue *member =
      key.find('.') == std::string_view::npos ? &compilation.attribute(type.handle(), key) : nullptr;
  if (!member || !member->type)
    failTyping(expression.index->span, quoted(key) + " is no member of " + std::string(type.text()));
  return captured(*member, expression.span, key);
}

static bool isTrue(const typed::Expr &value) {
  return value.kind == typed::ExprKind::Const && value.as<typed::Const>().integer != 0;
}

/// The value is known at run time. All else, the name and what the class adds, is known of constants only.
typed::Expr *ExpressionRules::memberAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const SourceSpan span = expression.span;
  if (expression.name == "value" || expression.name == "_value_")
    return valueOfMember(value, span);
  const std::optional<Enumeration> found = typed::isConstant(*value) ? enumeration(*value->type, span) : std::nullopt;
  for (size_t i = 0; found && i < found->members.size(); ++i) {
    if (!typed::isSameConstant(*value, *found->members[i]))
      continue;
    const std::string path = std::string(found->names[i]) + "." + std::string(expression.name);
    if (const CapturedValue &attribute = compilation.attribute(value->type->handle(), path); attribute.type)
      return captured(attribute, span, path);
  }
  if (!found)
    fail(span, {.kind = CompileErrorKind::Typing,
                .message = "of a member that is chosen at run time, kernels have only the value",
                .found = value->type->name() + "." + std::string(expression.name),
                .expected = "value",
                .remedy = {}});
  failAttribute(*value, expression, {"value", "name"});
}

/// nullptr: there are no members, or they are of several types.
const Type *ExpressionRules::typeOfValues(const Enumeration &enumeration) {
  const Items &members = enumeration.members;
  const Type *type = members.empty() ? nullptr : members[0]->type;
  if (!std::ranges::all_of(members, [&](const typed::Expr *member) { return member->type == type; }))
    return nullptr;
  return type && type->isMember() ? type->items()[0] : type;
}

/// Level(x): the member that has that value; nullptr if it is no enumeration that is called.
typed::Expr *ExpressionRules::callEnumeration(const Type &classType, const Arguments &arguments) {
  const SourceSpan span = arguments.span;
  const std::optional<Enumeration> found = enumeration(classType, span);
  if (!found)
    return nullptr;
  const Enumeration &wanted = *found;
  const std::string name(classType.text());
  if (wanted.call == "own")
    failTyping(span, quoted(name) + " cannot be called in a kernel: its class says itself which values it has",
               "name its members: " + name + "[\"...\"]");
  if (arguments.positional.size() != 1 || !arguments.keywords.empty())
    fail(span, {.kind = CompileErrorKind::Type,
                .message = quoted(name) + " takes one value",
                .found = counted(arguments.positional.size() + arguments.keywords.size(), "value"),
                .expected = {},
                .remedy = {}});
  typed::Expr *value = unwrap(arguments.positional[0]);
  if (value->type->isMember() && !wanted.members.empty() && value->type == wanted.members[0]->type)
    return value;
  const Type *ofValue = typeOfValues(wanted);
  if (!ofValue || !ofValue->isRuntime())
    failTyping(span, quoted(name) + " cannot be called in a kernel: its values are not of one type of run time",
               "name its members: " + name + "[\"...\"]");
  const bool isComplex = value->type->isComplex() && !ofValue->isComplex();
  if (value->type->isMember() || isComplex || !rules.canStore(value->type, ofValue))
    failTyping(value->span, value->type->name() + " is no value of " + name);
  return inBlock(span, [&] { return checkedMember(wanted, materialize(value), span); });
}

/// Kernels compiled with debug check that there is such a member, as far as that is not known while compiling.
typed::Expr *ExpressionRules::checkedMember(const Enumeration &wanted, typed::Expr *value, SourceSpan span) {
  const Type *type = wanted.members[0]->type, *ofValue = typeOfValues(wanted);
  Items tests;
  if (wanted.call == "numbers")
    tests.push_back(
        comparison(syntax::Comparison::GreaterEqual, clone(value), nodes.integer(types::int64(), 0, span), span));
  uint64_t allFlags = 0;
  typed::Expr *isKnown = nullptr;
  for (typed::Expr *member : wanted.members) {
    typed::Expr *own = type->isMember() ? valueOfMember(member, span) : member;
    if (const std::optional<int64_t> flags = constantInteger(*own))
      allFlags |= uint64_t(*flags);
    typed::Expr *isThis = comparison(syntax::Comparison::Equal, clone(value), own, span);
    if (isThis->kind != typed::ExprKind::Const)
      tests.push_back(isThis);
    else if (isTrue(*isThis))
      isKnown = isThis;
  }
  typed::Expr *isAny = isKnown ? isKnown : anyOf(tests, span);
  typed::Expr *converted = convert(clone(value), ofValue);
  if (wanted.call == "flags" && ofValue->isInt()) {
    typed::Expr *others = nodes.integer(ofValue, int64_t(~allFlags), span);
    isAny = comparison(syntax::Comparison::Equal, binaryValue(BinaryOperator::And, clone(converted), others, span),
                       nodes.integer(ofValue, 0, span), span);
  }
  const std::string message = "this is no value of " + std::string(wanted.classType->text());
  if (isAny->kind == typed::ExprKind::Const && !isTrue(*isAny))
    fail(span, {.kind = CompileErrorKind::Value, .message = message, .found = {}, .expected = {}, .remedy = {}});
  if (isAny->kind != typed::ExprKind::Const)
    raiseWhere(unaryValue(UnaryOperator::Not, isAny, span), message, span);
  return type->isMember() ? nodes.tuple(type, {converted}, span) : converted;
}

} // namespace treadle
