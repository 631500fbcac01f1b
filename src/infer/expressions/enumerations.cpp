// Enumerations: their members by name and by value, and attributes of members.
// A member whose class has values of one type is a value of run time: its number, in a type that has the class. Members
// of an IntEnum are plain integers, and those of other classes constants that only exist while compiling.
#include "infer/expressions/enumerations.h"

#include "infer/expressions/attributes.h"

#include <algorithm>

namespace treadle {

/// Compile-time knowledge of an enumeration.
struct Enumerations::Enumeration {
  const Type *classType;
  std::string_view call; ///< the first item of NameResolver::members
  std::vector<std::string_view> names;
  Items members; ///< constants: members, or their plain numbers
};

/// nullopt: the type is not that of an enumeration or a member. Names and members come in pairs, in the class's order.
std::optional<Enumerations::Enumeration> Enumerations::enumeration(const Type &type, SourceSpan span) {
  if (!type.is(TypeKind::Object) && !type.isMember())
    return std::nullopt;
  const CapturedValue &found = compilation.members(type.handle());
  if (!found.type)
    return std::nullopt;
  Enumeration result{&type, found.items[part::Call].type->text(), {}, {}};
  for (size_t i = part::FirstPair; i < found.items.size(); ++i) {
    const std::vector<CapturedValue> &pair = found.items[i].items;
    result.names.push_back(pair[0].type->text());
    result.members.push_back(names.captured(pair[1], span, result.names.back()));
  }
  return result;
}

/// `for level in Level`: what Python would iterate over, which the resolver has found.
typed::Expr *Enumerations::membersOf(const Type &type, SourceSpan span) {
  if (!type.is(TypeKind::Object))
    return nullptr;
  const CapturedValue &found = compilation.members(type.handle());
  return found.type ? names.captured(found.items[part::Iterated], span, type.text()) : nullptr;
}

/// ~ of members of an IntFlag: the other flags. Python keeps extra bits for numbers beyond them.
/// `~Perm.R` is `Perm.W | Perm.X` to Python, and -5 to plain integers if R is 4: without the class, the result would be
/// wrong, so that it must be known while compiling.
typed::Expr *Enumerations::otherFlags(const CapturedValue &flags, typed::Expr *value, SourceSpan span) {
  const int64_t bits = flags.items[part::Bits].integer;
  const std::optional<int64_t> known = constantInteger(*value);
  if (!known || (*known & ~bits) != 0)
    tree.failUnsupported(span, "~ of flags that are known only at run time",
                         "combine them by ^ with all flags of the class");
  typed::Const *made = tree.integer(types::int64(), bits & ~*known, span);
  made->isLiteral = true;
  return made;
}

/// Level["HIGH"]; nullptr if it is not a member of an enumeration.
/// A name that is not there is an error here: Python would raise KeyError.
typed::Expr *Enumerations::memberNamed(const typed::Expr &value, const syntax::Subscript &expression) {
  const Type &type = *value.type;
  if (!type.is(TypeKind::Object) || !compilation.members(type.handle()).type)
    return nullptr;
  const typed::Expr &name = *whole.expr(*expression.index);
  if (!name.type->is(TypeKind::String))
    return nullptr;
  // Members' names have no dots: a dotted key would be an attribute path.
  const std::string_view key = name.type->text();
  const CapturedValue *member =
      key.find('.') == std::string_view::npos ? &compilation.attribute(type.handle(), key) : nullptr;
  if (!member || !member->type)
    tree.failTyping(expression.index->span, quoted(key) + " is no member of " + std::string(type.text()));
  return names.captured(*member, expression.span, key);
}

namespace {

bool isTrue(const typed::Expr &value) {
  return value.kind == typed::ExprKind::Const && value.as<typed::Const>().integer != 0;
}

} // namespace

/// The value is known at run time. Everything else, such as the name and attributes of the class, only for constants.
/// `level.name` needs the member itself, which a number at run time does not tell.
typed::Expr *Enumerations::memberAttribute(typed::Expr *value, const syntax::Attribute &expression) {
  const SourceSpan span = expression.span;
  if (expression.name == "value" || expression.name == "_value_")
    return members.valueOfMember(value, span);
  const std::optional<Enumeration> found = typed::isConstant(*value) ? enumeration(*value->type, span) : std::nullopt;
  for (size_t i = 0; found && i < found->members.size(); ++i) {
    if (!typed::isSameConstant(*value, *found->members[i]))
      continue;
    const std::string path = std::string(found->names[i]) + "." + std::string(expression.name);
    if (const CapturedValue &attribute = compilation.attribute(value->type->handle(), path); attribute.type)
      return names.captured(attribute, span, path);
  }
  if (!found)
    tree.fail(span, {.kind = CompileErrorKind::Typing,
                     .message = "of a member that is chosen at run time, kernels have only the value",
                     .found = value->type->name() + "." + std::string(expression.name),
                     .expected = "value"});
  failAttribute(tree, *value, expression, {"value", "name"});
}

namespace {

/// nullptr: there are no members, or they have several types.
const Type *typeOfValues(const Items &members) {
  const Type *type = members.empty() ? nullptr : members[0]->type;
  if (!std::ranges::all_of(members, [&](const typed::Expr *member) { return member->type == type; }))
    return nullptr;
  return type && type->isMember() ? type->items()[0] : type;
}

} // namespace

/// Level(x): the member with that value; nullptr if the callee is not an enumeration.
/// Also `Level(level)`, which is the member itself. A class with `_missing_` decides in Python which values it has.
typed::Expr *Enumerations::callEnumeration(const Type &classType, const Arguments &arguments) {
  const SourceSpan span = arguments.span;
  const std::optional<Enumeration> found = enumeration(classType, span);
  if (!found)
    return nullptr;
  const Enumeration &wanted = *found;
  const std::string name(classType.text());
  if (wanted.call == "own")
    tree.failTyping(span, quoted(name) + " cannot be called in a kernel: its class says itself which values it has",
                    "name its members: " + name + "[\"...\"]");
  if (arguments.positional.size() != 1 || !arguments.keywords.empty())
    tree.fail(span, {.kind = CompileErrorKind::Type,
                     .message = quoted(name) + " takes one value",
                     .found = counted(arguments.positional.size() + arguments.keywords.size(), "value")});
  typed::Expr *value = tree.unwrap(arguments.positional[0]);
  if (value->type->isMember() && !wanted.members.empty() && value->type == wanted.members[0]->type)
    return value;
  const Type *ofValue = typeOfValues(wanted.members);
  if (!ofValue || !ofValue->isRuntime())
    tree.failTyping(span, quoted(name) + " cannot be called in a kernel: its values are not of one type of run time",
                    "name its members: " + name + "[\"...\"]");
  const bool isComplex = value->type->isComplex() && !ofValue->isComplex();
  if (value->type->isMember() || isComplex || !tree.rules.canStore(value->type, ofValue))
    tree.failTyping(value->span, value->type->name() + " is no value of " + name);
  return tree.inBlock(span, [&] { return checkedMember(wanted, tree.materialize(value), span); });
}

/// Kernels compiled with debug check that the member exists, unless that is known at compile time.
/// Without debug, a number that is no value gives a value that equals no member. Of a Flag, each combination of its
/// bits is one.
typed::Expr *Enumerations::checkedMember(const Enumeration &wanted, typed::Expr *value, SourceSpan span) {
  const Type *type = wanted.members[0]->type, *ofValue = typeOfValues(wanted.members);
  Items tests;
  if (wanted.call == "numbers")
    tests.push_back(operators.comparison(syntax::Comparison::GreaterEqual, tree.clone(value),
                                         tree.integer(types::int64(), 0, span), span));
  uint64_t allFlags = 0;
  typed::Expr *isKnown = nullptr;
  for (typed::Expr *member : wanted.members) {
    typed::Expr *own = type->isMember() ? members.valueOfMember(member, span) : member;
    if (const std::optional<int64_t> flags = constantInteger(*own))
      allFlags |= uint64_t(*flags);
    typed::Expr *isThis = operators.comparison(syntax::Comparison::Equal, tree.clone(value), own, span);
    if (isThis->kind != typed::ExprKind::Const)
      tests.push_back(isThis);
    else if (isTrue(*isThis))
      isKnown = isThis;
  }
  typed::Expr *isAny = isKnown ? isKnown : characters.anyOf(tests, span);
  typed::Expr *converted = tree.convert(tree.clone(value), ofValue);
  if (wanted.call == "flags" && ofValue->isInt()) {
    typed::Expr *others = tree.integer(ofValue, int64_t(~allFlags), span);
    isAny = operators.comparison(syntax::Comparison::Equal,
                                 operators.binaryValue(BinaryOperator::And, tree.clone(converted), others, span),
                                 tree.integer(ofValue, 0, span), span);
  }
  const std::string message = "this is no value of " + std::string(wanted.classType->text());
  if (isAny->kind == typed::ExprKind::Const && !isTrue(*isAny))
    tree.fail(span, {.kind = CompileErrorKind::Value, .message = message});
  if (isAny->kind != typed::ExprKind::Const)
    tree.raiseWhere(operators.unaryValue(UnaryOperator::Not, isAny, span), message, span);
  return type->isMember() ? tree.tuple(type, {converted}, span) : converted;
}

} // namespace treadle
