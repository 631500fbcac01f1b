// The one table of math functions: names, libdevice's symbols, CUDA's error bounds.
#pragma once

#include "builtins/operation.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace treadle::codegen {

/// One function of `math`. Distances count representable steps from the correctly rounded result; 0 is exact.
struct MathFunction {
  Operation operation;
  std::string_view name; ///< C's name of the float64 function
  uint8_t operands;
  /// CUDA's bounds, which neither device exceeds (none are stated for fastMath).
  uint8_t bound32, bound64;
  /// The largest distance measured (at millions of points) for the functions used if libdevice is not found.
  uint8_t own32, own64;
  /// libdevice has a float32 __nv_fast_ function.
  bool hasFast32;
};

/// All of them in the order of the documentation.
std::span<const MathFunction> mathFunctions();

/// Null for an operation that is not a math function.
const MathFunction *findMathFunction(Operation operation);

/// libdevice's symbol: "__nv_expf", "__nv_exp", "__nv_fast_expf".
std::string libdeviceSymbol(const MathFunction &function, unsigned bits, bool fastMath);

} // namespace treadle::codegen
