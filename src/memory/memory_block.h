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
#include <span>
#include <utility>
#include <vector>

namespace treadle {

/// A monotonic maximum, updated concurrently.
class LastPosition {
public:
  void note(uint64_t position) {
    uint64_t known = last.load(std::memory_order_relaxed);
    while (known < position && !last.compare_exchange_weak(known, position))
      ;
  }
  /// As `note`, if no other thread notes concurrently: avoids the bus lock, which is a tenth of a launch.
  void noteAlone(uint64_t position) {
    if (last.load(std::memory_order_relaxed) < position)
      last.store(position, std::memory_order_release);
  }
  uint64_t get() const { return last.load(std::memory_order_relaxed); }
  void restart(uint64_t position) { last.store(position, std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> last{0};
};

/// The use of several pieces of memory by the same work of one stream: one note covers all of them.
///
/// Referenced by the memory and by the work; written only by its UseNotes.
class SharedUse {
public:
  explicit SharedUse(std::shared_ptr<StreamTimeline> timeline) : timeline(std::move(timeline)) {}
  const std::shared_ptr<StreamTimeline> timeline;
  StreamPoint point() const { return {timeline, position.get()}; }
  /// `point` is final. The reference count does not tell this.
  bool isEnded() const { return ended.load(std::memory_order_acquire); }

private:
  friend class UseNotes;
  LastPosition position;
  std::atomic<bool> ended{false};
};

/// The only writer of a SharedUse, which ends with it.
class UseNotes {
public:
  explicit UseNotes(std::shared_ptr<StreamTimeline> timeline) : use(std::make_shared<SharedUse>(std::move(timeline))) {}
  UseNotes(UseNotes &&) = default;
  ~UseNotes() {
    if (use)
      use->ended.store(true, std::memory_order_release);
  }

  /// By one thread at a time.
  void note(uint64_t position) const { use->position.noteAlone(position); }
  const std::shared_ptr<StreamTimeline> &timeline() const { return use->timeline; }
  std::shared_ptr<const SharedUse> shared() const { return use; }

private:
  std::shared_ptr<SharedUse> use;
};

/// The SharedUses that a piece of memory takes part in. Ended ones are removed when another is added, which bounds
/// their number by that of the repeatable launches.
class SharedUses {
public:
  /// Ended uses that may be unfinished are moved to `points`.
  TREADLE_API void add(std::shared_ptr<const SharedUse> use, std::vector<StreamPoint> &points);
  void dropComplete() {
    std::erase_if(uses, [](const auto &use) { return use->point().isComplete(); });
  }
  /// The same, for ended uses only.
  void dropFinished() {
    std::erase_if(uses, [](const auto &use) { return use->isEnded() && use->point().isComplete(); });
  }
  std::span<const std::shared_ptr<const SharedUse>> all() const { return uses; }

private:
  std::vector<std::shared_ptr<const SharedUse>> uses;
};

/// Up to which position each stream uses a piece of memory. Thread-safe.
///
/// Fast path: most memory is used on one stream. The first stream's timeline stays in place, so that a further use on
/// it costs a comparison and a store; uses on other streams take a lock. Repeated launches with the same memory share
/// one SharedUse.
class TREADLE_API StreamUses {
public:
  void note(const std::shared_ptr<StreamTimeline> &on, uint64_t at) {
    if (timeline.load(std::memory_order_acquire) != on.get()) [[unlikely]]
      return noteOther({on, at});
    position.note(at);
  }
  /// Every position noted in it is a use from now on.
  void share(std::shared_ptr<const SharedUse> use);
  /// All of them, complete or not; at most one per stream.
  std::vector<StreamPoint> all() const;
  /// Whether all but those on that stream are known to be complete.
  bool areOnlyOn(const StreamTimeline *stream) const;
  /// Whether all are known to be complete.
  bool areComplete() const { return !areSome.load(std::memory_order_acquire) || areKnownComplete(); }

  // The caller of the functions below must be the object's only user.

  bool areNone() const { return !owner && others.empty() && shared.all().empty(); }
  /// Whether no use is unfinished, except on the given timeline. Forgets all uses once all are complete.
  bool areDone(const StreamTimeline *except = nullptr) { return areNone() || areAllDone(except); }

private:
  StreamPoint first() const { return {owner, position.get()}; }
  void noteOther(const StreamPoint &point);
  bool areKnownComplete() const;
  bool areAllDone(const StreamTimeline *except);

  std::atomic<StreamTimeline *> timeline{nullptr}; ///< of the first stream, `owner`'s; stays until all uses are done
  LastPosition position;
  std::atomic<bool> areSome{false}; ///< fast path, read without the lock: false where `areNone` holds
  mutable ShortMutex changing;
  std::shared_ptr<StreamTimeline> owner; ///< written once, before `timeline` is
  std::vector<StreamPoint> others;       ///< of other streams; guarded by changing, as the next
  SharedUses shared;
};

class BlockList;

/// The single reference that keeps foreign memory alive, and how it is dropped, on any thread. Not a shared_ptr, whose
/// control block would cost another allocation per import.
struct DropKept {
  void (*drop)(const void *) = nullptr;
  void operator()(const void *kept) const { drop(kept); }
};
using KeptMemory = std::unique_ptr<const void, DropKept>;

/// The owner of memory that the device did not allocate: `owner` keeps it alive, and is dropped after the last view is
/// gone and the queued work on it has run; null: the producer guarantees its lifetime. Work on the memory is ordered
/// after `usedBefore`, which may be empty.
struct MemoryOwner {
  KeptMemory owner;
  MemoryKind kind = MemoryKind::Device;
  StreamPoint usedBefore = {};
  std::shared_ptr<Stream> producer = {}; ///< the stream on which the owner continues to use the memory; null: none
  bool isManager = false;                ///< allocated on behalf of one Buffer by an external memory manager
};

/// A piece of a device's memory from allocation to release. It moves from a Buffer to the queue, the cache and the next
/// Buffer, so that none of these steps has to allocate.
struct MemoryBlock {
  char *memory = nullptr;
  size_t bytes = 0; ///< requested from the device
  MemoryKind kind = MemoryKind::Device;
  std::optional<MemoryOwner> owner; ///< of memory that the device did not allocate
  /// A foreign user may still use it when the last view is gone: it is freed to the device, which waits for that.
  std::atomic<bool> isShared{false};
  StreamUses uses;
  BlockList *cache = nullptr;  ///< the list that it returns to when it is free
  MemoryBlock *next = nullptr; ///< in a BlockList

  /// Not borrowed from another library.
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
  /// Precondition: not empty.
  MemoryBlock *popFront() {
    MemoryBlock *const block = head;
    head = block->next;
    if (!head)
      tail = nullptr;
    --count;
    return block;
  }
  /// Moves the blocks that satisfy the predicate to the end of `target`.
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
