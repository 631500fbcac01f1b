// MemoryManager: the memory of one device: live allocations, blocks that wait to be freed, and a cache of free blocks.
#pragma once

#include "memory/external_memory.h"
#include "memory/memory_resource.h"
#include "support/fork_gate.h"
#include "support/short_mutex.h"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace treadle {

struct MemoryLimits {
  /// The queue is flushed when it holds more entries than `pendingCount`, or more than this share of the memory.
  size_t pendingCount = 10;
  double pendingRatio = 0.2;
  size_t cacheBytes = size_t(1) << 30; ///< the most that the cache keeps
};

/// Another resource to return to a device: a stream, an event, a module. Made together with it, so that queueing it
/// later allocates nothing.
struct QueuedResource {
  std::shared_ptr<const void> resource;
  std::unique_ptr<QueuedResource> next = nullptr;
};

/// When the last reference to memory is dropped, its block is queued, as freeing may make a device wait. A flush of the
/// queue moves blocks to the cache, where the next allocation of that size looks first; blocks beyond the cache's limit
/// are returned to the device.
///
/// The queue is flushed when it is full, before a failed allocation is retried, and by `clear`, but not while flushing
/// is deferred. A block that a stream still uses is reused only on that stream until the use is over. If freeing a
/// block fails, that block is lost, and the rest stay queued until the next flush. Only the device's own kind of memory
/// is cached.
///
/// The device is never called with the lock held: blocks are chosen and unlinked under the lock, and returned after it
/// is released.
class TREADLE_API MemoryManager final : public MemoryResource {
public:
  MemoryManager(Device &device, const MemoryLimits &limits);
  ~MemoryManager() override;

  /// Throws DeviceError (OutOfMemory) if memory is insufficient even without pending and cached blocks. Takes no blocks
  /// that streams still use: a caller that can wait waits for `pointsThatMayHelp` and retries.
  void allocate(const AllocationRequest &request, LiveAllocation &allocation) override;
  /// After a failed allocation: the unfinished uses of blocks without an owner, empty if they have completed since.
  /// None if waiting does not help.
  std::optional<std::vector<StreamPoint>> pointsThatMayHelp(size_t bytes) const;
  /// Queues the block. Failures are kept for `takeFailures`.
  void release(LiveAllocation &allocation) noexcept override;
  void releaseLater(std::unique_ptr<QueuedResource> resource) noexcept;
  /// Drops the owners of foreign memory that has no views left and whose last use is known to be complete.
  void returnLent() noexcept;
  /// The uses that such memory waits for; empty if there are none.
  std::vector<StreamPoint> usesOfLent() const;
  /// Exports the memory at that address to other processes: it is never reused. Returns the uses of its current holder.
  std::vector<StreamPoint> leaveCacheAt(const char *address);
  /// Redirects allocations to an external library, bypassing queue and cache, except for requests that are `isOwn`;
  /// null: back to the device. It outlives the manager.
  void takeFrom(ExternalMemory *library) { external.store(library); }
  /// Whether any memory allocated from the device has not been returned, other than what a reset has voided.
  bool holdsMemory() const;

  /// Flushes the queue, unless flushing is deferred. Throws the device's error.
  void clear();
  /// Returns the cache to the device, except for blocks in use by streams. Throws the device's error; the remaining
  /// blocks stay cached.
  void trim();
  /// Between these calls, which nest, only failed allocations flush the queue. The last `endDeferral` flushes it, and
  /// throws the device's error.
  void defer();
  void endDeferral();
  bool isDeferred() const;
  /// All live allocations become lost; the queue and the cache are emptied. Throws the device's error.
  void reset() override;

