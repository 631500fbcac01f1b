// Sums the arrays of all functions reachable from a kernel.
#include "infer/memory_limits.h"

#include "support/error.h"

#include <fmt/core.h>
#include <unordered_set>

namespace treadle {

namespace {

/// Bytes, CUDA's limits on every compute capability; the CPU device keeps them, so that kernels run on both. Dynamic
/// shared memory does not count: its size is the launch's.
constexpr int64_t staticShared = 48 << 10, local = 512 << 10;

/// A function that is called from several places has its arrays once.
struct Totals {
  std::unordered_set<const TypedFunction *> seen;
  int64_t shared = 0, local = 0;
};

/// The position is that of the array that exceeds the limit, in whichever function it is made.
[[noreturn]] void failLimit(const TypedFunction &function, const BlockArray &array, int64_t total) {
  Diagnostic diagnostic;
  diagnostic.kind = CompileErrorKind::Value;
  diagnostic.span = array.span;
  diagnostic.source = function.source;
  diagnostic.found = fmt::format("this one takes {} bytes, all together {}", array.bytes, total);
  diagnostic.message = array.isShared ? "the shared arrays of a kernel take more than a block has"
                                      : "the local arrays of a kernel take more than a thread has";
  diagnostic.expected = fmt::format("at most {} bytes", array.isShared ? staticShared : local);
  diagnostic.remedy = "make it smaller, or keep this data in an array that is passed to the kernel";
  throw CompileError(diagnostic);
}

void add(const TypedFunction &function, Totals &totals) {
  if (!totals.seen.insert(&function).second)
    return;
  for (const BlockArray &array : function.arrays) {
    int64_t &total = array.isShared ? totals.shared : totals.local;
    total += array.bytes;
    if (total > (array.isShared ? staticShared : local))
      failLimit(function, array, total);
  }
  for (const auto &callee : function.callees)
    add(*callee, totals);
}

} // namespace

void checkMemoryLimits(const TypedFunction &root) {
  Totals totals;
  add(root, totals);
}

} // namespace treadle
