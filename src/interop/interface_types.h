// How the CUDA Array Interface, as NumPy's array interface, spells the types of elements.
#pragma once

#include "support/export.h"

#include <string>
#include <string_view>

namespace treadle {

class Type;

/// "<f4", "|b1", "<M8[ns]": byte order, kind, bytes. "|V12" for records, whose fields only a `descr` can give, and
/// "<V2" for bfloat16, which only its owner's dtype can identify.
TREADLE_API std::string typestrOf(const Type *element);

/// Null: not an element type, or in another byte order than this machine's.
TREADLE_API const Type *elementOfTypestr(std::string_view typestr);

/// Whether the text has the form of a typestr, meaningful or not.
TREADLE_API bool isTypestr(std::string_view typestr);

/// "|V12" as 12; 0 for other kinds.
TREADLE_API size_t opaqueBytes(std::string_view typestr);

} // namespace treadle
