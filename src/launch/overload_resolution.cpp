// Ranks signatures by the conversions that their arguments need.
#include "launch/overload_resolution.h"

#include "support/error.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace treadle {

namespace {

/// The numbers of unsafe, safe and promoting conversions, compared in that order.
using Rating = std::array<unsigned, 3>;

Conversion arrayConversion(const Type *from, const Type *to) {
  if (!from->isArray() || from->element() != to->element() || from->ndim() != to->ndim())
    return Conversion::None;
  if ((from->isReadOnly() && !to->isReadOnly()) || (from->isUnaligned() && !to->isUnaligned()))
    return Conversion::None;
  if (from->layout() != to->layout() && to->layout() != Layout::Any)
    return Conversion::None;
  const bool isSame = from->layout() == to->layout() && from->isReadOnly() == to->isReadOnly() &&
                      from->isUnaligned() == to->isUnaligned();
  return isSame ? Conversion::Exact : Conversion::Safe;
}

Conversion tupleConversion(const Type *from, const Type *to) {
  if (!from->isTuple() || from->items().size() != to->items().size())
    return Conversion::None;
  if (!to->itemNames().empty() && (from->handle() != to->handle() || from->text() != to->text()))
    return Conversion::None;
  if ((!from->isPlainTuple() || !to->isPlainTuple()) && from != to) // dates and durations in other units, texts
    return Conversion::None;
  Conversion worst = Conversion::Exact;
  for (size_t i = 0; i < from->items().size(); ++i)
    worst = std::max(worst, conversionOf(from->items()[i], to->items()[i]));
  return worst;
}

std::optional<Rating> rate(std::span<const Type *const> arguments, const Signature &candidate) {
  if (arguments.size() != candidate.arguments.size())
    return std::nullopt;
  Rating rating{};
  for (size_t i = 0; i < arguments.size(); ++i) {
    switch (conversionOf(arguments[i], candidate.arguments[i])) {
    case Conversion::Exact:
      break;
    case Conversion::Promote:
      ++rating[2];
      break;
    case Conversion::Safe:
      ++rating[1];
      break;
    case Conversion::Unsafe:
      ++rating[0];
      break;
    case Conversion::None:
      return std::nullopt;
    }
  }
  return rating;
}

std::string typeList(std::span<const Type *const> types) {
  std::string text;
  for (const Type *type : types)
    text += (text.empty() ? "" : ", ") + type->name();
  return "(" + text + ")";
}

[[noreturn]] void fail(const std::string &message) { throw UsageError(UsageError::Kind::Type, message); }

std::string listing(std::span<const Signature *const> candidates, std::span<const size_t> which) {
  std::string text;
  for (const size_t index : which)
    text += "\n  " + candidates[index]->name();
  return text;
}

} // namespace

Conversion conversionOf(const Type *from, const Type *to) {
  if (from == to)
    return Conversion::Exact;
  if (to->isOptional()) {
    if (from->isNone())
      return Conversion::Promote;
    const Conversion inner = conversionOf(from->isOptional() ? from->element() : from, to->element());
    return std::max(inner, Conversion::Promote);
  }
  if (to->isArray())
    return arrayConversion(from, to);
  if (to->isTuple())
    return tupleConversion(from, to);
  return from->isNumber() && to->isNumber() ? NumberRules::conversion(from, to) : Conversion::None;
}

size_t resolveOverload(std::string_view function, std::span<const Type *const> arguments,
                       std::span<const Signature *const> candidates) {
  std::optional<Rating> best;
  std::vector<size_t> cheapest, all;
  for (size_t i = 0; i < candidates.size(); ++i) {
    all.push_back(i);
    const std::optional<Rating> rating = rate(arguments, *candidates[i]);
    if (!rating || (best && *rating > *best))
      continue;
    if (!best || *rating < *best)
      cheapest.clear();
    best = rating;
    cheapest.push_back(i);
  }
  if (!best)
    fail("No matching definition of " + std::string(function) + " for argument types " + typeList(arguments) +
         "; it was compiled for" + listing(candidates, all));
  if (cheapest.size() > 1)
    fail("Ambiguous overloading of " + std::string(function) + " for argument types " + typeList(arguments) +
         ": these fit equally well" + listing(candidates, cheapest));
  return cheapest.front();
}

} // namespace treadle
