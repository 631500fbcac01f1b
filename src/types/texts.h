// Texts and bytes, known while compiling or only at run time: what they are, and how long they may be.
#pragma once

#include "types/type.h"

namespace treadle {

namespace types {
/// Of elements, arguments and constant bytes: each is a value of its own in kernels.
inline constexpr size_t mostCharacters = 256;
} // namespace types

inline bool isText(const Type &type) { return type.is(TypeKind::String) || type.is(Series::Text); }
/// Of a text or bytes: a text.
inline bool isUnicode(const Type &type) { return type.is(TypeKind::String) || type.isUnicode(); }

} // namespace treadle
