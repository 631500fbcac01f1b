// LaunchClock: detects long launches, and makes their threads check for requests of the host.
#pragma once

#include "support/fork_gate.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cpu {

/// A host thread that runs launches itself. Watched by the clock until the thread ends; never freed.
class HostSlot {
public:
  static HostSlot &ofThisThread();

  /// The clock has seen the same launch for some ms, and asks its thread to check for requests of the host. True once
  /// for each time it asks.
  bool takeAsked();
  bool isAsked() const { return asked.load(std::memory_order_relaxed); }
  bool isOfThisThread() const { return this == &ofThisThread(); }

private:
  friend class LaunchClock;
  static HostSlot *&known();
  std::atomic<uint64_t> launches{0}; ///< starts plus ends: odd while one runs
  std::atomic<bool> asked{false};    ///< counts as one of safepointRequests()
  std::atomic<bool> isFree{false};   ///< its thread has ended
  uint64_t lastSeen = 0;             ///< written by the clock, as `looks`
  uint32_t looks = 0;                ///< number of polls at which that launch was still running
};

/// One thread that watches all launches on host threads; it sleeps while there are none. A launch of a few us costs two
/// stores: at each poll the clock sees which launches are still running.
class LaunchClock {
public:
  static LaunchClock &instance();

  /// `slot`: the calling thread's, with no launch running. False: the clock has no thread.
  bool begin(HostSlot &slot) {
    // In this order: the clock polls all launches once more after it has cleared `isAwake`.
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
  std::vector<std::unique_ptr<HostSlot>> slots; ///< append-only
  const AtForks atForks;
};

} // namespace treadle::cpu
