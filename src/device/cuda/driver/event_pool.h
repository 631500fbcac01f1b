// EventPool: driver events, created once and recorded many times.
#pragma once

#include "device/cuda/driver/context.h"
#include "device/stream_timeline.h"

#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cuda {

class EventPool;

/// A driver event, which returns to its pool once it has no references.
class PooledEvent final : public EventState {
public:
  PooledEvent(EventPool &pool, EventHandle handle, bool hasTime, uint64_t generation)
      : handle(handle), hasTime(hasTime), generation(generation), pool(pool) {}
  ~PooledEvent() override;

  const EventHandle handle;
  const bool hasTime;
  const uint64_t generation; ///< of the context

private:
  EventPool &pool;
};

/// Of one context. Thread-safe.
class EventPool {
public:
  explicit EventPool(Context &context) : context(context) {}

  /// The context must be current.
  std::shared_ptr<const PooledEvent> take(bool hasTime);
  /// After a reset of the context: its events are void.
  void forget();

private:
  friend class PooledEvent;
  void giveBack(const PooledEvent &event);

  Context &context;
  std::mutex mutex;
  std::vector<EventHandle> free[2]; ///< without and with time; guarded by mutex
};

} // namespace treadle::cuda
