// Streams: in-order queues of a device, points in their order, and the work that can be queued.
#pragma once

#include "device/launch_config.h"
#include "device/strided_copy.h"
#include "support/error.h"
#include "support/export.h"
#include "support/trace.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace treadle {

class Device;
class Kernel;

/// How far a stream has come, by the positions of its work. Outlives the stream, as points refer to it.
class TREADLE_API StreamTimeline {
public:
  virtual ~StreamTimeline();
  /// Whether everything up to the position has run; once true, always true. A single load, as it is called often and
  /// under locks.
  bool isComplete(uint64_t position) const { return completed.load() >= position; }
  /// Finds out how far the stream has come, where its device does not say so by itself. Called under no lock.
  virtual void look() noexcept {}
  /// Returns when the position is complete. The caller must hold no locks that queued work may need.
  void wait(uint64_t position);
  /// The same with a time limit, after which it returns false.
  virtual bool waitFor(uint64_t position, std::chrono::milliseconds time) = 0;
  /// Ends the work queued so far on all streams of its device: running kernels and copies stop soon, queued launches
  /// and copies are skipped. Reported only to threads that are waiting for that work.
  virtual void interrupt() = 0;
  /// The position up to which work was ended so.
  virtual uint64_t interruptedUpTo() const = 0;
  /// The unreported failures of work up to the position, which counts as reporting them: a QueuedFailure, or null.
  virtual std::exception_ptr takeFailure(uint64_t position) = 0;
  /// Of its stream, where the device takes part in traces.
  virtual TraceTrack track() const { return {}; }

  /// Whether the stream may be captured into a graph, or another one stand in for it. Whoever queues work asks this
  /// first, and only then the device.
  bool isWatched() const { return watches.load(std::memory_order_relaxed) != 0; }
  void watch() { watches.fetch_add(1); }
  void unwatch() { watches.fetch_sub(1); }

protected:
  std::atomic<unsigned> watches{0};
  /// Everything up to there has run. Shares no cache line with anything that threads write when they queue work.
  alignas(64) std::atomic<uint64_t> completed{0};
};

/// Everything queued on one stream up to some moment.
struct StreamPoint {
  std::shared_ptr<StreamTimeline> timeline; ///< null: no work, which is complete
  uint64_t position = 0;

  /// As far as is known; `hasRun` finds out.
  bool isComplete() const { return !timeline || timeline->isComplete(position); }
  /// Called under no lock.
  bool hasRun() const {
    if (isComplete())
      return true;
    timeline->look();
    return isComplete();
  }
  /// The same, but throws what has ended the device: nothing would ever be complete.
  bool hasRunOrThrows() const { return isComplete() || timeline->waitFor(position, std::chrono::milliseconds(0)); }
  void wait() const {
    if (timeline)
      timeline->wait(position);
  }
};

/// Adds a use to a list with at most one per stream; also drops complete ones if it has to go through the list.
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

/// The host, as seen by a call that may block its thread. All functions are called on that thread.
class LaunchWatcher {
public:
  /// Called when the call turns out to last longer than about 10 us, so that the host can release locks; the call
  /// continues when it returns. Called again each time the call has to wait.
  virtual void becomesLong() = 0;
  /// What the call is doing: running a kernel or a copy on this thread, or waiting.
  enum class Activity : uint8_t { Work, Wait };
  /// Called about 20 times a second after becomesLong, so that the host can handle signals. False: the call shall end.
  virtual bool goesOn(Activity activity) noexcept = 0;
  /// Receives what kernels printed, before the call returns.
  virtual void printed(std::string_view text) = 0;

protected:
  ~LaunchWatcher() = default;
};

/// Asks the host now and then whether a call shall go on.
class TREADLE_API HostLook {
public:
  HostLook(LaunchWatcher &watcher, LaunchWatcher::Activity activity);
  /// Mostly only a look at the clock. Once false, always false.
  bool goesOn();

private:
  LaunchWatcher &watcher;
  const LaunchWatcher::Activity activity;
  uint64_t next; ///< nanoseconds of the monotonic clock
  bool isWanted = true;
};

