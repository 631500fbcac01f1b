// MemoryBlock: a piece of memory from a device, with the streams that use it; and lists of blocks.
#pragma once

#include "device/memory_kind.h"
#include "device/stream.h"
#include "support/export.h"
#include "support/short_mutex.h"

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace treadle {

/// Up to which point each stream uses a piece of memory. Any number of threads may note uses at once.
///
/// Most memory is used on one stream. The first stream's timeline stays in place, so that a further use on it costs a
/// comparison and a store; uses on other streams take a lock.
class TREADLE_API StreamUses {
public:
  void note(const StreamPoint &point) {
    if (timeline.load(std::memory_order_acquire) != point.timeline.get()) [[unlikely]]
      return noteOther(point);
    uint64_t known = position.load(std::memory_order_relaxed);
    while (known < point.position && !position.compare_exchange_weak(known, point.position))
      ;
  }
  /// All of them, complete or not; at most one of a stream.
  std::vector<StreamPoint> all() const;

  // The caller of the functions below must be the object's only user.

  bool areNone() const { return !owner && others.empty(); }
  /// Whether no use is unfinished, except on the given timeline. Forgets all uses once all are complete.
  bool areDone(const StreamTimeline *except = nullptr) { return areNone() || areAllDone(except); }
  /// The use on the first stream; null if there is none.
  StreamPoint first() const { return {owner, position.load(std::memory_order_relaxed)}; }

private:
  void noteOther(const StreamPoint &point);
  bool areAllDone(const StreamTimeline *except);

  std::atomic<StreamTimeline *> timeline{nullptr}; ///< of the first stream, `owner`'s; stays until all uses are done
  std::atomic<uint64_t> position{0};
  mutable ShortMutex changing;
  std::shared_ptr<StreamTimeline> owner; ///< written once, before `timeline` is
  std::vector<StreamPoint> others;       ///< of other streams; guarded by changing
};

class BlockList;

/// A piece of a device's memory from allocation to release. It moves from a Buffer to the queue, the cache and the next
/// Buffer, so that none of these steps has to allocate.
struct MemoryBlock {
  char *memory = nullptr;
  size_t bytes = 0; ///< requested from the device
  MemoryKind kind = MemoryKind::Device;
  bool isForeign = false; ///< memory that the device did not allocate
  StreamUses uses;
  BlockList *cache = nullptr;  ///< where it lies while it is free
  MemoryBlock *next = nullptr; ///< in a BlockList
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
