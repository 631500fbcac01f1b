// Formats of the buffer protocol, and types, as codes.
#include "types/names/number_code.h"

#include "support/error.h"

#include <cstring>

namespace treadle {

NumberCode numberOfFormat(const char *format, size_t itemBytes) {
  if (!format)
    return itemBytes == 1 ? NumberCode::UInt8 : NumberCode::None;
  if (*format && std::strchr("@=<|^", *format))
    ++format;
  const bool isComplex = *format == 'Z';
  if (isComplex)
    ++format;
  if (!*format || format[1])
    return NumberCode::None;
  // NumPy has no characters for bytes, ssize_t and size_t.
  const char character = *format == 'c' ? 'B' : *format == 'n' ? 'l' : *format == 'N' ? 'L' : *format;
  const char letter = rowOf(numberOfCharacter(character)).letter;
  if (letter == 0 || (isComplex && letter != 'f'))
    return NumberCode::None;
  // The width of 'l' depends on the prefix, so the item's size decides.
  return numberWith(isComplex ? 'c' : letter, itemBytes);
}

const Type *typeOf(NumberCode code) {
  const NumberRow &row = rowOf(code);
  const unsigned bits = row.bytes * 8u;
  switch (row.kind) {
  case TypeKind::Bool:
    return types::boolean();
  case TypeKind::Int:
    return types::integer(bits, row.letter == 'i');
  case TypeKind::Float:
    return types::floating(bits);
  case TypeKind::Complex:
    return types::complex(bits);
  default:
    return types::none();
  }
}

NumberCode numberCode(const Type *type) {
  if (!type->isNumber())
    return NumberCode::None;
  const char letter = type->isBool()      ? 'b'
                      : type->isFloat()   ? 'f'
                      : type->isComplex() ? 'c'
                      : type->isSigned()  ? 'i'
                                          : 'u';
  const NumberCode code = numberWith(letter, type->bytes());
  TREADLE_CHECK(code != NumberCode::None);
  return code;
}

const Type *typeWith(char letter, size_t bytes) {
  const NumberCode code = numberWith(letter, bytes);
  return code == NumberCode::None ? nullptr : typeOf(code);
}

} // namespace treadle
