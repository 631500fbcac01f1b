// The only code that forms and parses symbols.
#include "math/routine_symbols.h"

#include <algorithm>
#include <iterator>

namespace treadle::math {

namespace {

constexpr std::string_view prefix = "treadle_vm_";
constexpr std::string_view fastSuffix = "_fast";
constexpr std::string_view isaNames[] = {"sse", "avx2", "avx512"};
constexpr std::string_view elementLetters = "fiu"; ///< by RoutineType::Element

/// Removes "_`word`" from the end of `text`, if it is there.
bool takeSuffix(std::string_view &text, std::string_view word) {
  if (!text.ends_with(word) || text.size() <= word.size() || text[text.size() - word.size() - 1] != '_')
    return false;
  text.remove_suffix(word.size() + 1);
  return true;
}

} // namespace

std::string routineSymbol(std::string_view name, RoutineType type, VectorIsa isa, bool fast) {
  return std::string(prefix) + std::string(name) + "_" + elementLetters[unsigned(type.element)] +
         std::to_string(type.bits) + "_" + std::string(isaNames[unsigned(isa)]) + std::string(fast ? fastSuffix : "");
}

std::optional<RoutineKey> parseSymbol(std::string_view symbol) {
  if (!symbol.starts_with(prefix))
    return std::nullopt;
  symbol.remove_prefix(prefix.size());
  RoutineKey key{};
  key.fast = takeSuffix(symbol, fastSuffix.substr(1));
  const auto *isa = std::ranges::find_if(isaNames, [&](std::string_view name) { return takeSuffix(symbol, name); });
  if (isa == std::end(isaNames))
    return std::nullopt;
  key.isa = static_cast<VectorIsa>(isa - isaNames);
  key.bits = takeSuffix(symbol, "f32") ? 32 : takeSuffix(symbol, "f64") ? 64 : 0;
  key.row = findMathRoutine(symbol);
  return key.bits && key.row ? std::optional(key) : std::nullopt;
}

} // namespace treadle::math
