// Measures the remaining stack.
#include "infer/flow/stack_guard.h"

#include "infer/flow/mistake.h"
#include "support/big_stack.h"

namespace treadle {

namespace {

/// Bytes reserved for calls at the deepest level: Python's resolution of a name, throwing an error.
constexpr size_t reserve = size_t(512) << 10;

} // namespace

/// Without knowledge of the stack (no base) nothing is refused.
StackGuard::StackGuard() : limit(currentStack().base ? currentStack().base + reserve : nullptr) {}

void StackGuard::check(const SourceRef &source, SourceSpan span) const {
  if (static_cast<const char *>(__builtin_frame_address(0)) > limit)
    return;
  throwMistake({.kind = CompileErrorKind::Limit,
                .message = "this is nested too deeply to be compiled",
                .remedy = "compute parts of it in variables or functions of their own"},
               source, span);
}

} // namespace treadle
