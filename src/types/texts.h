// Texts and bytes, known while compiling or only at run time: what they are, and how long they may be.
#pragma once

#include "types/type.h"

namespace treadle {

namespace types {
/// The limit for elements, arguments and constant bytes: each character is a separate value in kernels.
inline constexpr size_t mostCharacters = 256;
} // namespace types

inline bool isText(const Type &type) { return type.is(TypeKind::String) || type.is(Series::Text); }
/// Precondition: a text or bytes. True for a text.
inline bool isUnicode(const Type &type) { return type.is(TypeKind::String) || type.isUnicode(); }

} // namespace treadle
