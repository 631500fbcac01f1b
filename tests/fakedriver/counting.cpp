// Counts allocations and locks of the calling thread between two marks. Loaded with LD_PRELOAD; excludes the stand-in's
// own.
#include "counting.h"

#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

extern "C" {
// glibc's own allocator under its internal names: looking it up with the linker would allocate.
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *pointer, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *pointer);
}

namespace {

struct Counters {
  bool counts = false;
  int paused = 0;
  FakeCudaCounts sum = {};
};
thread_local Counters counters;

void note(size_t FakeCudaCounts::*what) {
  if (counters.counts && !counters.paused)
    ++(counters.sum.*what);
}

/// Looked up at the first lock of the process; a concurrent second look-up finds the same function.
template <class Function> Function *next(Function *&known, const char *name) {
  if (!known)
    known = reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
  return known;
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

void fakeCudaCountingBegin(void) {
  counters.sum = {};
  counters.counts = true;
}

void fakeCudaCountingEnd(FakeCudaCounts *counts) {
  counters.counts = false;
  *counts = counters.sum;
}

void fakeCudaCountingPause(int delta) { counters.paused += delta; }

void *malloc(size_t bytes) {
  note(&FakeCudaCounts::allocations);
  return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
  note(&FakeCudaCounts::allocations);
  return __libc_calloc(count, bytes);
}

void *realloc(void *pointer, size_t bytes) {
  note(&FakeCudaCounts::allocations);
  if (pointer)
    note(&FakeCudaCounts::frees);
  return __libc_realloc(pointer, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  note(&FakeCudaCounts::allocations);
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **pointer, size_t alignment, size_t bytes) {
  note(&FakeCudaCounts::allocations);
  *pointer = __libc_memalign(alignment, bytes);
  return *pointer ? 0 : 12;
}

void free(void *pointer) {
  if (pointer)
    note(&FakeCudaCounts::frees);
  __libc_free(pointer);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*real)(pthread_mutex_t *);
  note(&FakeCudaCounts::locks);
  return next(real, "pthread_mutex_lock")(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  static int (*real)(pthread_mutex_t *);
  note(&FakeCudaCounts::locks);
  return next(real, "pthread_mutex_trylock")(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  static int (*real)(pthread_rwlock_t *);
  note(&FakeCudaCounts::locks);
  return next(real, "pthread_rwlock_rdlock")(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  static int (*real)(pthread_rwlock_t *);
  note(&FakeCudaCounts::locks);
  return next(real, "pthread_rwlock_wrlock")(lock);
}

#pragma GCC visibility pop
} // extern "C"
