// The rules that callers of the driver must follow, by name. Each has a test that violates it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fakecuda {

enum class Rule : uint8_t {
  NotInitialized,
  AfterFork,
  AfterExit,
  InCallback,
  NoContext,
  ContextStack,
  ContextDestroyed,
  ContextMismatch,
  InvalidArgument,
  InvalidHandle,
  WrongKind,
  UseAfterDestroy,
  DoubleDestroy,
  OutOfBounds,
  KernelOutOfBounds,
  Misaligned,
  UseAfterFree,
  InvalidFree,
  FreeInUse,
  NotDeviceMemory,
  NotHostMemory,
  HostRegistration,
  PeerAccess,
  Race,
  HostRace,
  ParameterBlock,
  KernelSignature,
  LaunchLimits,
  CaptureIllegalCall,
  CaptureImplicit,
  CaptureIsolation,
  CaptureMerge,
  CaptureUnjoined,
  CaptureUnmatched,
  CaptureWrongThread,
  CapturedEvent,
  EventMisuse,
  Hang,
  UndefinedValue,
  ReadOnlyLoad,
  KernelBarrier,
  WarpFunction,
  KernelRace,
  KernelDeadlock,
  UnknownInstruction,
  UndefinedCopy,       ///< optional, off by default: programs may copy whole buffers
  CallAfterDeviceLost, ///< optional, off by default: a driver returns the error again and again
  Count,
};

const char *ruleName(Rule rule);
bool isOptional(Rule rule);
/// Rule::Count if there is none.
Rule ruleNamed(const char *name, size_t length);

} // namespace fakecuda
