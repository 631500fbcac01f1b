// Runs work on a stack large enough for deep trees: recursion over syntax is as deep as the user's nesting.
#pragma once

#include "support/export.h"

#include <cstddef>
#include <functional>

namespace treadle {

/// Runs `work` on a new thread with a stack of 512 MB (reserved, not committed), waits for it and rethrows what it
/// throws. Calls `goesOn` (may be empty) about 20 times a second; once it returns false, this function returns false
/// and the work runs to its end unobserved, so it may only use what it owns. Costs about 30 us.
TREADLE_API bool runOnBigStack(std::function<void()> work, const std::function<bool()> &goesOn);

/// Runs `work` on the calling thread, on a larger stack if less than `bytes` of the thread's own are left: work that
/// needs the caller's locks cannot move to another thread. Rethrows what the work throws.
TREADLE_API void runWithEnoughStack(const std::function<void()> &work, size_t bytes = size_t(4) << 20);

/// The lowest address of the stack that the calling thread is running on; null if unknown.
TREADLE_API char *stackBase();

/// Whether `bytes` are left of the stack that begins at `base`; so it is said of unknown stacks, too.
inline bool hasStack(const char *base, size_t bytes) {
  return static_cast<const char *>(__builtin_frame_address(0)) - base >= ptrdiff_t(bytes);
}

} // namespace treadle
