// printf directives, in which inference, the generators and the runtime describe how print() shows a value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace treadle::printing {

/// The conversion letters. Python's formats share those of the first two lists, with the same meaning; the other two
/// stand where Python needs no letter.
constexpr std::string_view integerLetters = "dxXo", floatLetters = "fFeEgG";
constexpr char unsignedLetter = 'u', textLetter = 's';

constexpr bool isIn(std::string_view letters, char letter) { return letters.find(letter) != letters.npos; }
constexpr bool isOfFloat(char letter) { return isIn(floatLetters, letter); }
/// Of 64-bit integers.
constexpr bool isOfInteger(char letter) { return isIn(integerLetters, letter) || letter == unsignedLetter; }
constexpr bool isLetter(char letter) { return isOfFloat(letter) || isOfInteger(letter) || letter == textLetter; }

/// How print() shows a value without a format.
enum class Shown { Signed, Unsigned, Float, Text };
constexpr char usualLetter(Shown shown) {
  constexpr char letters[] = {integerLetters[0], unsignedLetter, floatLetters[0], textLetter};
  return letters[size_t(shown)];
}

/// The length of the directive at the beginning of the text, which may be "%%", a percent sign.
constexpr size_t directiveLength(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && text[length] != '%' && !isLetter(text[length]))
    ++length;
  return length + 1;
}

/// The directive as printf needs it: integers have 64 bits.
inline std::string withLength(std::string_view directive) {
  std::string whole(directive);
  if (isOfInteger(whole.back()))
    whole.insert(whole.size() - 1, "ll");
  return whole;
}

/// Text that printf prints literally.
inline std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text)
    made += c == '%' ? std::string("%%") : std::string(1, c);
  return made;
}

} // namespace treadle::printing
