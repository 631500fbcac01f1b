// The frame of every API function: lock, trace, faults, and the rules that hold for all of them.
#pragma once

#include "driver.h"

namespace fakecuda {

/// What a function asks of its caller.
enum Needs : unsigned {
  NeedsNothing = 0,
  NeedsInit = 1,
  NeedsContext = 2 | NeedsInit,
  /// May not be called while a capture forbids unsafe calls.
  UnsafeInCapture = 4,
  /// Ends a resource: a fault leaves it alive, which is counted.
  EndsSomething = 8,
  /// Goes on with a lost context.
  WorksWhenLost = 16,
};

struct CallInfo {
  const char *name; ///< without version suffix
  unsigned needs;
  std::initializer_list<Argument> arguments;
};

using CallBody = CUresult (*)(void *body, Driver &driver);
CUresult enterCall(const CallInfo &info, CallBody body, void *data);

/// Runs `body(driver)` under the driver's lock after all checks. Nothing is allocated before the interposed counting
/// of allocations is paused, hence no std::function here.
template <class Body> CUresult apiCall(const CallInfo &info, Body body) {
  return enterCall(info, [](void *data, Driver &driver) { return (*static_cast<Body *>(data))(driver); }, &body);
}

/// Inside, stream 0 is the thread's own default stream.
class PerThreadDefault {
public:
  PerThreadDefault() { threadState().perThreadDefault = true; }
  ~PerThreadDefault() { threadState().perThreadDefault = false; }
  PerThreadDefault(const PerThreadDefault &) = delete;
  PerThreadDefault &operator=(const PerThreadDefault &) = delete;
};

} // namespace fakecuda
