// MemoryManager: the memory of one device: what lives, what waits to be freed, and what is kept to be handed out again.
#pragma once

#include "memory/memory_resource.h"
#include "support/fork_gate.h"
#include "support/short_mutex.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace treadle {

struct MemoryLimits {
  /// The queue is flushed when it holds more entries than that, or more than this share of the device's memory.
  size_t pendingCount = 10;
  double pendingRatio = 0.2;
  size_t cacheBytes = size_t(1) << 30; ///< of blocks that are kept to be handed out again
};

/// Something else that a device has to take back: a stream, an event, a module. Made with it, so that queueing it later
/// allocates nothing.
struct QueuedResource {
  std::shared_ptr<const void> resource;
  std::unique_ptr<QueuedResource> next = nullptr;
};

/// When the last reference to memory goes, its block is put in a queue, as freeing may make a device wait. A flush of
/// the queue moves blocks to the cache, in which the next allocation of that size looks first; what the cache does not
/// keep goes back to the device.
///
/// The queue is flushed when it is full, before an allocation that failed is tried again, and by `clear`; not while
/// somebody defers that. A block that a stream still uses is not handed out before that is over, but for use on that
/// very stream. Where freeing one block fails, that block is lost and the rest stay queued until the next flush.
/// Kinds of memory other than the device's own are not cached.
///
/// The device is never called with the lock held: blocks are chosen and unlinked under it, and given back without it.
class TREADLE_API MemoryManager final : public MemoryResource {
public:
  MemoryManager(Device &device, const MemoryLimits &limits);
  ~MemoryManager() override;

  /// Throws DeviceError (OutOfMemory) where there is not that much even without what is pending and cached.
  /// Blocks that streams use are taken by nobody, so who can wait does so for `pointsThatMayHelp` and tries again.
  void allocate(const AllocationRequest &request, LiveAllocation &allocation) override;
  /// After an allocation that failed: what streams still do with blocks that nobody owns. Empty where no waiting helps.
  std::vector<StreamPoint> pointsThatMayHelp(size_t bytes) const;
  /// Queues the block. What fails is kept for `takeFailures`.
  void release(LiveAllocation &allocation) noexcept override;
  void releaseLater(std::unique_ptr<QueuedResource> resource) noexcept;

  /// Flushes the queue, unless somebody defers that. Throws the device's error.
  void clear();
  /// Gives the cache back to the device, but for blocks that streams use. Throws the device's error; the rest stays.
  void trim();
  /// Between the two only allocations that fail flush the queue. They nest. The last end flushes it, and throws the
  /// device's error.
  void defer();
  void endDeferral();
  bool isDeferred() const;
  /// All that lives is lost, the queue and the cache are empty. Throws the device's error.
  void reset() override;

  MemoryFigures figures() const override;
  MemoryLimits limits() const;
  /// What is beyond the new limits goes at once, as far as no stream uses it and deallocations are not deferred.
  void setLimits(const MemoryLimits &limits);
  /// What went wrong where nobody could be told.
  std::vector<std::string> takeFailures();
  bool hasFailed() const { return hasFailures.load(std::memory_order_relaxed); }
  /// For tests: whether some thread holds the lock.
  bool isLocked() const { return mutex.isLocked(); }

private:
  /// Sizes from 256 bytes to 64 MiB, eight for each power of two: a block is at most an eighth larger than what is
  /// asked for. Larger blocks have a multiple of 2 MiB.
  static constexpr size_t largestClass = size_t(64) << 20, largeStep = size_t(2) << 20;
  static constexpr size_t classCount = 8 * 26 + 1;
  static size_t classOf(size_t bytes);
  static size_t bytesOfClass(size_t index);
  static size_t usualBytes(size_t bytes);

  // These take the lock themselves.
  void adopt(const AllocationRequest &request, LiveAllocation &allocation);
  void disown(LiveAllocation &allocation) noexcept;
  bool takeCached(size_t bytes, LiveAllocation &allocation, const StreamTimeline *stream, bool looksAtAll);
  bool takeFresh(size_t bytes, LiveAllocation &allocation, MemoryKind kind);
  void flush();
  void flushIfFull() noexcept;
  void emptyCache(size_t keptBytes = 0);
  void giveBack(BlockList &blocks);
  void giveBackLost() noexcept;
  void note(const DeviceError &failure) noexcept;
  template <typename Action> void noteFailureOf(Action action) noexcept;

  // These under `mutex`.
  BlockList &cacheFor(size_t bytes);
  void handOut(MemoryBlock *block, LiveAllocation &allocation, const StreamTimeline *stream);
  void link(LiveAllocation &allocation);
  void unlink(LiveAllocation &allocation);
  void keep(MemoryBlock *block);
  size_t queued() const { return pending.size() + resourceCount; }
  std::string shortage(size_t bytes) const;

  const size_t capacity;
  mutable ShortMutex mutex;
  MemoryLimits bounds; ///< guarded by mutex, as all below
  BlockList pending;
  std::unique_ptr<QueuedResource> pendingResources; ///< the latest first
  size_t resourceCount = 0;
  std::array<BlockList, classCount> cache;
  BlockList largeCache; ///< blocks of no class
  BlockList lost;       ///< from before a reset, and some stream still uses them
  MemoryFigures counted;
  LiveAllocation live; ///< the head of a ring
  size_t deferrals = 0;
  std::vector<std::string> failures;
  std::atomic<bool> hasFailures{false};
  const AtForks atForks;
};

} // namespace treadle
