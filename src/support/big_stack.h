// Runs work on a stack large enough for deep trees: recursion over syntax goes as deep as the user nests.
#pragma once

#include "support/export.h"

#include <functional>

namespace treadle {

/// Runs `work` on a thread of its own with a stack of 512 MB (reserved, not used). What it throws is thrown here. Waits
/// for it, and asks `goesOn` (which may be empty) some 20 times a second: once that is false this returns false, and
/// the work goes on to its end, unseen. So it may only use what it owns. Costs about 30 us.
TREADLE_API bool runOnBigStack(std::function<void()> work, const std::function<bool()> &goesOn);

/// Runs `work` on the calling thread, on a larger stack where less than 4 MB is left of the thread's own: what needs
/// the caller's locks cannot go to another thread. What it throws is thrown here.
TREADLE_API void runWithEnoughStack(const std::function<void()> &work);

/// The lowest address of the stack that the calling thread is on; null where that is not known.
TREADLE_API char *stackBase();

} // namespace treadle
