// Typestrings of the number types.
#include "interop/interface_types.h"

#include "interop/opaque_types.h"
#include "types/type.h"

#include <algorithm>
#include <charconv>

namespace treadle {

namespace {

/// What stands in a typestr: '<', 'f', 4. No bytes: the text is none.
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

const Type *numberOf(char kind, size_t bytes) {
  const bool isWidth = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  switch (kind) {
  case 'b':
    return bytes == 1 ? types::boolean() : nullptr;
  case 'i':
  case 'u':
    return isWidth ? types::integer(unsigned(bytes * 8), kind == 'i') : nullptr;
  case 'f':
    return bytes == 2 || bytes == 4 || bytes == 8 ? types::floating(unsigned(bytes * 8)) : nullptr;
  case 'c':
    return bytes == 8 ? types::complex64() : bytes == 16 ? types::complex128() : nullptr;
  default:
    return nullptr;
  }
}

char kindOf(const Type *element) {
  switch (element->kind()) {
  case TypeKind::Bool:
    return 'b';
  case TypeKind::Int:
    return element->isSigned() ? 'i' : 'u';
  case TypeKind::Float:
    return 'f';
  case TypeKind::Complex:
    return 'c';
  default:
    return 'V';
  }
}

} // namespace

std::string typestrOf(const Type *element) {
  if (element->isOpaque())
    return typestrOfOpaque(element);
  const char kind = kindOf(element);
  const char order = element->bytes() == 1 || kind == 'V' ? '|' : '<';
  return std::string{order, kind} + std::to_string(element->bytes());
}

/// Bytes have no order, whatever they say of it.
const Type *elementOfTypestr(std::string_view typestr) {
  const Typestr parsed = parse(typestr);
  const bool isOfBytes = parsed.bytes == 1 ? parsed.kind != 'U' : parsed.kind == 'S' || parsed.kind == 'V';
  if (!isOfBytes && parsed.order != '<' && parsed.order != '=')
    return nullptr;
  const std::string_view unit = typestr.substr(std::min(typestr.find('['), typestr.size()));
  const Type *const number = unit.empty() ? numberOf(parsed.kind, parsed.bytes) : nullptr;
  return number ? number : opaqueOfTypestr(parsed.kind, parsed.bytes, unit);
}

bool isTypestr(std::string_view typestr) { return parse(typestr).kind != 0; }

size_t opaqueBytes(std::string_view typestr) {
  const Typestr parsed = parse(typestr);
  return parsed.kind == 'V' ? parsed.bytes : 0;
}

} // namespace treadle
