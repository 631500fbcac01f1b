// Threads of the runtime: with the user's signals blocked; a failure to start one names its purpose.
#pragma once

#include "support/export.h"

#include <csignal>
#include <cstddef>
#include <functional>

namespace treadle {

/// Threads started while one exists receive none of the process's signals: those belong to the user's threads. Signals
/// raised by a thread's own faults stay unblocked.
class TREADLE_API SignalsBlocked {
public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  sigset_t before;
};

/// Starts a detached thread. `purpose` ("a stream") is named in the Error thrown if the system cannot start one.
/// `stackBytes` 0: the default size.
TREADLE_API void startThread(const char *purpose, std::function<void()> body, size_t stackBytes = 0);

} // namespace treadle
