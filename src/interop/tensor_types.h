// Element types in DLPack's terms.
#pragma once

#include "border/dlpack_abi.h"
#include "support/export.h"

#include <optional>
#include <string>

namespace treadle {

class Type;

/// Nothing for elements that DLPack does not have: records, texts, dates.
TREADLE_API std::optional<dlpack::DataType> tensorTypeOf(const Type *element);
/// Null for those that arrays cannot have. `isPadded`: those of less than 8 bits occupy a byte each.
TREADLE_API const Type *elementOfTensor(const dlpack::DataType &type, bool isPadded = false);
/// "float16", "8 lanes of uint8", "type code 7 of 8 bits".
TREADLE_API std::string nameOf(const dlpack::DataType &type);
/// "kDLCUDA 1", for error messages.
TREADLE_API std::string nameOf(const dlpack::Device &device);

} // namespace treadle
