// The number types of arguments and array elements: a code for each, and their names in NumPy and the struct module.
#pragma once

#include "support/export.h"
#include "types/type.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace treadle {

enum class NumberCode : uint8_t {
  Bool,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float16,
  Float32,
  Float64,
  Complex64,
  Complex128,
  None,
  Other, ///< only for array elements that are not numbers: see the type
};

struct NumberRow {
  NumberCode code;
  TypeKind kind;
  uint8_t bytes;
  char letter; ///< of NumPy's typestrings, before the number of bytes: b, i, u, f or c
};

/// In the order of the codes.
inline constexpr NumberRow numberRows[] = {
    {NumberCode::Bool, TypeKind::Bool, 1, 'b'},         {NumberCode::Int8, TypeKind::Int, 1, 'i'},
    {NumberCode::UInt8, TypeKind::Int, 1, 'u'},         {NumberCode::Int16, TypeKind::Int, 2, 'i'},
    {NumberCode::UInt16, TypeKind::Int, 2, 'u'},        {NumberCode::Int32, TypeKind::Int, 4, 'i'},
    {NumberCode::UInt32, TypeKind::Int, 4, 'u'},        {NumberCode::Int64, TypeKind::Int, 8, 'i'},
    {NumberCode::UInt64, TypeKind::Int, 8, 'u'},        {NumberCode::Float16, TypeKind::Float, 2, 'f'},
    {NumberCode::Float32, TypeKind::Float, 4, 'f'},     {NumberCode::Float64, TypeKind::Float, 8, 'f'},
    {NumberCode::Complex64, TypeKind::Complex, 8, 'c'}, {NumberCode::Complex128, TypeKind::Complex, 16, 'c'},
    {NumberCode::None, TypeKind::None, 0, 0},
};
static_assert([] {
  for (size_t i = 0; i < std::size(numberRows); ++i)
    if (size_t(numberRows[i].code) != i)
      return false;
  return std::size(numberRows) == size_t(NumberCode::None) + 1;
}());

/// Not of Other.
constexpr const NumberRow &rowOf(NumberCode code) { return numberRows[size_t(code)]; }

/// None if there is no such number type.
constexpr NumberCode numberWith(char letter, size_t bytes) {
  for (const NumberRow &row : numberRows)
    if (row.letter == letter && row.bytes == bytes)
      return row.code;
  return NumberCode::None;
}

/// NumPy's characters in the order of its type numbers, on 64-bit Linux. The struct module's codes are among them.
struct NumberCharacter {
  char character;
  NumberCode code;
};
inline constexpr NumberCharacter numberCharacters[] = {
    {'?', NumberCode::Bool},    {'b', NumberCode::Int8},  {'B', NumberCode::UInt8},     {'h', NumberCode::Int16},
    {'H', NumberCode::UInt16},  {'i', NumberCode::Int32}, {'I', NumberCode::UInt32},    {'l', NumberCode::Int64},
    {'L', NumberCode::UInt64},  {'q', NumberCode::Int64}, {'Q', NumberCode::UInt64},    {'f', NumberCode::Float32},
    {'d', NumberCode::Float64}, {'g', NumberCode::None},  {'F', NumberCode::Complex64}, {'D', NumberCode::Complex128},
};

/// None for characters of types that kernels do not accept.
constexpr NumberCode numberOfCharacter(char character) {
  for (const NumberCharacter &row : numberCharacters)
    if (row.character == character)
      return row.code;
  return character == 'e' ? NumberCode::Float16 : NumberCode::None;
}

/// By NumPy's type number; None for dtypes that kernels do not accept.
constexpr NumberCode numberOfNumpyType(int typeNumber) {
  constexpr int half = 23; // all others of the table precede NumPy's non-numeric types
  if (typeNumber == half)
    return NumberCode::Float16;
  return typeNumber >= 0 && size_t(typeNumber) < std::size(numberCharacters) ? numberCharacters[typeNumber].code
                                                                             : NumberCode::None;
}

/// By the format of a buffer, in codes of the struct module; null: bytes. None for formats that kernels do not accept.
TREADLE_API NumberCode numberOfFormat(const char *format, size_t itemBytes);

TREADLE_API const Type *typeOf(NumberCode code);
/// The code of a number type; None for anything else.
TREADLE_API NumberCode numberCode(const Type *type);
/// Null if there is no such number type.
TREADLE_API const Type *typeWith(char letter, size_t bytes);

} // namespace treadle
