// Passage: a place that threads go through all the time, and that one thread closes now and then.
#pragma once

#include "support/export.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace treadle {

/// Makes all threads of the process see each other's stores that come before it, and what they do after it
/// (membarrier(2)): for whoever looks seldom at what others store all the time without a fence. False: the system has
/// none, and they need fences.
TREADLE_API bool fenceAllThreads();

/// Entering and leaving are plain stores to memory of the thread's own; whoever closes the passage makes all processors
/// see each other's stores instead (membarrier(2)), or, where the system cannot do that, entering has a fence.
///
/// A thread may enter more than once. It counts as inside all passages then: they are for short calls.
class TREADLE_API Passage {
public:
  Passage();
  Passage(const Passage &) = delete;
  Passage &operator=(const Passage &) = delete;

  /// On a cache line of its own. Never freed: a thread that has ended leaves it to the next one.
  struct alignas(64) Place {
    std::atomic<uint32_t> depth{0};
    bool isTaken = true; ///< guarded by the lock of all places, as the next
    Place *next = nullptr;
  };

  /// Waits while another thread has closed it, unless the calling thread is inside already. The result is for `leave`.
  Place &enter() {
    Place &place = mine ? *mine : takePlace();
    const uint32_t depth = place.depth.load(std::memory_order_relaxed);
    place.depth.store(depth + 1, std::memory_order_relaxed);
    if (needsFence) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
    else
      std::atomic_signal_fence(std::memory_order_seq_cst);
    if (isClosed.load(std::memory_order_acquire) && depth == 0) [[unlikely]]
      enterLater(place);
    return place;
  }
  static void leave(Place &place) {
    place.depth.store(place.depth.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }
  static void endOfThread(void *place);
  /// For a thread inside some passage, which counts as inside this one, too: false where another thread had closed this
  /// one before that.
  bool isOpenToCaller() {
    if (!isClosed.load()) [[likely]]
      return true;
    const std::lock_guard lock(changing);
    return mayEnter();
  }
  /// In the child of a fork, where whoever has closed it is not.
  void openInChild() { isClosed.store(false); }

  /// While it exists, no other thread is inside, and the calling thread may enter. It must not be inside when it
  /// begins.
  class TREADLE_API Closed {
  public:
    explicit Closed(Passage &passage);
    Closed(const Closed &) = delete;
    Closed &operator=(const Closed &) = delete;
    ~Closed();

  private:
    Passage &passage;
    const std::lock_guard<std::mutex> alone;
  };

private:
  static Place &takePlace();
  void enterLater(Place &place);
  bool mayEnter() const { return !isClosed.load() || closer == std::this_thread::get_id(); }

  static constinit thread_local Place *mine;
  std::atomic<bool> isClosed{false};
  const bool needsFence;
  std::mutex closing;  ///< held while it is closed
  std::mutex changing; ///< of isClosed and closer
  std::condition_variable opened;
  std::thread::id closer;
};

} // namespace treadle
