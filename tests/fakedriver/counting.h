// Counting of allocations and locks, of the library fakedriver_counting (LD_PRELOAD).
#pragma once

#include <cstddef>

extern "C" {

typedef struct FakeCudaCounts {
  size_t allocations; ///< malloc, calloc, realloc and aligned variants, hence operator new too
  size_t frees;
  size_t locks; ///< pthread mutexes and reader-writer locks
} FakeCudaCounts;

#pragma GCC visibility push(default)

/// Counts on the calling thread from now on, except inside the stand-in's functions.
void fakeCudaCountingBegin(void);
void fakeCudaCountingEnd(FakeCudaCounts *counts);
/// Called by the stand-in: 1 on entry of each of its functions, -1 on exit.
void fakeCudaCountingPause(int delta);

#pragma GCC visibility pop

} // extern "C"
