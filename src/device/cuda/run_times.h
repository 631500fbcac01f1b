// RunTimes: when work of a GPU's streams ran, by a pair of events around it; only while a trace is recorded.
#pragma once

#include "device/copy_shape.h"
#include "device/cuda/driver/event_pool.h"
#include "device/traced_call.h"

#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace treadle::cuda {

/// The time between two events is exact; to place it on the host's clock, it is measured from an *anchor*: an event on
/// a separate stream, whose host time is known to some microseconds. A new anchor is made each second: differences are
/// floats of milliseconds, and the clocks drift apart.
class RunTimes {
public:
  RunTimes(Context &context, EventPool &events) : context(context), events(events) {}
  RunTimes(const RunTimes &) = delete;
  RunTimes &operator=(const RunTimes &) = delete;
  ~RunTimes() = default;

  struct Anchor {
    std::shared_ptr<const PooledEvent> event;
    uint64_t nanoseconds = 0; ///< of the monotonic clock
  };
  /// Work between two events of one stream.
  struct Run {
    std::shared_ptr<const PooledEvent> begin = {}, end = {};
    std::shared_ptr<const Anchor> anchor = {};
    TraceTrack track = {};
    uint64_t work = 0;
    std::string name = {};
  };

  /// The functions below are called within a Current. Work for which the driver refuses a call is missing in the trace;
  /// that is not an error.

  /// An event at the current position of the stream; null: the stream is being captured, or the driver refused.
  std::shared_ptr<const PooledEvent> mark(StreamHandle stream) noexcept;
  /// Completes the run, whose beginning is marked.
  void end(Run run, StreamHandle stream) noexcept;

  /// Notes the completed runs. Needs no Current.
  void settle() noexcept;
  /// The context was reset: its events are void.
  void forget();

private:
  std::shared_ptr<const Anchor> anchor();
  void settleWithin();
  bool note(const Run &run);

  Context &context;
  EventPool &events;
  std::mutex mutex;
  std::deque<Run> runs; ///< may be incomplete; guarded by mutex, as the next ones
  std::shared_ptr<const Anchor> latest;
  StreamHandle aside = nullptr; ///< for anchors: waits for nothing
};

/// A request to a stream, with the time that its device takes for it. Within a Current.
class TracedWork : public TracedCall {
public:
  struct Place {
    RunTimes &times;
    const Stream &stream;
    StreamHandle handle; ///< the stream's
  };
  TracedWork(const Place &place, TraceKind kind, std::string_view name)
      : TracedCall(place.stream, kind, name), place(place) {
    if (span.event) [[unlikely]]
      begin();
  }
  TracedWork(const TracedWork &) = delete;
  TracedWork &operator=(const TracedWork &) = delete;
  ~TracedWork() {
    if (span.event) [[unlikely]]
      end();
  }

private:
  void begin();
  void end();

  const Place place;
  std::optional<RunTimes::Run> run;
};

/// A copy, or one piece of it.
class TracedCopy : public TracedWork {
public:
  TracedCopy(const Place &place, const CopyShape &shape) : TracedWork(place, TraceKind::Copy, "copy") {
    copies(uint64_t(shape.bytes()), shape.toLocation, shape.fromLocation);
  }
};

} // namespace treadle::cuda
