// LaunchClock: sees which launches last, and has the threads that run them look at what their host wants.
#pragma once

#include "support/fork_gate.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cpu {

/// A host's thread that runs launches itself. Found by the clock until the thread ends; never freed.
class HostSlot {
public:
  static HostSlot &ofThisThread();

  /// The clock has seen the same launch for some ms: its thread shall look at what its host wants. True once for each.
  bool takeAsked();
  bool isAsked() const { return asked.load(std::memory_order_relaxed); }
  bool isOfThisThread() const { return this == &ofThisThread(); }

private:
  friend class LaunchClock;
  static HostSlot *&known();
  std::atomic<uint64_t> launches{0}; ///< begun and ended ones together: odd while one runs
  std::atomic<bool> asked{false};    ///< counts as one of safepointRequests()
  std::atomic<bool> isFree{false};   ///< its thread has ended
  uint64_t lastSeen = 0;             ///< of the clock, as `looks`
  uint32_t looks = 0;                ///< at which that launch was still running
};

/// One thread for all launches that hosts' threads run, and none while there are no such launches. A launch of a few us
/// costs two stores: the clock notices by itself which are still there when it looks again.
class LaunchClock {
public:
  static LaunchClock &instance();

  /// Of the calling thread's slot, which runs no launch yet. False: there is no thread to look.
  bool begin(HostSlot &slot) {
    // In this order: the clock looks at all launches once more after it has said that it sleeps.
    slot.launches.store(slot.launches.load(std::memory_order_relaxed) + 1);
    return isAwake.load() || wake();
  }
  void end(HostSlot &slot) {
    slot.launches.store(slot.launches.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    if (slot.isAsked()) [[unlikely]]
      slot.takeAsked();
  }

private:
  friend class HostSlot;
  LaunchClock();
  bool wake();
  void run();
  bool lookAtAll();
  void look(HostSlot &slot);
  HostSlot *add();
  void beginChild();

  std::atomic<bool> isAwake{false};
  std::mutex mutex;
  std::condition_variable woken;
  bool hasThread = false;                       ///< guarded by mutex, as the next
  std::vector<std::unique_ptr<HostSlot>> slots; ///< never fewer
  const AtForks atForks;
};

} // namespace treadle::cpu
