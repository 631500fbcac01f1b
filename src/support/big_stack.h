// Runs work on a thread with a stack large enough for deep trees: recursion over syntax goes as deep as the user nests.
#pragma once

#include "support/export.h"

#include <functional>

namespace treadle {

/// Calls `work` on a thread of its own with a stack of 512 MB (reserved, not used) and waits for it. What it throws is
/// thrown here. Costs about 30 us.
TREADLE_API void runOnBigStack(const std::function<void()> &work);

} // namespace treadle
