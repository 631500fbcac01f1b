// Streams: in-order queues of a device.
#pragma once

#include "device/launch_watcher.h"
#include "device/queued_work.h"

#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace treadle {

class Graph;

/// An in-order queue on one device.
class TREADLE_API Stream {
public:
  /// CUDA's rules: work on the legacy default stream waits for all earlier work of blocking streams, and their later
  /// work waits for it. Work waits only for earlier work, so there is no deadlock.
  enum class Kind : uint8_t { Legacy, Blocking, NonBlocking };
  virtual ~Stream();
  /// Throws UsageError (Value) if a block would need too much shared memory, KernelFault if the launch runs at once and
  /// fails, and QueuedFailure if the caller waited and earlier work has failed. Thread-safe.
  virtual LaunchOutcome launch(const LaunchRequest &request, LaunchWatcher &watcher) = 0;
  /// The sides must not overlap. `held` null: returns when the copy is done, or throws WaitInterrupted. Throws
  /// QueuedFailure if earlier work has failed. A cancelled copy leaves its target partly written.
  virtual void copy(const StridedCopy &copy, const HeldOwners *held, LaunchWatcher &watcher) = 0;
  /// Sets each byte. Returns at once if `isQueued`, otherwise as `copy` does.
  virtual void fill(std::span<char> memory, uint8_t value, bool isQueued, LaunchWatcher &watcher) = 0;
  /// Queues a function, which a thread of the device calls. It must not block, nor take the host's lock.
  virtual void run(std::function<void()> function) = 0;
  virtual EventPoint record(bool withTime) = 0;
  /// Orders all work queued from now on after the point.
  virtual void wait(const StreamPoint &point) = 0;

  /// The end of the work queued so far.
  virtual StreamPoint last() = 0;
  /// That of `last()`; constant for the stream's lifetime.
  virtual const StreamTimeline *timeline() const = 0;
  /// Returns when all queued work has run. Throws QueuedFailure, WaitInterrupted.
  virtual void synchronize(LaunchWatcher &watcher) = 0;
  /// As in the CUDA driver: 0 is the default stream, 1 the legacy default stream, 2 the thread's default stream.
  virtual uint64_t handle() const = 0;
  /// Whether it and default streams wait for each other.
  virtual bool isBlocking() const { return true; }
  virtual Device &device() const = 0;

  /// Records further work on the stream instead of running it. Throws DeviceError if the stream is already being
  /// captured, or cannot be.
  virtual void beginCapture();
  /// Called by the thread that began it. Throws DeviceError if the capture is invalid; it is over all the same.
  virtual std::shared_ptr<Graph> endCapture();
  /// Whether any software is capturing it. It then accepts launches that are kept, copies with `held`, queued fills,
  /// functions, events and graphs; operations that would have to wait throw failCaptured's error, and change nothing.
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
inline constexpr std::string_view adviceOnWaits = "wait before the capture, or after a replay of the graph";

/// For the use of a stream that ended with a reset of its device: throws DeviceError.
[[noreturn]] TREADLE_API void failRetiredStream();

} // namespace treadle
