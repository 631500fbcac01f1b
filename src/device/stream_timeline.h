// Positions in streams: what has run, and recorded events.
#pragma once

#include "support/export.h"
#include "support/trace.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace treadle {

/// The progress of a stream, by the positions of its work. Outlives the stream, as points refer to it.
class TREADLE_API StreamTimeline {
public:
  virtual ~StreamTimeline();
  /// Whether everything up to the position has run; monotonic. A single load, as it is called often and under locks.
  bool isComplete(uint64_t position) const { return completed.load() >= position; }
  /// Polls the progress of the stream, if its device does not report it. Called under no lock.
  virtual void look() noexcept {}
  /// Returns when the position is complete. The caller must hold no locks that queued work may need.
  void wait(uint64_t position);
  /// The same with a timeout, after which it returns false.
  virtual bool waitFor(uint64_t position, std::chrono::milliseconds time) = 0;
  /// Cancels the work queued so far on all streams of its device: running kernels and copies stop soon, queued launches
  /// and copies are skipped. Reported only to threads that are waiting for that work.
  virtual void interrupt() = 0;
  /// The position up to which work was cancelled.
  virtual uint64_t interruptedUpTo() const = 0;
  /// The unreported failures of work up to the position, which counts as reporting them: a QueuedFailure, or null.
  virtual std::exception_ptr takeFailure(uint64_t position) = 0;
  /// Of its stream, if the device takes part in traces.
  virtual TraceTrack track() const { return {}; }

  /// Whether the stream may be captured into a graph, or replaced by a capture stream. Checked before queueing work,
  /// before the more expensive query of the device.
  bool isWatched() const { return watches.load(std::memory_order_relaxed) != 0; }
  void watch() { watches.fetch_add(1); }
  void unwatch() { watches.fetch_sub(1); }

protected:
  std::atomic<unsigned> watches{0};
  /// Everything up to this position has run. Shares no cache line with anything that threads write when they queue
  /// work.
  alignas(64) std::atomic<uint64_t> completed{0};
};

/// Everything queued on one stream up to some moment.
struct StreamPoint {
  std::shared_ptr<StreamTimeline> timeline; ///< null: no work, so complete
  uint64_t position = 0;

  /// As far as is known; `hasRun` polls.
  bool isComplete() const { return !timeline || timeline->isComplete(position); }
  /// Called under no lock.
  bool hasRun() const {
    if (isComplete())
      return true;
    timeline->look();
    return isComplete();
  }
  /// The same, but throws if the device is lost, as nothing would ever complete.
  bool hasRunOrThrows() const { return isComplete() || timeline->waitFor(position, std::chrono::milliseconds(0)); }
  void wait() const {
    if (timeline)
      timeline->wait(position);
  }
};

/// Adds a use to a list with at most one per stream; drops complete ones if it scans the list anyway.
TREADLE_API void noteUse(std::vector<StreamPoint> &uses, const std::shared_ptr<StreamTimeline> &timeline,
                         uint64_t position);
inline void noteUse(std::vector<StreamPoint> &uses, const StreamPoint &point) {
  noteUse(uses, point.timeline, point.position);
}

/// What a device records at an event, for Device::elapsed.
class TREADLE_API EventState {
public:
  virtual ~EventState();
};

/// A recorded event. Immutable except for the state, which is written before the point is complete.
struct EventPoint {
  StreamPoint point;
  std::shared_ptr<const EventState> state; ///< null: recorded without timing
};

} // namespace treadle
