// Waits and copies that the host, or another thread, can cancel.
#include "device/launch_watcher.h"

#include "support/clock.h"

namespace treadle {

WaitInterrupted::WaitInterrupted() : Error("the wait was interrupted") {}
WaitInterrupted::~WaitInterrupted() = default;

namespace {

constexpr std::chrono::milliseconds betweenLooks{50};
constexpr uint64_t looksApart = std::chrono::nanoseconds(betweenLooks).count();

/// What can end a call that waits for a point, or does its work: another thread that ends the work, or the host.
class PointWatch {
public:
  PointWatch(const StreamPoint &point, LaunchWatcher &watcher)
      : point(point), watcher(watcher), before(point.timeline->interruptedUpTo()) {}

  /// False: the work was ended while the watch lasted.
  bool shouldContinue() const { return before >= point.position || point.timeline->interruptedUpTo() < point.position; }
  /// Also false: the host ends it.
  bool shouldContinueForHost() const {
    if (watcher.shouldContinue(LaunchWatcher::Activity::Wait))
      return true;
    point.timeline->interrupt();
    return false;
  }

private:
  const StreamPoint &point;
  LaunchWatcher &watcher;
  const uint64_t before;
};

void awaitPoint(const StreamPoint &point, LaunchWatcher &watcher) {
  TraceSpan traced(TraceKind::Wait, "wait");
  if (traced.event) {
    traced.event->track = point.timeline->track();
    traced.event->work = point.position;
  }
  const PointWatch watch(point, watcher);
  while (!point.timeline->waitFor(point.position, betweenLooks))
    if (!watch.shouldContinueForHost())
      throw WaitInterrupted();
  if (!watch.shouldContinue())
    throw WaitInterrupted();
}

} // namespace

HostLook::HostLook(LaunchWatcher &watcher, LaunchWatcher::Activity activity)
    : watcher(watcher), activity(activity), next(monotonicNanoseconds() + looksApart) {}

bool HostLook::shouldContinue() {
  if (!isWanted || monotonicNanoseconds() < next)
    return isWanted;
  isWanted = watcher.shouldContinue(activity);
  next = monotonicNanoseconds() + looksApart;
  return isWanted;
}

void copyOnCaller(const StridedCopy &copy, const StreamPoint &point, LaunchWatcher &watcher) {
  constexpr int64_t longCopy = 64 << 10;
  int64_t bytes = copy.itemBytes;
  for (const int64_t extent : copy.shape)
    bytes *= extent;
  if (bytes <= longCopy) {
    copyStrided(copy);
    return;
  }
  watcher.onLongCall();
  const PointWatch watch(point, watcher);
  HostLook look(watcher, LaunchWatcher::Activity::Work);
  auto shouldContinue = [&] {
    if (!watch.shouldContinue())
      return false;
    if (!look.shouldContinue())
      point.timeline->interrupt();
    return look.shouldContinue();
  };
  if (!copyStrided(copy, shouldContinue))
    throw WaitInterrupted();
}

void awaitPoints(std::span<const StreamPoint> points, LaunchWatcher &watcher) {
  bool isLong = false;
  for (const StreamPoint &point : points) {
    if (point.isComplete())
      continue;
    if (!isLong)
      watcher.onLongCall();
    isLong = true;
    awaitPoint(point, watcher);
  }
}

void awaitOwn(const StreamPoint &point, LaunchWatcher &watcher) {
  try {
    awaitPoints({&point, 1}, watcher);
  } catch (const WaitInterrupted &) {
    point.wait();
    throw;
  }
}

} // namespace treadle
