// NumberRules: conversions: merges, stores, and the ranks of overload resolution.
#include "support/utf8.h"
#include "types/number_rules.h"
#include "types/number_sets.h"
#include "types/texts.h"

#include <algorithm>
#include <vector>

namespace treadle {

using namespace number_sets;

namespace {

/// Array types of one element type and number of axes unify to the layout that covers both.
const Type *unifyArrays(const Type *left, const Type *right) {
  if (left->element() != right->element() || left->ndim() != right->ndim())
    return nullptr;
  Space space = left->space();
  if (space != right->space()) {
    if (space == Space::Local || right->space() == Space::Local)
      return nullptr;
    space = Space::Generic;
  }
  Layout layout = left->layout() == right->layout() ? left->layout() : Layout::Any;
  return types::array(left->element(), {left->ndim(), layout, left->isReadOnly() || right->isReadOnly(), space,
                                        left->isUnaligned() || right->isUnaligned()});
}

const Type *unifyTuples(const NumberRules &rules, const Type *left, const Type *right) {
  if (left->items().size() != right->items().size() || left->handle() != right->handle() ||
      left->text() != right->text())
    return nullptr;
  std::vector<const Type *> items;
  for (size_t i = 0; i < left->items().size(); ++i) {
    const Type *item = rules.unify(left->items()[i], right->items()[i]);
    if (!item)
      return nullptr;
    items.push_back(item);
  }
  if (left->itemNames().empty() != right->itemNames().empty())
    return nullptr;
  if (left->itemNames().empty() && left->handle() == 0)
    return types::tuple(items);
  return types::namedTuple(left->handle(), left->text(), items, left->itemNames());
}

/// The type of texts of a constant's characters.
const Type *runtimeText(const Type *type) {
  return type->is(TypeKind::String) ? types::text(true, characterCount(type->text())) : type;
}

/// The longer one; nullptr for a text and bytes, and for lengths that are only possible at compile time.
const Type *unifyTexts(const Type *left, const Type *right) {
  left = runtimeText(left);
  right = runtimeText(right);
  const size_t longest = std::max(left->items().size(), right->items().size());
  if (isUnicode(*left) != isUnicode(*right) || longest > types::mostCharacters)
    return nullptr;
  return left->items().size() < right->items().size() ? right : left;
}

} // namespace

const Type *NumberRules::unify(const Type *left, const Type *right) const {
  if (left == right)
    return left;
  if (left->isNumber() && right->isNumber())
    return promoted(left, right);
  if (isText(*left) && isText(*right))
    return unifyTexts(left, right);
  if (!left->isRuntime() || !right->isRuntime())
    return nullptr;
  if (left->isNone() || right->isNone())
    return types::optional(left->isNone() ? right : left);
  if (left->isOptional() || right->isOptional()) {
    const Type *value =
        unify(left->isOptional() ? left->element() : left, right->isOptional() ? right->element() : right);
    return value ? types::optional(value) : nullptr;
  }
  if (left->isArray() && right->isArray())
    return unifyArrays(left, right);
  return left->isTuple() && right->isTuple() ? unifyTuples(*this, left, right) : nullptr;
}

namespace {

Conversion integerConversion(const Type *from, const Type *to) {
  if (from->isSigned() == to->isSigned())
    return from->bits() <= to->bits() ? Conversion::Promote : Conversion::Unsafe;
  return to->isSigned() && from->bits() < to->bits() ? Conversion::Safe : Conversion::Unsafe;
}

Conversion numberConversion(const Type *from, const Type *to) {
  if (from->isBool())
    return Conversion::Safe;
  if (to->isBool())
    return from->isComplex() ? Conversion::None : Conversion::Unsafe;
  if (from->isInt() && to->isInt())
    return integerConversion(from, to);
  if (from->isComplex() || (from->isFloat() && to->isFloat())) {
    if (!to->isComplex() && from->isComplex())
      return Conversion::None;
    return from->bits() <= to->bits() ? Conversion::Promote : Conversion::Unsafe;
  }
  unsigned part = to->isComplex() ? to->bits() / 2 : to->bits();
  if (from->isFloat())
    return to->isComplex() && from->bits() <= part ? Conversion::Safe : Conversion::Unsafe;
  // Integers to floats: Numba also ranks 64-bit integers to float64 as safe.
  return part == 64 || from->bits() < part ? Conversion::Safe : Conversion::Unsafe;
}

Conversion arrayConversion(const Type *from, const Type *to) {
  bool fits = from->element() == to->element() && from->ndim() == to->ndim() &&
              (to->layout() == Layout::Any || to->layout() == from->layout()) &&
              (to->isReadOnly() || !from->isReadOnly()) && (to->isUnaligned() || !from->isUnaligned());
  return fits ? Conversion::Safe : Conversion::None;
}

Conversion tupleConversion(const Type *from, const Type *to) {
  if (from->items().size() != to->items().size())
    return Conversion::None;
  // A range does not convert to a tuple of three, nor a count of seconds to one of days.
  const bool areOfOneKind = from->handle() == to->handle() && from->text() == to->text();
  if ((!from->isPlainTuple() || !to->isPlainTuple()) && !areOfOneKind)
    return Conversion::None;
  Conversion worst = Conversion::Exact;
  for (size_t i = 0; i < from->items().size(); ++i)
    worst = std::max(worst, NumberRules::conversion(from->items()[i], to->items()[i]));
  return worst;
}

} // namespace

Conversion NumberRules::conversion(const Type *from, const Type *to) {
  if (from == to)
    return Conversion::Exact;
  if (from->isNumber() && to->isNumber())
    return numberConversion(from, to);
  if (to->isOptional()) {
    if (from->isNone())
      return Conversion::Promote;
    Conversion value = conversion(from->isOptional() ? from->element() : from, to->element());
    return value == Conversion::None ? value : std::max(value, Conversion::Safe);
  }
  if (from->isArray() && to->isArray())
    return arrayConversion(from, to);
  if (isText(*from) && to->is(Series::Text))
    return unifyTexts(from, to) == to ? Conversion::Safe : Conversion::None;
  return from->isTuple() && to->isTuple() ? tupleConversion(from, to) : Conversion::None;
}

namespace {

/// On the CPU device the lanes of a warp interleave their local arrays, element by element: other arrays do not become
/// local, and local ones become others only with strides of their own.
bool staysLocal(const Type *from, const Type *to) {
  if (from->isArray() && to->isArray())
    return (from->space() == Space::Local) == (to->space() == Space::Local) ||
           (to->space() != Space::Local && (to->layout() == Layout::Any || to->ndim() == 0));
  if (to->isOptional() && !from->isNone())
    return staysLocal(from->isOptional() ? from->element() : from, to->element());
  for (size_t i = 0; i < std::min(from->items().size(), to->items().size()); ++i)
    if (!staysLocal(from->items()[i], to->items()[i]))
      return false;
  return true;
}

} // namespace

bool NumberRules::canStore(const Type *from, const Type *to) const {
  if (from->isOptional() && !to->isOptional())
    return canStore(from->element(), to);
  return conversion(from, to) != Conversion::None && staysLocal(from, to);
}

bool NumberRules::losesInformation(const Type *from, const Type *to) {
  if (from == to || !from->isNumber() || !to->isNumber() || from->isBool())
    return false;
  if (to->isBool() || (from->isComplex() && !to->isComplex()))
    return true;
  if (from->isInt() && to->isInt())
    return integerConversion(from, to) == Conversion::Unsafe;
  if (to->isInt())
    return true;
  unsigned toPart = to->isComplex() ? to->bits() / 2 : to->bits();
  unsigned fromPart = from->isComplex() ? from->bits() / 2 : from->bits();
  return fromPart > toPart;
}

} // namespace treadle
