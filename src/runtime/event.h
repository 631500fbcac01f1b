// Event: a point in a stream's order that a program records, waits for and measures from.
#pragma once

#include "runtime/runtime.h"

#include <mutex>
#include <string_view>

namespace treadle {

/// Belongs to a device; after a reset of that, all functions but `state` throw DeviceError (ContextIsDestroyed).
/// Thread-safe.
class TREADLE_API Event {
public:
  /// `measuresTime`: false for ordering only.
  Event(DeviceContext &context, bool measuresTime);

  /// Replaces the point by the end of the work queued so far; waits for the earlier point are unaffected. Throws
  /// UsageError (Value) if the stream is one of another device.
  void record(Stream &stream);
  /// The last recorded point. Without a recording: an empty one, which is complete.
  StreamPoint point() const { return usable().point; }
  /// Throws as cuEventElapsedTime does: DeviceError (InvalidHandle) if the events are of different devices, or one of
  /// them was never recorded or measures no time, (NotReady) if one is not complete.
  double millisecondsUntil(const Event &end) const;
  /// "not recorded", "pending" or "complete". Throws nothing.
  std::string_view state() const;

private:
  EventPoint recorded() const;
  EventPoint usable() const;
  EventPoint timed(std::string_view name) const;

  DeviceContext &context;
  const uint64_t generation; ///< of the device
  const bool measuresTime;
  mutable std::mutex mutex;
  EventPoint last; ///< guarded by mutex
};

} // namespace treadle
