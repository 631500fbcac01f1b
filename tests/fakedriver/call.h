// The frame of every API function: lock, trace, faults, and the rules that apply to all of them.
#pragma once

#include "driver.h"

namespace fakecuda {

/// What a function requires of its caller.
enum Needs : unsigned {
  NeedsNothing = 0,
  NeedsInit = 1,
  NeedsContext = 2 | NeedsInit,
  /// Must not be called while a capture forbids unsafe calls.
  UnsafeInCapture = 4,
  /// Releases a resource: if a fault makes it fail, the resource stays alive, which is counted.
  EndsSomething = 8,
  /// Still works with a lost context.
  WorksWhenLost = 16,
};

struct CallInfo {
  const char *name; ///< without version suffix
  unsigned needs;
  std::initializer_list<Argument> arguments;
};

using CallBody = CUresult (*)(void *body, Driver &driver);
CUresult enterCall(const CallInfo &info, CallBody body, void *data);

/// Runs `body(driver)` under the driver's lock after all checks. Nothing may be allocated before the counting of
/// allocations is paused, hence no std::function here.
template <class Body> CUresult apiCall(const CallInfo &info, Body body) {
  return enterCall(info, [](void *data, Driver &driver) { return (*static_cast<Body *>(data))(driver); }, &body);
}

/// During its lifetime, stream 0 is the thread's default stream.
class PerThreadDefault {
public:
  PerThreadDefault() { threadState().perThreadDefault = true; }
  ~PerThreadDefault() { threadState().perThreadDefault = false; }
  PerThreadDefault(const PerThreadDefault &) = delete;
  PerThreadDefault &operator=(const PerThreadDefault &) = delete;
};

} // namespace fakecuda
