// Collects the typed positions of a function.
#include "typed/expression_types.h"

#include <fmt/core.h>
#include <set>
#include <tuple>

namespace treadle {

using namespace typed;

std::string expressionTypes(const TypedFunction &function) {
  std::set<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, std::string>> places;
  auto add = [&places](const SourceSpan &span, const Type *type) {
    if (span.isKnown() && span.origin == 0)
      places.emplace(span.line, span.column, span.endLine, span.endColumn, type->name());
  };
  for (const Slot *slot : function.slots)
    if (!slot->name.empty())
      add(slot->span, slot->type);
  for (const PlaceType &place : function.places)
    add(place.span, place.type);
  std::string text;
  for (const auto &[line, column, endLine, endColumn, type] : places)
    text += fmt::format("{} {} {} {} {}\n", line, column, endLine, endColumn, type);
  return text;
}

} // namespace treadle
