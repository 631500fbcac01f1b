// Formats of the buffer protocol as number types.
#include "launch/number_code.h"

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

} // namespace treadle
