// Counting of allocations and locks, of the library fakedriver_counting (LD_PRELOAD).
#pragma once

#include <cstddef>

extern "C" {

typedef struct FakeCudaCounts {
  size_t allocations; ///< malloc, calloc, realloc and their aligned kin, hence operator new too
  size_t frees;
  size_t locks; ///< pthread mutexes and reader-writer locks
} FakeCudaCounts;

#pragma GCC visibility push(default)

/// On the calling thread, from now, but for what happens inside of the stand-in's functions.
void fakeCudaCountingBegin(void);
void fakeCudaCountingEnd(FakeCudaCounts *counts);
/// Of the stand-in: 1 at the entry of each of its functions, -1 at the exit.
void fakeCudaCountingPause(int delta);

#pragma GCC visibility pop

} // extern "C"
