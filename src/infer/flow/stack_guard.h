// StackGuard: stops recursion over deep input before the stack overflows.
#pragma once

#include "support/source.h"

#include <cstddef>

namespace treadle {

/// Records the end of the constructing thread's stack.
class StackGuard {
public:
  StackGuard();
  /// Throws CompileError (Limit) if less stack is left than one more level may need.
  void check(const SourceRef &source, SourceSpan span) const;

private:
  const char *limit;
};

} // namespace treadle
