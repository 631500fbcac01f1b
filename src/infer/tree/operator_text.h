// Operators as written in the source.
// For messages. The texts are in the order of the enumerators.
#pragma once

#include "syntax/syntax.h"
#include "types/number_rules.h"

#include <string_view>

namespace treadle {

constexpr std::string_view operatorText(BinaryOperator op) {
  constexpr std::string_view texts[] = {"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"};
  return texts[unsigned(op)];
}

constexpr std::string_view operatorText(UnaryOperator op) {
  constexpr std::string_view texts[] = {"-", "+", "~", "not"};
  return texts[unsigned(op)];
}

constexpr std::string_view operatorText(CompareOperator op) {
  constexpr std::string_view texts[] = {"==", "!=", "<", "<=", ">", ">="};
  return texts[unsigned(op)];
}

constexpr std::string_view operatorText(syntax::Comparison op) {
  constexpr std::string_view texts[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
  return texts[unsigned(op)];
}

} // namespace treadle
