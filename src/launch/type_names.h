// The names under which types are known: Numba's long and short ones.
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

/// All names, several of them for one type. Digits of short names count bytes: f4 is float32.
TREADLE_API std::span<const TypeName> typeNames();

/// nullptr where no type has that name.
TREADLE_API const Type *typeNamed(std::string_view name);

/// A number type by a dtype's name, its character, or a type's name, behind a sign of this machine's byte order or
/// none; nullptr where it has no number's name that needs no NumPy.
TREADLE_API const Type *numberNamed(std::string_view dtype);

/// Why there is no type of that name, as a sentence for users.
TREADLE_API std::string whyNoType(std::string_view name);

} // namespace treadle
