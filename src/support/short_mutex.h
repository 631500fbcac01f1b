// ShortMutex: a one-word mutex for short critical sections: no device calls, no blocking inside.
#pragma once

#include "support/export.h"

#include <atomic>
#include <cstdint>

namespace treadle {

#ifndef NDEBUG
/// How many times the calling thread has acquired a ShortMutex. Tests count these on the launch path, as calls of
/// pthread cannot show them.
extern TREADLE_API constinit thread_local uint64_t shortMutexesTaken;
#endif

/// Neither locking nor unlocking makes a system call unless it is contended.
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
  std::atomic<uint32_t> state{0}; ///< 0 free, 1 locked, 2 locked and contended
};

} // namespace treadle
