// Handles: what programs hold in place of objects, and how calls find the objects while other threads free them.
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

class RepeatedLaunches;

enum class HandleKind : uint8_t { Device = 1, Stream, Event, Memory, Array, Image, Kernel };

/// What a handle stands for. The handle has one reference.
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

/// A reference to an object, which other threads may free meanwhile.
template <typename T> class Ref {
public:
  explicit Ref(T &object) : object(&object) { object.retain(); }
  /// Takes the reference over.
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

/// The calling thread is inside a call: objects that it finds stay until it has left, whoever frees their handles.
///
/// Freeing must see who is inside. While one thread has made all calls, nobody else looks, so that entering is a plain
/// store. From the second thread on it has a fence: freeing is as frequent as entering then, so that making all other
/// processors take part in it, as Passage does, would cost more.
class Pin {
public:
  Pin() : place(own ? *own : takePlace()) {
    if (place.depth++ != 0)
      return;
    const uint64_t entered = place.sequence.load(std::memory_order_relaxed) + 1;
    place.sequence.store(entered, std::memory_order_relaxed);
    // Looked at behind the store: whoever comes second sets it, and makes all stores before that seen.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (isCrowded.load(std::memory_order_relaxed))
      place.sequence.exchange(entered, std::memory_order_seq_cst);
  }
  Pin(const Pin &) = delete;
  Pin &operator=(const Pin &) = delete;
  inline ~Pin();

  /// Of a thread. Never freed: a thread that has ended leaves it to the next one.
  struct alignas(64) Place {
    std::atomic<uint64_t> sequence{0}; ///< odd: inside
    unsigned depth = 0;                ///< of its own thread only
    std::atomic<bool> isTaken{true};
    Place *next = nullptr;                ///< never changes once others see the place
    RepeatedLaunches *launches = nullptr; ///< owned; of its own thread only
  };

  /// The calling thread's; null: it has not been inside yet.
  static constinit thread_local Place *own;

private:
  friend class Handles;
  static std::atomic<bool> isCrowded; ///< more than one thread has been inside
  static Place &takePlace();
  Place &place;
};

/// The table of the process. Finding takes no lock.
class Handles {
public:
  static Handles &instance() {
    Handles *const known = all.load(std::memory_order_acquire);
    return known ? *known : made();
  }

  /// Takes the reference over.
  HandleValue add(HandleKind kind, Object *object);
  /// Within a Pin. Null: no handle, one of another kind, or a freed one.
  Object *find(HandleKind kind, HandleValue value) const {
    const Slot *const slot = slotOf(value);
    if (!slot || slot->value.load(std::memory_order_acquire) != value || kindOf(value) != kind) [[unlikely]]
      return nullptr;
    return slot->object;
  }
  /// Where the value of a handle that is found stays until the handle is freed.
  const std::atomic<HandleValue> &placeOf(HandleValue value) const { return slotOf(value)->value; }
  /// Within a Pin. False: there is no such handle (any more). The object is released once no other call may use it.
  bool free(HandleKind kind, HandleValue value);
  /// For a thread that has none.
  Pin::Place &takePlace();
  /// Releases what was freed while other threads were inside, where they have left since.
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
    Object *object = nullptr;          ///< written before `value`, and again only when no call can see it
    uint64_t generation = 0;           ///< of the slot's taker
    std::atomic<uint32_t> next{0};     ///< in FreeSlots
  };
  using Chunk = std::array<Slot, chunkSlots>;

  /// The free slots, the last one first. Takes no lock.
  class FreeSlots {
  public:
    explicit FreeSlots(Handles &table) : table(table) {}
    void push(uint32_t slot);
    std::optional<uint32_t> pop();

  private:
    Handles &table;
    std::atomic<uint64_t> head{0}; ///< how many changes it has seen, and the first slot's number from 1 on
  };

  /// A freed object, and the threads that were inside then.
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
