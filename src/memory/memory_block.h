// MemoryBlock: a piece of memory from a device, with the streams that use it; and lists of blocks.
#pragma once

#include "device/memory_kind.h"
#include "device/stream.h"
#include "support/export.h"
#include "support/short_mutex.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace treadle {

/// A position that only rises, whoever notes one first.
class LastPosition {
public:
  void note(uint64_t position) {
    uint64_t known = last.load(std::memory_order_relaxed);
    while (known < position && !last.compare_exchange_weak(known, position))
      ;
  }
  /// As `note`, where no other thread notes meanwhile: without the bus lock, which is a tenth of a launch.
  void noteAlone(uint64_t position) {
    if (last.load(std::memory_order_relaxed) < position)
      last.store(position, std::memory_order_release);
  }
  uint64_t get() const { return last.load(std::memory_order_relaxed); }
  void restart(uint64_t position) { last.store(position, std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> last{0};
};

/// Uses of several pieces of memory by the same work of one stream: one note says it for all of them. With the host's
/// lock, which is held from the launch on.
struct SharedUse {
  explicit SharedUse(std::shared_ptr<StreamTimeline> timeline) : timeline(std::move(timeline)) {}
  const std::shared_ptr<StreamTimeline> timeline;
  LastPosition position;
  StreamPoint point() const { return {timeline, position.get()}; }
};

/// Up to which point each stream uses a piece of memory. Any number of threads may note uses at once.
///
/// Most memory is used on one stream. The first stream's timeline stays in place, so that a further use on it costs a
/// comparison and a store; uses on other streams take a lock. Launches that are made again and again with the same
/// memory have one SharedUse for all of it.
class TREADLE_API StreamUses {
public:
  void note(const std::shared_ptr<StreamTimeline> &on, uint64_t at) {
    if (timeline.load(std::memory_order_acquire) != on.get()) [[unlikely]]
      return noteOther({on, at});
    position.note(at);
  }
  /// Whatever is noted in it is a use from now on.
  void share(std::shared_ptr<SharedUse> use);
  /// All of them, complete or not; at most one of a stream.
  std::vector<StreamPoint> all() const;
  /// Whether all but those on that stream are known to be complete.
  bool areOnlyOn(const StreamTimeline *stream) const;
  /// Whether all are known to be complete.
  bool areComplete() const { return !areSome.load(std::memory_order_acquire) || areKnownComplete(); }

  // The caller of the functions below must be the object's only user.

  bool areNone() const { return !owner && others.empty() && shared.empty(); }
  /// Whether no use is unfinished, except on the given timeline. Forgets all uses once all are complete.
  bool areDone(const StreamTimeline *except = nullptr) { return areNone() || areAllDone(except); }

private:
  StreamPoint first() const { return {owner, position.get()}; }
  void noteOther(const StreamPoint &point);
  bool areKnownComplete() const;
  bool areAllDone(const StreamTimeline *except);
  void foldEnded();

  std::atomic<StreamTimeline *> timeline{nullptr}; ///< of the first stream, `owner`'s; stays until all uses are done
  LastPosition position;
  std::atomic<bool> areSome{false}; ///< for who only asks that: false where `areNone` holds
  mutable ShortMutex changing;
  std::shared_ptr<StreamTimeline> owner; ///< written once, before `timeline` is
  std::vector<StreamPoint> others;       ///< of other streams; guarded by changing, as the next
  std::vector<std::shared_ptr<SharedUse>> shared;
};

class BlockList;

/// The one reference to what keeps memory alive, and how it is dropped, on whatever thread. No shared_ptr, whose count
/// would be one more allocation for each import.
struct DropKept {
  void (*drop)(const void *) = nullptr;
  void operator()(const void *kept) const { drop(kept); }
};
using KeptMemory = std::unique_ptr<const void, DropKept>;

/// Who answers for memory that the device did not allocate: `owner` keeps it alive, and is dropped with the last view
/// of it, once the work on it that was queued has run; null: its maker keeps it. Work on the memory comes behind
/// `usedBefore`, which may be none.
struct MemoryOwner {
  KeptMemory owner;
  MemoryKind kind = MemoryKind::Device;
  StreamPoint usedBefore = {};
  std::shared_ptr<Stream> producer = {}; ///< where the owner goes on using the memory; null: nowhere
  bool isManager = false;                ///< it has allocated the memory for one Buffer, as a device would
};

/// A piece of a device's memory from allocation to release. It moves from a Buffer to the queue, the cache and the next
/// Buffer, so that none of these steps has to allocate.
struct MemoryBlock {
  char *memory = nullptr;
  size_t bytes = 0; ///< requested from the device
  MemoryKind kind = MemoryKind::Device;
  std::optional<MemoryOwner> owner; ///< of memory that the device did not allocate
  /// Somebody else may still use it when the last view is gone: it goes back to the device, which waits for that.
  std::atomic<bool> isShared{false};
  StreamUses uses;
  BlockList *cache = nullptr;  ///< where it lies while it is free
  MemoryBlock *next = nullptr; ///< in a BlockList

  /// Not lent by another library.
  bool isOwn() const { return !owner || owner->isManager; }
};

/// Owns its blocks, but not the device's memory in them.
class BlockList {
public:
  BlockList() = default;
  BlockList(BlockList &&other) noexcept
      : head(std::exchange(other.head, nullptr)), tail(std::exchange(other.tail, nullptr)),
        count(std::exchange(other.count, 0)) {}
  BlockList &operator=(BlockList &&) = delete;
  ~BlockList() {
    while (head)
      delete popFront();
  }

  size_t size() const { return count; }
  MemoryBlock *front() const { return head; }
  void pushFront(MemoryBlock *block) {
    block->next = head;
    head = block;
    if (!tail)
      tail = block;
    ++count;
  }
  void pushBack(MemoryBlock *block) {
    block->next = nullptr;
    (tail ? tail->next : head) = block;
    tail = block;
    ++count;
  }
  /// There is one.
  MemoryBlock *popFront() {
    MemoryBlock *const block = head;
    head = block->next;
    if (!head)
      tail = nullptr;
    --count;
    return block;
  }
  /// Moves the blocks that fulfil the predicate to the end of `target`.
  template <typename Predicate> void moveTo(BlockList &target, Predicate isWanted) {
    for (size_t left = count; left > 0; --left) {
      MemoryBlock *const block = popFront();
      isWanted(*block) ? target.pushBack(block) : pushBack(block);
    }
  }

private:
  MemoryBlock *head = nullptr, *tail = nullptr;
  size_t count = 0;
};

} // namespace treadle