  MemoryFigures figures() const override;
  /// Sets the peak to the current usage.
  void resetPeak();
  /// Called on the allocating thread for the place in the program of each allocation.
  using PlaceSource = std::string (*)();
  void notePlaces(PlaceSource source) { placeSource.store(source); }
  struct Live {
    size_t bytes; ///< as requested
    std::string place;
  };
  /// Live allocations of the device's memory, oldest first.
  std::vector<Live> liveAllocations() const;
  MemoryLimits limits() const;
  /// Memory beyond the new limits is released at once, except for blocks in use and while deallocations are deferred.
  void setLimits(const MemoryLimits &limits);
  /// The failures of functions that do not throw; each is reported once.
  std::vector<std::string> takeFailures();
  bool hasFailed() const { return hasFailures.load(std::memory_order_relaxed); }
  /// For tests: whether some thread holds the lock.
  bool isLocked() const { return mutex.isLocked(); }

private:
  /// Sizes from 256 bytes to 64 MiB, eight for each power of two: a block is at most an eighth larger than the request.
  /// Larger blocks are multiples of 2 MiB.
  static constexpr size_t largestClass = size_t(64) << 20, largeStep = size_t(2) << 20;
  static constexpr size_t classCount = 8 * 26 + 1;
  static size_t classOf(size_t bytes);
  static size_t bytesOfClass(size_t index);
  /// The size class of a request.
  struct UsualBlock {
    size_t bytes;      ///< at most an eighth more than the request
    BlockList &cached; ///< the free blocks of that size
  };
  // These only find a list; its content is guarded by `mutex`.
  UsualBlock usualBlock(size_t bytes);
  BlockList &cacheFor(size_t bytes);

  // These take the lock themselves.
  void allocateOwn(const AllocationRequest &request, LiveAllocation &allocation);
  void adopt(const AllocationRequest &request, LiveAllocation &allocation);
  void takeExternal(const AllocationRequest &request, LiveAllocation &allocation);
  void disown(LiveAllocation &allocation) noexcept;
  bool takeCached(const UsualBlock &usual, LiveAllocation &allocation, const StreamTimeline *stream, bool looksAtAll);
  bool takeFresh(size_t bytes, LiveAllocation &allocation, MemoryKind kind);
  void flush();
  void dropResources();
  void loseRest();
  BlockList settlePending();
  void flushIfFull() noexcept;
  void emptyCache(size_t keptBytes = 0);
  void giveBack(BlockList &blocks);
  void giveBackLost() noexcept;
  void note(const DeviceError &failure) noexcept;
  template <typename Action> void noteFailureOf(Action action) noexcept;

  // Precondition of these: `mutex` is held.
  void handOut(MemoryBlock *block, LiveAllocation &allocation, const StreamTimeline *stream);
  void link(LiveAllocation &allocation);
  void unlink(LiveAllocation &allocation);
  void keep(MemoryBlock *block);
  std::optional<MemoryOwner> takeBack(MemoryBlock *block);
  size_t queued() const { return pending.size() + resourceCount; }
  /// Whether the queue is beyond its bounds, and flushing is not deferred.
  bool isFull() const;
  std::string shortage(size_t bytes) const;

  const size_t capacity;
  std::atomic<ExternalMemory *> external{nullptr};
  mutable ShortMutex mutex;
  MemoryLimits bounds; ///< guarded by mutex, as all below
  BlockList pending;
  std::unique_ptr<QueuedResource> pendingResources; ///< most recent first
  size_t resourceCount = 0;
  std::array<BlockList, classCount> cache;
  BlockList largeCache; ///< blocks of no class
  BlockList lost;       ///< from before a reset, still in use by a stream
  BlockList lent;       ///< foreign memory without a view, still in use by a stream
  BlockList spare;      ///< blocks without memory, reused for foreign memory
  static constexpr size_t mostSpare = 64;
  /// Above this many, poll the streams; rises with what is found in use.
  static constexpr size_t usualLent = 16;
  size_t mostLent = usualLent;
  MemoryFigures counted;
  LiveAllocation live; ///< the head of a ring
  size_t deferrals = 0;
  std::vector<std::string> failures;
  std::atomic<bool> hasFailures{false};
  std::atomic<PlaceSource> placeSource{nullptr};
  const AtForks atForks;
};

} // namespace treadle
