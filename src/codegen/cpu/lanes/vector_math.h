// Vector math: selects the precompiled routine for an operation on a vector.
#pragma once

#include "builtins/operation.h"
#include "math/routine_symbols.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace treadle::codegen {

using math::VectorIsa;

/// One operation on vectors of one element type.
///
/// Integers have FloorDiv, Mod (Python's) and Pow (as defined by Operation); floats have FloorDiv and Mod (CPython's,
/// but NumPy's results where the divisor is 0) and the math functions for which there is no instruction.
struct VectorRequest {
  using Element = math::RoutineType::Element;

  Operation operation;
  Element element = Element::Float;
  unsigned bits = 32; ///< of an element: 32 or 64
  VectorIsa isa = VectorIsa::Sse;
  bool fastMath = false; ///< any accuracy: the cheapest routine
};

/// A function over whole vectors, C calling convention, vectors in registers:
/// `<lanes x T> symbol(<lanes x T>)` or with two operands. Reads no memory that can change, writes none, never traps
/// and never unwinds; every lane is defined. A warp takes 32 / lanes calls.
struct VectorRoutine {
  /// The same on every machine; `math::routineAddress` resolves it.
  std::string symbol;
  unsigned lanes = 0;
  unsigned operands = 1;
  /// Largest distance from the correctly rounded result, in representable steps; 0: exact. Meaningless under
  /// fastMath.
  unsigned ulp = 0;
};

/// The routine for a request, or nothing if the operation is an instruction or has no routine (add, sqrt, floor, isnan,
/// ...: the generator emits those itself). Loads no library; thread-safe.
std::optional<VectorRoutine> vectorRoutine(const VectorRequest &request);

/// Integer division (`operation` is ignored): C's quotient or remainder, rounding to zero. The result is unspecified
/// where the divisor is 0; the minimum divided by -1 wraps.
VectorRoutine vectorDivision(const VectorRequest &request, bool isRemainder);

} // namespace treadle::codegen