enum class LaunchOutcome : uint8_t {
  Done,
  Queued,      ///< it runs later; failures are reported by the call that waits for it
  Captured,    ///< it was recorded into a graph
  MustBeKept,  ///< nothing was done, as it would be recorded into a graph, and what it uses is not kept
  Interrupted, ///< ended by the watcher, or by StreamTimeline::interrupt: the kernel's results are incomplete
};

/// The host ended the wait, or another thread ended the work that was waited for.
class TREADLE_API WaitInterrupted : public Error {
public:
  WaitInterrupted();
  ~WaitInterrupted() override;
};

/// Waits for all points. Throws WaitInterrupted; if the host ended the wait, the work queued on the streams of their
/// devices is ended as well.
TREADLE_API void awaitPoints(std::span<const StreamPoint> points, LaunchWatcher &watcher);

/// The same for work that uses the caller's memory: it is over on return, whether it was ended or not.
TREADLE_API void awaitOwn(const StreamPoint &point, LaunchWatcher &watcher);

/// Makes a copy on the calling thread, as the work of the point; at position 0 only the host can end it. Throws as
/// awaitPoints does; the target is then partly written.
TREADLE_API void copyOnCaller(const StridedCopy &copy, const StreamPoint &point, LaunchWatcher &watcher);

/// Objects that must live until queued work has run. Memory of the device itself need not be among them: it is reused
/// only after the last point up to which it is used.
using HeldOwners = std::vector<std::shared_ptr<const void>>;

/// The maker of a launch, for QueuedFailure; keeps the kernel alive.
class LaunchOrigin {
public:
  /// Called on the stream's thread, before a launch that failed counts as complete.
  virtual std::shared_ptr<const LaunchOrigin> hold() = 0;
  /// Raises the launch's failure in the host's own form. Called by the host, on the thread that learns of the failure.
  virtual void raise(const std::exception_ptr &failure) const = 0;

protected:
  ~LaunchOrigin() = default;
};

/// The owners of the objects that a launch uses. Called only if the launch does not run at once.
class LaunchOwners {
public:
  /// Lives until `launch` has returned and the point given to `queued` is complete.
  virtual LaunchOrigin *origin() const = 0;
  /// Receives the point at which the launch will have run: what it uses lives until then.
  virtual void queued(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) const = 0;
  /// Keeps `origin` for a launch that is recorded into a graph.
  virtual std::shared_ptr<const void> captured() const { return nullptr; }

protected:
  ~LaunchOwners() = default;
};

struct LaunchRequest {
  const std::shared_ptr<Kernel> &kernel;
  const LaunchConfig &config;
  const void *parameters;     ///< a block of Image::parameters' layout, read before the launch returns
  const LaunchOwners *owners; ///< null: the launch uses the caller's memory, so it returns when it has run
  bool isKept = false;        ///< Stream::keepCaptured has got what it uses
};

/// What work uses that was recorded into a graph: kept as long as the graph, or anything made of it, may run.
struct CapturedUses {
  HeldOwners owners;
  /// Each notes that memory is used up to a point, and keeps that memory.
  std::vector<std::function<void(const StreamPoint &)>> notes = {};
  /// Other devices whose memory it is, with their generations.
  std::vector<std::pair<Device *, uint64_t>> peers = {};
  void add(const CapturedUses &more);
};

class Graph;

/// Queued work failed when it ran. Thrown by the next call that waits for its stream.
class TREADLE_API QueuedFailure : public Error {
public:
  QueuedFailure(std::exception_ptr failure, std::shared_ptr<const LaunchOrigin> origin);
  ~QueuedFailure() override;
  /// The first of several QueuedFailures, with the rest in `others`; null if there are none.
  static std::exception_ptr together(std::vector<std::exception_ptr> failures);

