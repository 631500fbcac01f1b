// Which slots are free, and when an object whose handle was freed may go.
#include "capi/handles.h"

#include <algorithm>
#include <new>
#include <pthread.h>

namespace treadle::capi {

namespace {

/// The places of all threads. Never destroyed: threads may end at exit.
struct PinPlaces {
  std::atomic<Pin::Place *> first{nullptr};
  pthread_key_t key{};

  static PinPlaces &instance() {
    static PinPlaces *const all = new PinPlaces;
    return *all;
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

/// By a key, as Passage::takePlace.
Pin::Place &Pin::takePlace() {
  PinPlaces &places = PinPlaces::instance();
  own = &places.take();
  pthread_setspecific(places.key, own);
  return *own;
}

/// Under the mutex. There is room for every slot afterwards, so that freeing allocates nothing.
void Handles::addChunk() {
  if (used > slotMask)
    throw std::bad_alloc();
  freeSlots.reserve(used + chunkSlots);
  auto made = std::make_unique<Chunk>();
  chunks[used >> chunkBits].store(made.release(), std::memory_order_release);
  for (size_t slot = chunkSlots; slot > 0; --slot)
    freeSlots.push_back(uint32_t(used + slot - 1));
  used += chunkSlots;
}

HandleValue Handles::add(HandleKind kind, Object *object) {
  const std::lock_guard lock(mutex);
  if (freeSlots.empty())
    addChunk();
  const uint32_t index = freeSlots.back();
  freeSlots.pop_back();
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
  {
    const std::lock_guard lock(mutex);
    this->retired.push_back(std::move(retired));
    waiting.store(this->retired.size(), std::memory_order_relaxed);
  }
  // The caller may still be inside; its own leaving settles what is left.
  return true;
}

void Handles::releaseWaiting() {
  for (;;) {
    const Object *object = nullptr;
    {
      const std::lock_guard lock(mutex);
      const auto found =
          std::ranges::find_if(retired, [](const Retired &one) { return std::ranges::all_of(one.inside, hasLeft); });
      if (found == retired.end())
        return;
      Slot &slot = slotAt(found->slot);
      object = std::exchange(slot.object, nullptr);
      freeSlots.push_back(found->slot);
      retired.erase(found);
      waiting.store(retired.size(), std::memory_order_relaxed);
    }
    object->release(); // under no lock, as it may call the program
  }
}

/// Only the thread that forked is there.
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
