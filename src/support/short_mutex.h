// ShortMutex: a mutex of one word, for what takes neither a device call nor a wait.
#pragma once

#include "support/export.h"

#include <atomic>
#include <cstdint>

namespace treadle {

#ifndef NDEBUG
/// How many ShortMutexes the calling thread has taken so far. Tests count them on the path of a launch, as below
/// pthread nothing is seen of them.
extern TREADLE_API constinit thread_local uint64_t shortMutexesTaken;
#endif

/// Neither locking nor unlocking makes a system call unless a thread waits.
class ShortMutex {
public:
  void lock() {
#ifndef NDEBUG
    ++shortMutexesTaken;
#endif
    uint32_t expected = 0;
    if (!state.compare_exchange_strong(expected, 1, std::memory_order_acquire)) [[unlikely]]
      lockSlowly();
  }
  void unlock() {
    if (state.exchange(0, std::memory_order_release) == 2) [[unlikely]]
      state.notify_one();
  }

  /// Held by some thread.
  bool isLocked() const { return state.load(std::memory_order_relaxed) != 0; }

private:
  void lockSlowly() {
    while (state.exchange(2, std::memory_order_acquire) != 0)
      state.wait(2);
  }
  std::atomic<uint32_t> state{0}; ///< 0 free, 1 taken, 2 taken and waited for
};

} // namespace treadle
