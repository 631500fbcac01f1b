// How much stack is left.
#include "infer/stack_guard.h"

#include "infer/mistake.h"

#include <pthread.h>

namespace treadle {

/// Left for what is called at the deepest level: Python's evaluation of a name, throwing an error.
static constexpr size_t reserve = size_t(512) << 10;

/// Where the stack of this thread ends, and the reserve. Asked once a thread: for the main thread the answer is parsed
/// from /proc/self/maps, which takes longer than the inference of a small kernel.
static const char *stackLimit() {
  thread_local const char *const limit = [] {
    pthread_attr_t attributes;
    void *start = nullptr;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &start, &size);
      pthread_attr_destroy(&attributes);
    }
    return static_cast<const char *>(start) + (start ? reserve : 0);
  }();
  return limit;
}

StackGuard::StackGuard() : limit(stackLimit()) {}

void StackGuard::check(const SourceRef &source, SourceSpan span) const {
  if (static_cast<const char *>(__builtin_frame_address(0)) > limit)
    return;
  throwMistake({.kind = CompileErrorKind::Limit,
                .message = "this is nested too deeply to be compiled",
                .found = {},
                .expected = {},
                .remedy = "compute parts of it in variables or functions of their own"},
               source, span);
}

} // namespace treadle
