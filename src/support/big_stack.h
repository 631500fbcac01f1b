// Runs work on a stack large enough for deep trees: recursion over syntax is as deep as the user's nesting.
#pragma once

#include "support/export.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace treadle {

/// Runs `work` on a new thread with a stack of 512 MB (reserved, not committed), waits for it and rethrows what it
/// throws. Calls `shouldContinue` (may be empty) about 20 times a second; once it returns false, this function returns
/// false and the work runs to its end unobserved, so it may only use what it owns. Costs about 30 us.
TREADLE_API bool runOnBigStack(std::function<void()> work, const std::function<bool()> &shouldContinue);

/// Runs `work` on the calling thread, on a larger stack if less than `bytes` of its present one are left: work that
/// needs the caller's locks cannot move to another thread. Rethrows what the work throws.
TREADLE_API void runWithEnoughStack(const std::function<void()> &work, size_t bytes = size_t(4) << 20);

/// The addresses of a stack.
struct StackExtent {
  char *base = nullptr; ///< the lowest; null: unknown, and taken to be large enough
  size_t bytes = SIZE_MAX;

  /// Whether the caller is running on it, with `wanted` bytes left.
  bool hasLeft(size_t wanted) const {
    const size_t left = size_t(static_cast<const char *>(__builtin_frame_address(0)) - base);
    return left >= wanted && left < bytes;
  }
};

/// The stack that the calling thread began with.
TREADLE_API const StackExtent &threadStack();

/// The stack that the calling thread is running on.
TREADLE_API const StackExtent &currentStack();

} // namespace treadle
