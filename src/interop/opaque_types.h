// Element types that arrays can hold but kernels cannot use, for which protocols have a number or a name.
#pragma once

#include "border/dlpack_abi.h"
#include "support/export.h"

#include <optional>
#include <string>
#include <string_view>

namespace treadle {

class Type;

/// By their name in NumPy or ml_dtypes: "bfloat16", "float8_e4m3fn". Null for others.
TREADLE_API const Type *opaqueNamed(std::string_view name);

/// By a typestr's kind and the number after it: 'S' 5 (bytes), 'U' 3 (characters of 4 bytes), 'V' 7, 'M' and 'm' 8 with
/// a unit such as "[ns]". Null where NumPy has no such type.
const Type *opaqueOfTypestr(char kind, size_t number, std::string_view unit);
/// "<M8[ns]", "|S5": the inverse. Types of ml_dtypes are "<V2" and "|V1", as ml_dtypes itself spells them.
std::string typestrOfOpaque(const Type *element);

/// Those of less than 8 bits occupy a byte each, and must be `isPadded` to. Null: there is none.
const Type *opaqueOfTensor(const dlpack::DataType &type, bool isPadded);
/// Nothing: DLPack has no such type.
std::optional<dlpack::DataType> tensorTypeOfOpaque(const Type *element);
/// Null: it is none of them.
const char *nameOfOpaque(const dlpack::DataType &type);

} // namespace treadle
