// Fault: why the machine stops: what is wrong with a text, or what a running kernel did that it must not do.
#pragma once

#include <stdexcept>
#include <string>

namespace ptxmachine {

/// Thrown while a text is loaded: the text is no PTX, or has what the machine does not know.
struct LoadError : std::runtime_error {
  /// `line` counts from 1; 0: no line.
  LoadError(unsigned line, const std::string &text)
      : std::runtime_error(line ? "line " + std::to_string(line) + ": " + text : text) {}
};

enum class FaultKind : unsigned char {
  OutOfBounds,
  Misaligned,
  Freed,           ///< memory that was freed
  UndefinedValue,  ///< a register or memory never written decides something
  ReadOnlyWritten, ///< ld.global.nc of what this launch writes
  Barrier,         ///< an aligned barrier reached by part of a warp, or counts that differ
  WarpFunction,    ///< a warp function without all lanes of its mask
  Race,
  Deadlock,
  Trap,       ///< the kernel's own trap or assertion
  Unsupported ///< an instruction's operands that only show up when it runs
};
const char *faultName(FaultKind kind);

/// Thrown while a kernel runs. The text says what; Launch adds where: file and line, block and thread.
struct Fault : std::runtime_error {
  Fault(FaultKind kind, const std::string &text, int lane = -1) : std::runtime_error(text), kind(kind), lane(lane) {}
  FaultKind kind;
  int lane; ///< of the running warp; -1: no particular one
};

} // namespace ptxmachine
