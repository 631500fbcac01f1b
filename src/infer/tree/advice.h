// Advice: message texts for common mistakes.
#pragma once

#include "types/type.h"

#include <string>
#include <string_view>

namespace treadle {

/// A list display is a tuple in kernels.
inline constexpr std::string_view insteadOfLists =
    "kernels have no lists that change, and so no append(): assign to elements of an array, such as "
    "x = cuda.local.array(n, float64), and count them";

/// The names of number types and dtypes.
inline constexpr std::string_view numberTypes[] = {"bool",    "int8",    "uint8",     "int16",     "uint16",
                                                   "int32",   "uint32",  "int64",     "uint64",    "float16",
                                                   "float32", "float64", "complex64", "complex128"};

/// What to write for an undefined name that Treadle, CUDA Python, math or NumPy defines; "" for others.
std::string insteadOfBareName(std::string_view name);

/// How to use a function whose name is used as a value; "" for other types.
std::string useOfFunction(const Type &type);

/// The alternative to a method that values of that type lack in kernels, or "".
std::string insteadOfMethod(const Type &type, std::string_view method);

/// The alternative to a NumPy function that kernels lack, or "".
std::string insteadOfFunction(std::string_view key);

} // namespace treadle
