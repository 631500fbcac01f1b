// The free list, and when an object whose handle was freed is released.
#include "capi/handles.h"

#include "support/asymmetric_gate.h"

#include <algorithm>
#include <new>
#include <pthread.h>

namespace treadle::capi {

namespace {

/// The slots of all threads. Never destroyed: threads may end at exit.
struct PinPlaces {
  std::atomic<Pin::Place *> first{nullptr};
  pthread_key_t key{};

  static PinPlaces &instance() {
    static PinPlaces *const all = new PinPlaces;
    return *all;
  }

  bool areTaken() const {
    for (const Pin::Place *place = first.load(); place; place = place->next)
      if (place->isTaken.load())
        return true;
    return false;
  }
  Pin::Place &take() {
    for (Pin::Place *place = first.load(); place; place = place->next)
      if (!place->isTaken.exchange(true))
        return *place;
    auto *const made = new Pin::Place;
    made->next = first.load();
    while (!first.compare_exchange_weak(made->next, made))
      ;
    return *made;
  }

private:
  PinPlaces();
};

void endOfThread(void *place) {
  Pin::own = nullptr;
  static_cast<Pin::Place *>(place)->isTaken.store(false);
}

PinPlaces::PinPlaces() { pthread_key_create(&key, endOfThread); }

bool hasLeft(const std::pair<const Pin::Place *, uint64_t> &seen) {
  return seen.first->sequence.load(std::memory_order_acquire) != seen.second;
}

} // namespace

constinit thread_local Pin::Place *Pin::own = nullptr;
constinit std::atomic<bool> Pin::isCrowded{false};

constinit std::atomic<Handles *> Handles::all{nullptr};

Handles &Handles::made() {
  static Handles *const first = new Handles;
  all.store(first, std::memory_order_release);
  return *first;
}

/// By a key, as AsymmetricGate::takePlace.
Pin::Place &Pin::takePlace() {
  own = &Handles::instance().takePlace();
  pthread_setspecific(PinPlaces::instance().key, own);
  return *own;
}

/// Under the mutex, so that no thread gets a slot before the other threads' stores are visible.
Pin::Place &Handles::takePlace() {
  const std::lock_guard lock(mutex);
  PinPlaces &places = PinPlaces::instance();
  const bool isAlone = !places.areTaken();
  Pin::Place &taken = places.take();
  if (!Pin::isCrowded.load() && !(isAlone && fenceAllThreads())) {
    Pin::isCrowded.store(true);
    fenceAllThreads();
  }
  return taken;
}

void Handles::FreeSlots::push(uint32_t slot) {
  uint64_t seen = head.load(std::memory_order_relaxed);
  uint64_t wanted = 0;
  do {
    table.slotAt(slot).next.store(uint32_t(seen), std::memory_order_relaxed);
    wanted = ((seen >> 32) + 1) << 32 | (slot + 1);
  } while (!head.compare_exchange_weak(seen, wanted, std::memory_order_release, std::memory_order_relaxed));
}

std::optional<uint32_t> Handles::FreeSlots::pop() {
  uint64_t seen = head.load(std::memory_order_acquire);
  for (;;) {
    const auto first = uint32_t(seen);
    if (first == 0)
      return std::nullopt;
    // Another thread may take it meanwhile: then the head has changed.
    const uint32_t next = table.slotAt(first - 1).next.load(std::memory_order_relaxed);
    const uint64_t wanted = ((seen >> 32) + 1) << 32 | next;
    if (head.compare_exchange_weak(seen, wanted, std::memory_order_acquire))
      return first - 1;
  }
}

void Handles::addChunk() {
  if (used > slotMask)
    throw std::bad_alloc();
  auto made = std::make_unique<Chunk>();
  chunks[used >> chunkBits].store(made.release(), std::memory_order_release);
  for (size_t slot = chunkSlots; slot > 0; --slot)
    freeSlots.push(uint32_t(used + slot - 1));
  used += chunkSlots;
}

uint32_t Handles::takeSlot() {
  if (const std::optional<uint32_t> slot = freeSlots.pop()) [[likely]]
    return *slot;
  const std::lock_guard lock(mutex);
  for (;;) {
    if (const std::optional<uint32_t> slot = freeSlots.pop())
      return *slot;
    addChunk();
  }
}

HandleValue Handles::add(HandleKind kind, Object *object) {
  const uint32_t index = takeSlot();
  Slot &slot = slotAt(index);
  slot.object = object;
  const HandleValue value = ++slot.generation << generationShift | uint64_t(kind) << slotBits | index;
  slot.value.store(value, std::memory_order_release);
  return value;
}

bool Handles::free(HandleKind kind, HandleValue value) {
  if (!slotOf(value) || kindOf(value) != kind)
    return false;
  const auto index = uint32_t(value & slotMask);
  HandleValue expected = value;
  if (!slotAt(index).value.compare_exchange_strong(expected, 0, std::memory_order_seq_cst))
    return false;
  Retired retired{index, {}};
  for (const Pin::Place *place = PinPlaces::instance().first.load(); place; place = place->next)
    if (const uint64_t sequence = place->sequence.load(std::memory_order_seq_cst);
        (sequence & 1) != 0 && (place != Pin::own || place->depth > 1))
      retired.inside.push_back({place, sequence});
  if (retired.inside.empty()) {
    release(index);
    return true;
  }
  const std::lock_guard lock(mutex);
  this->retired.push_back(std::move(retired));
  waiting.store(this->retired.size(), std::memory_order_relaxed);
  return true;
}

/// Under no lock, as it may call the program.
void Handles::release(uint32_t slot) {
  const Object *const object = std::exchange(slotAt(slot).object, nullptr);
  freeSlots.push(slot);
  object->release();
}

void Handles::releaseWaiting() {
  for (;;) {
    uint32_t slot = 0;
    {
      const std::lock_guard lock(mutex);
      const auto found =
          std::ranges::find_if(retired, [](const Retired &one) { return std::ranges::all_of(one.inside, hasLeft); });
      if (found == retired.end())
        return;
      slot = found->slot;
      retired.erase(found);
      waiting.store(retired.size(), std::memory_order_relaxed);
    }
    release(slot);
  }
}

/// Only the forking thread exists here.
void Handles::beginChild() {
  new (&mutex) std::mutex;
  for (Pin::Place *place = PinPlaces::instance().first.load(); place; place = place->next)
    if (place != Pin::own) {
      place->sequence.store(0);
      place->depth = 0;
      place->isTaken.store(false);
    }
  for (Retired &one : retired)
    one.inside.clear();
}

} // namespace treadle::capi
