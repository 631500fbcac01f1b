// What a kernel uses, and the words for its failures.
#include "device/kernel.h"

#include "border/error_record.h"
#include "border/image.h"

#include <algorithm>
#include <fmt/core.h>
#include <string>

namespace treadle {

namespace {

std::string textOf(Fault fault) {
  switch (fault) {
  case Fault::IndexOutOfBounds:
    return "an index is out of bounds";
  case Fault::DivisionByZero:
    return "division by zero";
  case Fault::TooDeep:
    return "a recursion is too deep for the thread's stack";
  case Fault::HeapIsFull:
    return "there is no memory for an array that a thread makes";
  case Fault::WaitsForever:
    return "threads wait for lanes of their warp that wait for them: let all lanes of the mask get here";
  default:
    return fmt::format("a check failed ({})", uint32_t(fault));
  }
}

/// Functions other than the kernel with their files: messages begin with the kernel's.
std::string describe(Fault fault, const FaultPlace &place, const Image &image) {
  std::string text = textOf(fault);
  if (place.line == 0)
    return text;
  text += fmt::format(" in line {}, column {}", place.line, place.column + 1);
  if (place.source == 0 || place.source > image.sources.size())
    return text;
  const FunctionSource &source = image.sources[place.source - 1];
  return text + " of " + source.function + " (" + source.file + ")";
}

} // namespace

KernelFault::KernelFault(Fault fault, const FaultPlace &place, const Image &image)
    : Error(describe(fault, place, image)), fault(fault) {
  if (isRaised(fault) && raisedPosition(fault) < image.raises.size())
    raised = image.raises[raisedPosition(fault)];
}
KernelFault::~KernelFault() = default;

void throwFault(const ErrorRecord &record, const Image &image) {
  if (record.fault == Fault::None)
    return;
  KernelFault fault(record.fault, record.place, image);
  fault.hasThread = true;
  std::ranges::copy(record.thread, fault.thread);
  std::ranges::copy(record.block, fault.block);
  throw fault;
}

KernelAttributes Kernel::attributes() const {
  return {.sharedBytes = image().sharedBytes, .localBytes = image().localBytes};
}

Kernel::~Kernel() = default;
Module::~Module() = default;

} // namespace treadle
