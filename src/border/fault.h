// Fault: why a check in generated code ended a launch.
#pragma once

#include <cstdint>

namespace treadle {

/// Part of the ABI of generated code: the numbers stand in images, and in the error record of PTX.
enum class Fault : uint32_t {
  None = 0,
  IndexOutOfBounds = 1,
  DivisionByZero = 2,
  WaitsForever = 3, ///< threads of a block wait for each other
  OutOfMemory = 4,
  TooDeep = 5,      ///< a recursion does not fit its thread's stack
  HeapIsFull = 6,   ///< no memory for an array that a kernel makes
  FirstRaised = 16, ///< what the kernel itself raises: this + the position in Image::raises
};

/// Where a check stands. Generated code writes the words in this order.
struct FaultPlace {
  /// The function: 0: the one that the image was made of, or unknown; else 1 + the position in Image::sources.
  uint32_t source = 0;
  uint32_t line = 0; ///< in the file of that function; 0: unknown
  uint32_t column = 0;
};
static_assert(sizeof(FaultPlace) == 12);

constexpr Fault raisedFault(uint32_t position) { return Fault(uint32_t(Fault::FirstRaised) + position); }
constexpr bool isRaised(Fault fault) { return fault >= Fault::FirstRaised; }
/// In Image::raises.
constexpr uint32_t raisedPosition(Fault fault) { return uint32_t(fault) - uint32_t(Fault::FirstRaised); }

} // namespace treadle
