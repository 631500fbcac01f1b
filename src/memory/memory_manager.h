// MemoryManager: the memory of one device: what lives, what waits to be freed, and what is kept to be handed out again.
#pragma once

#include "device/device.h"
#include "support/fork_gate.h"
#include "support/short_mutex.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace treadle {

/// An allocation while it lives; every Buffer is one. The manager links all of them.
struct LiveAllocation {
  char *memory = nullptr;
  size_t bytes = 0; ///< of the block, which may be larger than what was asked for
  size_t askedBytes = 0;
  /// The device was reset: whoever looks is told so. The memory itself stays until the last reference goes.
  std::atomic<bool> isLost{false};
  LiveAllocation *before = nullptr, *after = nullptr;
};

struct MemoryLimits {
  /// The queue is flushed when it holds more entries than that, or more than this share of the device's memory.
  size_t pendingCount = 10;
  double pendingRatio = 0.2;
  size_t cacheBytes = size_t(1) << 30; ///< of blocks that are kept to be handed out again
};

struct MemoryFigures {
  size_t capacity = 0; ///< of the device, in bytes as all that follow
  size_t liveBytes = 0, liveCount = 0;
  size_t pendingBytes = 0, pendingCount = 0;
  size_t cachedBytes = 0, cachedCount = 0;
  /// What can be had: pending and cached blocks count as free.
  size_t freeBytes() const { return capacity > liveBytes ? capacity - liveBytes : 0; }
};

/// When the last reference to memory goes, its block is put in a queue, as freeing may make a device wait. A flush of
/// the queue moves blocks to the cache, in which the next allocation of that size looks first; what the cache does not
/// keep goes back to the device.
///
/// The queue is flushed when it is full, before an allocation that failed is tried again, and by `clear`; not while
/// somebody defers that. A block that a stream still uses is not handed out before that is over. Where freeing one
/// block fails, that block is lost and the rest stay queued until the next flush.
class TREADLE_API MemoryManager {
public:
  MemoryManager(Device &device, const MemoryLimits &limits);
  MemoryManager(const MemoryManager &) = delete;
  MemoryManager &operator=(const MemoryManager &) = delete;
  ~MemoryManager();

  Device &device() const { return owner; }

  /// Throws DeviceError with code 2 where there is not that much even without what is pending and cached. Never waits:
  /// blocks that streams use are taken by nobody, so who can wait does so for Device::unfinished and tries again.
  void allocate(size_t bytes, LiveAllocation &allocation);
  /// Queues the block. `uses`: what was put on streams with it. What fails is kept for `takeFailures`.
  void release(LiveAllocation &allocation, std::vector<StreamPoint> uses) noexcept;
  /// Memory that is not the device's: it counts for nothing, but is lost with the rest.
  void adopt(LiveAllocation &allocation, char *memory, size_t bytes);
  void disown(LiveAllocation &allocation) noexcept;
  /// Queues something else that the device has to take back: a stream, an event, a module.
  void releaseLater(std::shared_ptr<const void> resource) noexcept;

  /// Flushes the queue, deferred or not. Throws the device's error.
  void clear();
  /// Gives the cache back to the device, but for blocks that streams use. Throws the device's error; the rest stays.
  void trim();
  /// Between the two only `clear` and allocations that fail flush the queue. They nest. The last end flushes it, and
  /// throws the device's error.
  void defer();
  void endDeferral();
  bool isDeferred() const;
  /// All that lives is lost, the queue and the cache are empty. Throws the device's error.
  void reset();

  MemoryFigures figures() const;
  MemoryLimits limits() const;
  /// What is beyond the new limits goes at once, as far as no stream uses it and deallocations are not deferred.
  void setLimits(const MemoryLimits &limits);
  /// What went wrong where nobody could be told.
  std::vector<std::string> takeFailures();
  bool hasFailed() const { return hasFailures.load(std::memory_order_relaxed); }

private:
  struct Waiting {
    char *memory = nullptr;
    size_t bytes = 0;
    std::vector<StreamPoint> uses;
    bool isUnused();
  };
  /// What is dropped when the lock is no longer held: a destructor may wait for a stream.
  using Dropped = std::vector<std::shared_ptr<const void>>;

  /// Eight sizes for each power of two: a block is at most an eighth larger than what is asked for.
  static constexpr size_t classCount = 8 * 47;
  static size_t classOf(size_t bytes);
  static size_t bytesOfClass(size_t index);

  // All of these under `mutex`.
  bool takeCached(size_t index, LiveAllocation &allocation, size_t looks);
  Waiting takeOut(std::vector<Waiting> &blocks, size_t place);
  bool takeFresh(size_t bytes, LiveAllocation &allocation);
  bool takeAfterCleaning(size_t index, LiveAllocation &allocation, Dropped &dropped);
  void link(LiveAllocation &allocation);
  void unlink(LiveAllocation &allocation);
  void flushIfFull(Dropped &dropped);
  void flush(Dropped &dropped);
  void keep(Waiting waiting);
  void emptyCache(size_t keptBytes = 0);
  void note(const DeviceError &failure);
  std::string shortage(size_t bytes) const;

  Device &owner;
  const size_t capacity;
  mutable ShortMutex mutex;
  MemoryLimits bounds; ///< guarded by mutex, as all below
  std::vector<Waiting> pending;
  Dropped pendingResources;
  std::array<std::vector<Waiting>, classCount> cache;
  size_t nextLook = 0; ///< a place in a list of the cache
  MemoryFigures counted;
  LiveAllocation live; ///< the head of a ring
  size_t deferrals = 0;
  std::vector<std::string> failures;
  std::atomic<bool> hasFailures{false};
  const AtForks atForks;
};

} // namespace treadle
