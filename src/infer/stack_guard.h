// StackGuard: stops recursion over deep input before the thread's stack ends.
#pragma once

#include "support/source.h"

#include <cstddef>

namespace treadle {

/// Knows where the stack of the thread that made it ends.
class StackGuard {
public:
  StackGuard();
  /// Throws CompileError (Limit) if less stack is left than one more level may need.
  void check(const SourceRef &source, SourceSpan span) const;

private:
  const char *limit;
};

} // namespace treadle
