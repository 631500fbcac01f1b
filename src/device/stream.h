// Streams: in-order queues of a device, the points in their order, and what can be put on them.
#pragma once

#include "device/launch_config.h"
#include "device/strided_copy.h"
#include "support/error.h"
#include "support/export.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace treadle {

class Device;
class Kernel;

/// What a stream was given and has finished, by position. Outlives the stream, as points refer to it.
class TREADLE_API StreamTimeline {
public:
  virtual ~StreamTimeline();
  /// Whether everything up to the position has run. It stays so. Costs a load: asked under locks, and often.
  bool isComplete(uint64_t position) const { return completed.load() >= position; }
  /// Returns when it is complete. Must not be called with locks held that what runs may need.
  virtual void wait(uint64_t position) = 0;
  /// Returns when it is complete, or after some time: false.
  virtual bool waitFor(uint64_t position, std::chrono::milliseconds time) = 0;
  /// Ends what all streams of its device were given so far: kernels that run stop soon, launches and copies that are
  /// queued are not made. Nobody is told but who waits for them at that moment.
  virtual void interrupt() = 0;
  /// The position up to which that was done.
  virtual uint64_t interruptedUpTo() const = 0;
  /// The failures of what has run up to the position, once: a QueuedFailure, or null.
  virtual std::exception_ptr takeFailure(uint64_t position) = 0;

protected:
  /// All up to there has run. On a line of the caches with nothing that who puts work on the stream writes.
  alignas(64) std::atomic<uint64_t> completed{0};
};

/// Everything that was put on one stream up to some moment.
struct StreamPoint {
  std::shared_ptr<StreamTimeline> timeline; ///< null: nothing, which is complete
  uint64_t position = 0;

  bool isComplete() const { return !timeline || timeline->isComplete(position); }
  void wait() const {
    if (timeline)
      timeline->wait(position);
  }
};

/// Notes one more use in a list that has at most one of a stream; drops those that are complete, where it has to look.
TREADLE_API void noteUse(std::vector<StreamPoint> &uses, const StreamPoint &point);

/// What a device notes when a moment comes, for Device::elapsed.
class TREADLE_API EventState {
public:
  virtual ~EventState();
};

/// What an event holds once it was recorded. Immutable but for the state, which is written before the point is
/// complete.
struct EventPoint {
  StreamPoint point;
  std::shared_ptr<const EventState> state; ///< null: recorded without timing
};

/// The host, to a call that may block its thread. All is called on that thread.
class LaunchWatcher {
public:
  /// Told when the call turns out to last longer than about 10 us: the moment to let go of locks. The call does not go
  /// on before it returns. Told again where it waits once more.
  virtual void becomesLong() = 0;
  /// Where a call stands: within a kernel, or where it waits for others.
  enum class Place : uint8_t { Kernel, Wait };
  /// Asked behind becomesLong, some 20 times a second: the moment to look at signals. False: the call shall end.
  virtual bool goesOn(Place place) noexcept = 0;
  /// Told on the calling thread, before the call returns, what threads of kernels printed.
  virtual void printed(std::string_view text) = 0;

protected:
  ~LaunchWatcher() = default;
};

enum class LaunchOutcome : uint8_t {
  Done,
  Queued,      ///< it runs later; what goes wrong then is told by whoever waits for it
  Interrupted, ///< ended by the watcher, or by StreamTimeline::interrupt: what the kernel writes is partly written
};

/// The host wanted a wait to end, or somebody else ended what was waited for.
class TREADLE_API WaitInterrupted : public Error {
public:
  WaitInterrupted();
  ~WaitInterrupted() override;
};

/// Waits for all of them. Throws WaitInterrupted; where that is the host's wish, all that their devices' streams have
/// been given is ended.
TREADLE_API void awaitPoints(std::span<const StreamPoint> points, LaunchWatcher &watcher);

/// What must live until something that was put on a stream has run. Memory of the device itself need not be here: it
/// is handed out again only behind the last point up to which it is used.
using HeldOwners = std::vector<std::shared_ptr<const void>>;

/// Who makes a launch, for QueuedFailure; keeps its kernel alive.
class LaunchOrigin {
public:
  /// Called on the stream's thread, before a launch that failed counts as complete.
  virtual std::shared_ptr<const LaunchOrigin> hold() = 0;
  /// Tells the host of a failure of the launch, in its own words. Called by the host, on whichever thread is told.
  virtual void raise(const std::exception_ptr &failure) const = 0;

protected:
  ~LaunchOrigin() = default;
};

/// Who owns what a launch uses. Asked only where the launch does not run at once.
class LaunchOwners {
public:
  /// Lives until `launch` has returned and the point that `queued` is told is complete.
  virtual LaunchOrigin *origin() const = 0;
  virtual HeldOwners hold() const = 0;
  /// Told the point at which the launch will have run.
  virtual void queued(const StreamPoint &point) const = 0;

protected:
  ~LaunchOwners() = default;
};

struct LaunchRequest {
  const std::shared_ptr<Kernel> &kernel;
  const LaunchConfig &config;
  const void *parameters;     ///< a block of Image::parameters' layout, read before the launch returns
  const LaunchOwners *owners; ///< null: the caller's own memory is used, so the launch returns when it has run
};

/// Something that was put on a stream failed when it ran. Thrown by the next call that waits for the stream.
class TREADLE_API QueuedFailure : public Error {
public:
  QueuedFailure(std::exception_ptr failure, std::shared_ptr<const LaunchOrigin> origin);
  ~QueuedFailure() override;
  /// The first of several QueuedFailures, with the rest in `others`; null where there are none.
  static std::exception_ptr together(std::vector<std::exception_ptr> failures);

  const std::exception_ptr failure;                 ///< what it threw
  const std::shared_ptr<const LaunchOrigin> origin; ///< what LaunchOrigin::hold gave, if it was a launch
  std::vector<std::exception_ptr> others;           ///< what failed later and is told with it: QueuedFailures
};

/// An in-order queue on one device.
class TREADLE_API Stream {
public:
  virtual ~Stream();
  /// Throws UsageError (Value) where the block would need too much shared memory; KernelFault, if it runs at once;
  /// QueuedFailure where the caller waited and earlier work has failed. May be called by several threads at once.
  virtual LaunchOutcome launch(const LaunchRequest &request, LaunchWatcher &watcher) = 0;
  /// The sides must not overlap. `held` null: returns when it is done, or throws WaitInterrupted. Throws QueuedFailure
  /// where earlier work failed.
  virtual void copy(const StridedCopy &copy, const HeldOwners *held, LaunchWatcher &watcher) = 0;
  /// Sets each byte. `isQueued`: returns at once; else when it is done.
  virtual void fill(std::span<char> memory, uint8_t value, bool isQueued, LaunchWatcher &watcher) = 0;
  /// Runs on a thread of the device in its turn. Must not wait for anything, nor take the host's lock.
  virtual void run(std::function<void()> function) = 0;
  virtual EventPoint record(bool withTime) = 0;
  /// What is put on the stream from now on runs after the point.
  virtual void wait(const StreamPoint &point) = 0;

  /// Everything put on the stream so far.
  virtual StreamPoint last() = 0;
  /// Returns when all that was put on the stream has run. Throws QueuedFailure, WaitInterrupted.
  virtual void synchronize(LaunchWatcher &watcher) = 0;
  /// As the CUDA driver names streams: 0 the default one, 1 the legacy default one, 2 the thread's default one.
  virtual uint64_t handle() const = 0;
  virtual Device &device() const = 0;
};

} // namespace treadle
