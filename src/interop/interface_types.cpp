// Typestrings of the number types.
#include "interop/interface_types.h"

#include "interop/opaque_types.h"
#include "types/names/number_code.h"

#include <algorithm>
#include <charconv>

namespace treadle {

namespace {

/// The parts of a typestr: '<', 'f', 4. No bytes: invalid.
struct Typestr {
  char order = 0, kind = 0;
  size_t bytes = 0;
};

Typestr parse(std::string_view text) {
  const auto isOneOf = [](char letter, std::string_view letters) { return letters.find(letter) != letters.npos; };
  if (text.size() < 3 || !isOneOf(text[0], "<>|=") || !isOneOf(text[1], "tbiufcmMOSUV"))
    return {};
  Typestr parsed{text[0], text[1], 0};
  const std::string_view digits = text.substr(2, text.find('[', 2) - 2); // "<M8[ns]"
  const auto [stopped, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed.bytes);
  if (failure != std::errc() || stopped != digits.data() + digits.size())
    return {};
  return parsed;
}

} // namespace

std::string typestrOf(const Type *element) {
  if (element->isOpaque())
    return typestrOfOpaque(element);
  const NumberCode number = numberCode(element);
  const char kind = number == NumberCode::None ? 'V' : rowOf(number).letter;
  const char order = element->bytes() == 1 || kind == 'V' ? '|' : '<';
  return std::string{order, kind} + std::to_string(element->bytes());
}

/// Single bytes have no order, whatever the typestr says.
const Type *elementOfTypestr(std::string_view typestr) {
  const Typestr parsed = parse(typestr);
  const bool isOfBytes = parsed.bytes == 1 ? parsed.kind != 'U' : parsed.kind == 'S' || parsed.kind == 'V';
  if (!isOfBytes && parsed.order != '<' && parsed.order != '=')
    return nullptr;
  const std::string_view unit = typestr.substr(std::min(typestr.find('['), typestr.size()));
  const Type *const number = unit.empty() ? typeWith(parsed.kind, parsed.bytes) : nullptr;
  return number ? number : opaqueOfTypestr(parsed.kind, parsed.bytes, unit);
}

bool isTypestr(std::string_view typestr) { return parse(typestr).kind != 0; }

size_t opaqueBytes(std::string_view typestr) {
  const Typestr parsed = parse(typestr);
  return parsed.kind == 'V' ? parsed.bytes : 0;
}

} // namespace treadle