  const std::exception_ptr failure;                 ///< the exception of the work
  const std::shared_ptr<const LaunchOrigin> origin; ///< from LaunchOrigin::hold, if the work was a launch
  std::vector<std::exception_ptr> others;           ///< later failures reported with it: QueuedFailures
};

/// An in-order queue on one device.
class TREADLE_API Stream {
public:
  /// CUDA's rules: work on the legacy default stream waits for all earlier work of blocking streams, and their later
  /// work waits for it. All waiting is for earlier work, so it ends.
  enum class Kind : uint8_t { Legacy, Blocking, NonBlocking };
  virtual ~Stream();
  /// Throws UsageError (Value) if a block would need too much shared memory, KernelFault if the launch runs at once and
  /// fails, and QueuedFailure if the caller waited and earlier work has failed. Any number of threads may call it.
  virtual LaunchOutcome launch(const LaunchRequest &request, LaunchWatcher &watcher) = 0;
  /// The sides must not overlap. `held` null: returns when the copy is done, or throws WaitInterrupted. Throws
  /// QueuedFailure if earlier work has failed. A copy that is ended while it runs leaves its target partly written.
  virtual void copy(const StridedCopy &copy, const HeldOwners *held, LaunchWatcher &watcher) = 0;
  /// Sets each byte. Returns at once if `isQueued`, otherwise as `copy` does.
  virtual void fill(std::span<char> memory, uint8_t value, bool isQueued, LaunchWatcher &watcher) = 0;
  /// Queues a function, which a thread of the device calls. It must not wait, nor take the host's lock.
  virtual void run(std::function<void()> function) = 0;
  virtual EventPoint record(bool withTime) = 0;
  /// Work queued from now on runs after the point.
  virtual void wait(const StreamPoint &point) = 0;

  /// The end of the work queued so far.
  virtual StreamPoint last() = 0;
  /// Of `last()`: the stream's, as long as it lives.
  virtual const StreamTimeline *timeline() const = 0;
  /// Returns when all queued work has run. Throws QueuedFailure, WaitInterrupted.
  virtual void synchronize(LaunchWatcher &watcher) = 0;
  /// As in the CUDA driver: 0 is the default stream, 1 the legacy default stream, 2 the thread's default stream.
  virtual uint64_t handle() const = 0;
  /// Whether it and default streams wait for each other.
  virtual bool isBlocking() const { return true; }
  virtual Device &device() const = 0;

  /// What is put on the stream from now on is recorded in place of being run. Throws DeviceError where that is so
  /// already, or the stream cannot be captured.
  virtual void beginCapture();
  /// By the thread that began it. Throws DeviceError if the work makes no graph; the capture is over all the same.
  virtual std::shared_ptr<Graph> endCapture();
  /// Whether it is captured, by whatever software. It takes launches that are kept, copies with `held`, queued fills,
  /// functions, events and graphs then; what would have to wait throws failCaptured's error, and changes nothing.
  virtual bool isCaptured() { return false; }
  /// Before the work that uses it is recorded.
  virtual void keepCaptured(const CapturedUses &uses);
  /// Queues a graph of the same device, once.
  virtual void replay(const std::shared_ptr<Graph> &graph);
};

/// Throws DeviceError (StreamCaptureUnsupported). `advice`: what to do instead.
[[noreturn]] TREADLE_API void failCaptured(std::string_view operation, std::string_view advice);
inline constexpr std::string_view adviceOnCopies =
    "copy from and to memory of the device, or page-locked memory (cuda.pinned_array), or copy before the capture";
inline constexpr std::string_view adviceOnWaits = "wait before the capture, or behind a replay of the graph";

/// For the use of a stream that ended with a reset of its device: throws DeviceError.
[[noreturn]] TREADLE_API void failRetiredStream();

} // namespace treadle
