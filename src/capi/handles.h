// Handles: what programs hold in place of objects, and how calls resolve them while other threads free them.
#pragma once

#include "support/fork_gate.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace treadle::capi {

class KernelLaunches;

enum class HandleKind : uint8_t { Device = 1, Stream, Event, Memory, Array, Image, Kernel };

/// The object of a handle, which holds one reference.
class Object {
public:
  Object() = default;
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;
  virtual ~Object() = default;

  void retain() const { references.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

private:
  mutable std::atomic<uint32_t> references{1};
};

/// A reference to an object whose handle other threads may free meanwhile.
template <typename T> class Ref {
public:
  explicit Ref(T &object) : object(&object) { object.retain(); }
  /// Takes over the reference.
  static Ref adopt(T *object) { return Ref(object); }
  Ref(const Ref &other) : Ref(*other.object) {}
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() {
    if (object)
      object->release();
  }
  T *operator->() const { return object; }
  T &operator*() const { return *object; }
  T *give() { return std::exchange(object, nullptr); }

private:
  explicit Ref(T *object) : object(object) {}
  T *object;
};

/// A handle's value: slot, kind and generation. No two handles of a process have the same one, and none is 0.
using HandleValue = uint64_t;

/// The calling thread is inside a call: objects that it finds stay alive until it leaves, even if their handles are
/// freed.
///
/// Freeing must observe all pins. Until a second thread calls in, pinning needs no fence, and is a plain store. After
/// that it has one, of 5 ns. An AsymmetricGate would move the cost to freeing, which is as frequent as pinning: its
/// barrier takes 130 ns with one thread and 16 us with a second one running, where export, import and freeing of an
/// array take 80 and 85 to 250 together, and closing it would wait for kernels that other threads run.
class Pin {
public:
  Pin() : place(own ? *own : takePlace()) {
    if (place.depth++ != 0)
      return;
    const uint64_t entered = place.sequence.load(std::memory_order_relaxed) + 1;
    place.sequence.store(entered, std::memory_order_relaxed);
    // Read after the store: the second thread sets it, and then makes all earlier stores visible.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (isCrowded.load(std::memory_order_relaxed))
      place.sequence.exchange(entered, std::memory_order_seq_cst);
  }
  Pin(const Pin &) = delete;
  Pin &operator=(const Pin &) = delete;
  inline ~Pin();

  /// A thread's slot. Never freed: the next thread reuses the slot of one that has ended.
  struct alignas(64) Place {
    std::atomic<uint64_t> sequence{0}; ///< odd: inside
    unsigned depth = 0;                ///< used by its own thread only
    std::atomic<bool> isTaken{true};
    Place *next = nullptr;              ///< constant once other threads see the slot
    KernelLaunches *launches = nullptr; ///< owned; used by its own thread only
  };

  /// The calling thread's; null: it has not been inside yet.
  static constinit thread_local Place *own;

private:
  friend class Handles;
  static std::atomic<bool> isCrowded; ///< more than one thread has been inside
  static Place &takePlace();
  Place &place;
};

/// The process's handle table. Lookups take no lock.
class Handles {
public:
  static Handles &instance() {
    Handles *const known = all.load(std::memory_order_acquire);
    return known ? *known : made();
  }

  /// Takes over the reference.
  HandleValue add(HandleKind kind, Object *object);
  /// Within a Pin. Null: not a handle, one of another kind, or a freed one.
  Object *find(HandleKind kind, HandleValue value) const {
    const Slot *const slot = slotOf(value);
    if (!slot || slot->value.load(std::memory_order_acquire) != value || kindOf(value) != kind) [[unlikely]]
      return nullptr;
    return slot->object;
  }
  bool isHandle(HandleValue value) const {
    const Slot *const slot = slotOf(value);
    return slot && slot->value.load(std::memory_order_acquire) == value;
  }
  /// Within a Pin. False: no such handle. The object is released once no other call can be using it.
  bool free(HandleKind kind, HandleValue value);
  /// For a thread without a slot.
  Pin::Place &takePlace();
  /// Releases objects that were freed while other threads were inside, if those have left since.
  void settle() {
    if (waiting.load(std::memory_order_relaxed) != 0) [[unlikely]]
      releaseWaiting();
  }

  static HandleKind kindOf(HandleValue value) { return HandleKind(value >> slotBits & 15); }

private:
  static constexpr unsigned slotBits = 20, chunkBits = 10;
  static constexpr size_t chunkSlots = size_t(1) << chunkBits;
  static constexpr uint64_t slotMask = (uint64_t(1) << slotBits) - 1;
  static constexpr unsigned generationShift = slotBits + 4;

  struct Slot {
    std::atomic<HandleValue> value{0}; ///< 0: free
    Object *object = nullptr;          ///< incremented by each thread that takes the slot
    uint64_t generation = 0;           ///< incremented by each owner of the slot
    std::atomic<uint32_t> next{0};     ///< in FreeSlots
  };
  using Chunk = std::array<Slot, chunkSlots>;

  /// The lock-free stack of free slots.
  class FreeSlots {
  public:
    explicit FreeSlots(Handles &table) : table(table) {}
    void push(uint32_t slot);
    std::optional<uint32_t> pop();

  private:
    Handles &table;
    std::atomic<uint64_t> head{0}; ///< a change count (against ABA), and the first slot's number plus 1
  };

  /// A freed object, and the threads that were inside at that time.
  struct Retired {
    uint32_t slot;
    std::vector<std::pair<const Pin::Place *, uint64_t>> inside;
  };

  Handles() = default;
  static Handles &made();
  void beginChild();
  const Slot *slotOf(HandleValue value) const {
    const uint64_t index = value & slotMask;
    const Chunk *const chunk = chunks[index >> chunkBits].load(std::memory_order_acquire);
    return chunk ? &(*chunk)[index & (chunkSlots - 1)] : nullptr;
  }
  Slot &slotAt(uint64_t index) { return const_cast<Slot &>(*slotOf(index)); }
  uint32_t takeSlot();
  void addChunk();
  void release(uint32_t slot);
  void releaseWaiting();

  static std::atomic<Handles *> all; ///< never destroyed: threads may use it at exit

  std::array<std::atomic<Chunk *>, (size_t(1) << slotBits) / chunkSlots> chunks{};
  FreeSlots freeSlots{*this};
  std::mutex mutex;
  uint32_t used = 0; ///< slots so far; guarded by mutex, as the next
  std::vector<Retired> retired;
  std::atomic<size_t> waiting{0}; ///< size of `retired`
  const AtForks atForks{this,
                        {[](void *self) { static_cast<Handles *>(self)->mutex.lock(); },
                         [](void *self) { static_cast<Handles *>(self)->mutex.unlock(); },
                         [](void *self) { static_cast<Handles *>(self)->beginChild(); }}};
};

inline Pin::~Pin() {
  if (--place.depth != 0)
    return;
  place.sequence.store(place.sequence.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  Handles::instance().settle();
}

} // namespace treadle::capi
