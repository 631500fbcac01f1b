// Members of enumerations as values: their numbers, flags, and what their classes say of truth and equality.
#include "infer/values/members.h"
#include "infer/tree/operator_text.h"
#include "infer/values/sequences.h"

#include <algorithm>

namespace treadle {

/// A member is a tuple of one item, its value, whose type has the class.
typed::Expr *Members::valueOfMember(typed::Expr *member, SourceSpan span) {
  return member->kind == typed::ExprKind::Tuple ? member->as<typed::Tuple>().items[0] : tree.item(member, 0, span);
}

/// Members of different classes are never equal, nor equal to anything else.
/// Python's Enum has no order. Those of IntEnum are integers in kernels and do not come here.
typed::Expr *Members::compareMembers(CompareOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  const bool isEquality = op == CompareOperator::Equal || op == CompareOperator::NotEqual;
  const auto isScalar = [](const Type *type) { return type->isNumber() || type->isTuple() || !type->isRuntime(); };
  if (!isEquality || areElementwise({left, right}) || !isScalar(left->type) || !isScalar(right->type))
    tree.failOperands(operatorText(op), *left, *right, span);
  if (left->type != right->type)
    return tree.after({left, right}, tree.boolean(op == CompareOperator::NotEqual, span));
  return whole.compareValues(op, valueOfMember(left, span), valueOfMember(right, span), span);
}

/// `|`, `&` and `^` of members of one enum.Flag.
/// Other operators are not defined for Flag. The result is a combination of members, which need not be a member itself.
typed::Expr *Members::combineFlags(BinaryOperator op, typed::Expr *left, typed::Expr *right, SourceSpan span) {
  if (op != BinaryOperator::Or && op != BinaryOperator::And && op != BinaryOperator::Xor)
    tree.failOperands(operatorText(op), *left, *right, span);
  const Type *type = left->type;
  typed::Expr *value = whole.binaryValue(op, valueOfMember(left, span), valueOfMember(right, span), span);
  return tree.tuple(type, {tree.convert(value, type->items()[0])}, span);
}

/// The enumeration that the value is a member of; nullptr if none, or if it is no longer known to be a member.
/// Of a constant that is an object, its class is asked; a member that became a plain value is not recognised.
const CapturedValue *Members::enumerationOf(const Type &type) {
  uint64_t handle = type.isMember() ? type.handle() : 0;
  if (type.is(TypeKind::Object)) {
    const Type *classType = compilation.attribute(type.handle(), "__class__").type;
    handle = classType && classType->is(TypeKind::Object) ? classType->handle() : 0;
  }
  const CapturedValue *found = handle ? &compilation.members(handle) : nullptr;
  return found && found->type ? found : nullptr;
}

/// The class itself is the first of its bases.
bool derivesFrom(const CapturedValue &enumeration, const Type *classType) {
  const std::vector<CapturedValue> &bases = enumeration.items[part::Bases].items;
  return std::ranges::any_of(bases, [&](const CapturedValue &base) { return base.type == classType; });
}

std::string_view Members::seenAs(const Type &classType) {
  const CapturedValue &found = compilation.members(classType.handle());
  return found.type ? found.items[part::SeenAs].type->text() : std::string_view();
}

namespace {

bool says(std::string_view own, std::string_view what) { return own.find(what) != std::string_view::npos; }

} // namespace

/// A class may define `__bool__` or `__len__`, which Python would call: the answer is not known to kernels.
void Members::checkTruth(const typed::Expr &value) {
  const CapturedValue *of = value.type->is(TypeKind::Object) ? enumerationOf(*value.type) : nullptr;
  if (of && says(of->items[part::Own].type->text(), "truth"))
    failOwn(value, "whether it is true", "compare its `value`");
}

/// For members of classes with their own `__eq__`, and of those that derive from a str, for example.
/// "data": a member of a class that derives from str equals that str as well, so only members of one class compare
/// safely.
void Members::checkEquality(const typed::Expr &left, const typed::Expr &right) {
  for (const typed::Expr *value : {&left, &right}) {
    const CapturedValue *of = value->type->is(TypeKind::Object) ? enumerationOf(*value->type) : nullptr;
    const std::string_view own = of ? of->items[part::Own].type->text() : std::string_view();
    const auto isSameClass = [&] { return enumerationOf(*left.type) == enumerationOf(*right.type); };
    if (says(own, "equality") || (says(own, "data") && !isSameClass()))
      failOwn(*value, "what it is equal to", "compare its `value`, or use `is`");
  }
}

/// The found text names the member, which is a constant.
void Members::failOwn(const typed::Expr &value, std::string_view what, std::string_view remedy) {
  tree.fail(value.span,
            {.kind = CompileErrorKind::Typing,
             .message = "the class of this member says itself " + std::string(what) + ", which kernels cannot ask",
             .found = std::string(value.type->text()),
             .remedy = std::string(remedy)});
}

} // namespace treadle
