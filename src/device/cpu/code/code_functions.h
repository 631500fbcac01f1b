// The functions of this process that generated code calls.
#pragma once

#include <string_view>

namespace treadle::cpu {

/// The address of a symbol of border/code_symbols.h, or of a vector math routine; null: there is no such symbol. Throws
/// Error if the library of the routine is missing.
const void *codeAddress(std::string_view symbol);

} // namespace treadle::cpu
