// Buffer formats.
#include "python/types/buffer_format.h"

#include <cstring>

namespace treadle::python {

namespace {

NumberCode integer(size_t bytes, bool isSigned) {
  switch (bytes) {
  case 1:
    return isSigned ? NumberCode::Int8 : NumberCode::UInt8;
  case 2:
    return isSigned ? NumberCode::Int16 : NumberCode::UInt16;
  case 4:
    return isSigned ? NumberCode::Int32 : NumberCode::UInt32;
  case 8:
    return isSigned ? NumberCode::Int64 : NumberCode::UInt64;
  default:
    return NumberCode::None;
  }
}

} // namespace

NumberCode numberOfFormat(const char *format, size_t itemBytes) {
  if (!format)
    return itemBytes == 1 ? NumberCode::UInt8 : NumberCode::None;
  if (std::strchr("@=<|^", *format) && *format)
    ++format;
  if (!std::strcmp(format, "Zf"))
    return NumberCode::Complex64;
  if (!std::strcmp(format, "Zd"))
    return NumberCode::Complex128;
  if (!*format || format[1])
    return NumberCode::None;
  // The width of 'l' depends on the prefix, so the item's size decides.
  if (std::strchr("bhilqn", *format))
    return integer(itemBytes, true);
  if (std::strchr("BcHILQN", *format))
    return integer(itemBytes, false);
  switch (*format) {
  case '?':
    return NumberCode::Bool;
  case 'f':
    return NumberCode::Float32;
  case 'd':
    return NumberCode::Float64;
  case 'F':
    return NumberCode::Complex64;
  case 'D':
    return NumberCode::Complex128;
  default:
    return NumberCode::None;
  }
}

} // namespace treadle::python
