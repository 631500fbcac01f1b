// Threads of our own: without the user's signals, and with an error that says what for where there is none to be had.
#pragma once

#include "support/export.h"

#include <csignal>
#include <cstddef>
#include <functional>

namespace treadle {

/// Threads that are started while one lives get none of the process's signals: those belong to the threads of the user.
/// Faults of a thread's own stay open.
class TREADLE_API SignalsBlocked {
public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  sigset_t before;
};

/// Starts a thread that nobody waits for. `purpose`: "a stream", for the Error where the system gives none.
/// `stackBytes` 0: as large as usual.
TREADLE_API void startThread(const char *purpose, std::function<void()> body, size_t stackBytes = 0);

} // namespace treadle
