// The host during a call that may block: how it cancels the call, and the waits that it can cancel.
#pragma once

#include "device/stream_timeline.h"
#include "device/strided_copy.h"
#include "support/error.h"
#include "support/export.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace treadle {

/// The host, as seen by a call that may block its thread. All functions are called on that thread.
class LaunchWatcher {
public:
  /// Called when the call turns out to take longer than about 10 us, so that the host can release locks; the call
  /// continues when it returns. Called again each time the call has to wait.
  virtual void onLongCall() = 0;
  /// What the call is doing: running a kernel or a copy on this thread, or waiting.
  enum class Activity : uint8_t { Work, Wait };
  /// Called about 20 times a second after onLongCall, so that the host can handle signals. Returns false to cancel the
  /// call.
  virtual bool shouldContinue(Activity activity) noexcept = 0;
  /// Receives kernels' printed output, before the call returns.
  virtual void printed(std::string_view text) = 0;

protected:
  ~LaunchWatcher() = default;
};

/// Polls the host: whether a call should continue.
class TREADLE_API HostLook {
public:
  HostLook(LaunchWatcher &watcher, LaunchWatcher::Activity activity);
  /// Usually only reads the clock. Once false, always false.
  bool shouldContinue();

private:
  LaunchWatcher &watcher;
  const LaunchWatcher::Activity activity;
  uint64_t next; ///< nanoseconds of the monotonic clock
  bool isWanted = true;
};

/// The host cancelled the wait, or another thread cancelled the awaited work.
class TREADLE_API WaitInterrupted : public Error {
public:
  WaitInterrupted();
  ~WaitInterrupted() override;
};

/// Waits for all points. Throws WaitInterrupted; if the host cancelled the wait, the work queued on the streams of
/// their devices is cancelled as well.
TREADLE_API void awaitPoints(std::span<const StreamPoint> points, LaunchWatcher &watcher);

/// The same for work that uses the caller's memory: it is over on return, cancelled or not.
TREADLE_API void awaitOwn(const StreamPoint &point, LaunchWatcher &watcher);

/// Copies on the calling thread, as the work of the point; at position 0 only the host can cancel it. Throws as
/// awaitPoints does; the target is then partly written.
TREADLE_API void copyOnCaller(const StridedCopy &copy, const StreamPoint &point, LaunchWatcher &watcher);

} // namespace treadle
