// The names of types: Numba's long and short ones.
#pragma once

#include "support/export.h"
#include "types/type.h"

#include <span>
#include <string>
#include <string_view>

namespace treadle {

struct TypeName {
  std::string_view name;
  const Type *type;
};

/// All names; a type may have several. Digits of short names count bytes: f4 is float32.
TREADLE_API std::span<const TypeName> typeNames();

/// nullptr if no type has that name.
TREADLE_API const Type *typeNamed(std::string_view name);

/// A number type by a dtype's name or character, or by a type's name, optionally after a sign of the native byte order;
/// nullptr for anything else, such as names that only NumPy knows.
TREADLE_API const Type *numberNamed(std::string_view dtype);

} // namespace treadle
