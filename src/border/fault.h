// Fault: why a check in generated code ended a launch.
#pragma once

#include <cstdint>
#include <string>

namespace treadle {

/// Part of the ABI of generated code: the numbers appear in images, and in the error record of PTX.
enum class Fault : uint32_t {
  None = 0,
  IndexOutOfBounds = 1,
  DivisionByZero = 2,
  WaitsForever = 3, ///< deadlock among the threads of a block
  OutOfMemory = 4,
  TooDeep = 5,      ///< a recursion overflows its thread's stack
  HeapIsFull = 6,   ///< no memory for an array that a kernel makes
  FirstRaised = 16, ///< what the kernel itself raises: this + the position in Image::raises
};

/// The source location of a check. Generated code writes the words in this order.
struct FaultPlace {
  /// The function: 0: the image's own, or unknown; else 1 + the position in Image::sources.
  uint32_t source = 0;
  uint32_t line = 0; ///< in the file of that function; 0: unknown
  uint32_t column = 0;
};
static_assert(sizeof(FaultPlace) == 12);

constexpr Fault raisedFault(uint32_t position) { return Fault(uint32_t(Fault::FirstRaised) + position); }
constexpr bool isRaised(Fault fault) { return fault >= Fault::FirstRaised; }
/// The index in Image::raises.
constexpr uint32_t raisedPosition(Fault fault) { return uint32_t(fault) - uint32_t(Fault::FirstRaised); }

/// An exception that a debug kernel raises: the fault `raisedFault` of its index in Image::raises.
struct RaisedError {
  std::string exceptionClass;   ///< as written in the kernel
  uint64_t exceptionHandle = 0; ///< the class, as the inferred program knows it; 0 in images read from bytes
  std::string qualifiedClass;   ///< "module:Class.Inner", for other processes; empty: Python's own class of that name
  std::string arguments;        ///< Python literals, inf and nan, each followed by a comma
  bool operator==(const RaisedError &) const = default;
};

/// A function that is part of an image besides the image's own.
struct FunctionSource {
  std::string function; ///< qualified name
  std::string file;     ///< as SourceText has it
  bool operator==(const FunctionSource &) const = default;
};

} // namespace treadle
