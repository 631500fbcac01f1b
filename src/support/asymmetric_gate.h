// AsymmetricGate: a read-mostly lock: entering costs plain stores, closing uses membarrier(2).
#pragma once

#include "support/export.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace treadle {

/// A memory barrier on all running threads of the process (membarrier(2)), for a rare reader of what other threads
/// store often without a fence. False: the system lacks it, and the writers need fences.
TREADLE_API bool fenceAllThreads();

/// Entering and leaving are plain stores to the thread's own slot; closing issues a barrier on all threads instead
/// (membarrier(2)), or, where the system has none, entering has a fence.
///
/// Entering nests. A thread that is inside one gate counts as inside all of them: they are for short calls.
class TREADLE_API AsymmetricGate {
public:
  AsymmetricGate();
  AsymmetricGate(const AsymmetricGate &) = delete;
  AsymmetricGate &operator=(const AsymmetricGate &) = delete;

  /// On a cache line of its own. Never freed: the next thread reuses the slot of one that has ended.
  struct alignas(64) Slot {
    std::atomic<uint32_t> depth{0};
    bool isTaken = true; ///< guarded by the lock of all slots, as the next
    Slot *next = nullptr;
  };

  /// Waits while another thread has closed it, unless the calling thread is already inside. The result is for `leave`.
  Slot &enter() {
    Slot &slot = mine ? *mine : takeSlot();
    const uint32_t depth = slot.depth.load(std::memory_order_relaxed);
    slot.depth.store(depth + 1, std::memory_order_relaxed);
    if (needsFence) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
    else
      std::atomic_signal_fence(std::memory_order_seq_cst);
    if (isClosed.load(std::memory_order_acquire) && depth == 0) [[unlikely]]
      enterLater(slot);
    return slot;
  }
  static void leave(Slot &slot) {
    slot.depth.store(slot.depth.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }
  static void endOfThread(void *slot);
  /// In the child of a fork: frees all slots but the calling thread's.
  static void leaveOthers(Slot *first);
  /// For a thread inside some gate, and therefore inside this one: false where another thread had closed this one
  /// before it entered.
  bool isOpenToCaller() {
    if (!isClosed.load()) [[likely]]
      return true;
    const std::lock_guard lock(changing);
    return mayEnter();
  }
  /// In the child of a fork, where the closing thread and those waiting for it do not exist.
  void beginChild();

  /// While it exists, no other thread is inside, and the calling thread may enter. Precondition: the calling thread is
  /// not inside.
  class TREADLE_API Closed {
  public:
    explicit Closed(AsymmetricGate &gate);
    Closed(const Closed &) = delete;
    Closed &operator=(const Closed &) = delete;
    ~Closed();

  private:
    AsymmetricGate &gate;
    const std::lock_guard<std::mutex> alone;
  };

private:
  static Slot &takeSlot();
  void enterLater(Slot &slot);
  bool mayEnter() const { return !isClosed.load() || closer == std::this_thread::get_id(); }

  static constinit thread_local Slot *mine;
  std::atomic<bool> isClosed{false};
  const bool needsFence;
  std::mutex closing;  ///< held while the gate is closed
  std::mutex changing; ///< guards isClosed and closer
  std::condition_variable opened;
  std::thread::id closer;
};

} // namespace treadle
