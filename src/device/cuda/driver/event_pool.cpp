// Events are destroyed only with their context.
#include "device/cuda/driver/event_pool.h"

namespace treadle::cuda {

PooledEvent::~PooledEvent() {
  if (pool.context.isUsable() && generation == pool.context.generation())
    pool.giveBack(*this);
}

std::shared_ptr<const PooledEvent> EventPool::take(bool hasTime) {
  EventHandle handle = nullptr;
  {
    const std::lock_guard lock(mutex);
    if (std::vector<EventHandle> &known = free[hasTime]; !known.empty()) {
      handle = known.back();
      known.pop_back();
    }
  }
  if (!handle)
    context.check(context.driver.eventCreate(&handle, hasTime ? eventDefault : eventDisableTiming), "make an event");
  return std::make_shared<const PooledEvent>(*this, handle, hasTime, context.generation());
}

void EventPool::forget() {
  const std::lock_guard lock(mutex);
  for (std::vector<EventHandle> &known : free)
    known.clear();
}

void EventPool::giveBack(const PooledEvent &event) {
  const std::lock_guard lock(mutex);
  free[event.hasTime].push_back(event.handle);
}

} // namespace treadle::cuda
