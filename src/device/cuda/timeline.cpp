// Markers: made on demand, asked in order.
#include "device/cuda/timeline.h"

#include "support/error.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace treadle::cuda {

/// The default stream of a thread can be named by that thread only. To all others the legacy default stream serves: an
/// event there completes after the work of all blocking streams, to which default streams of threads belong.
StreamHandle Timeline::handleToRecord() const {
  const bool isForeign = options.isOfThread && (closed.load() || owner != std::this_thread::get_id());
  return isForeign ? legacyStream : options.handle;
}

std::shared_ptr<Capture> Timeline::capture() {
  if (!isWatched()) [[likely]]
    return nullptr;
  const Current current(home.context);
  return home.captures.of(options.handle);
}

/// What is recorded on a captured stream is a place in the graph. The legacy default stream cannot even be used while
/// it would wait for such a stream.
bool Timeline::mayRecord() {
  const StreamHandle handle = handleToRecord();
  const bool isLegacy = !handle || handle == legacyStream;
  if (!isWatched() && !options.isOfThread && !(isLegacy && home.captures.haveBeen())) [[likely]]
    return true;
  if (!home.captures.of(handle))
    return true;
  // Whoever has captured the default stream of a thread may do so again.
  if (!isWatched())
    watch();
  return false;
}

Timeline::Marker Timeline::mark(bool hasTime) {
  const Current current(home.context);
  if (isRetired())
    failRetiredStream();
  return markWithin(hasTime);
}

Timeline::Marker Timeline::markWithin(bool hasTime) {
  Marker marker{0, home.events.take(hasTime)};
  marker.position = advance();
  home.context.check(home.context.driver.eventRecord(marker.event->handle, handleToRecord()), operation());
  const std::lock_guard lock(mutex);
  const auto place = std::ranges::upper_bound(markers, marker.position, {}, &Marker::position);
  markers.insert(place, marker);
  marked = std::max(marked, marker.position);
  return marker;
}

std::string Timeline::operation() const {
  const char *kernel = lastKernel.load(std::memory_order_relaxed);
  return kernel ? "work on a stream, the last of it a launch of " + std::string(kernel) + "," : "work on a stream";
}

void Timeline::ensureMarker(uint64_t position) {
  {
    const std::lock_guard lock(mutex);
    if (marked >= position)
      return;
  }
  if (isClosed() && !options.isOfThread)
    return;
  const Current current(home.context);
  // The driver may have taken work before a reset whose position was taken after it.
  if (isVoid.load())
    return abandon();
  // A reset completes all positions.
  if (isComplete(position))
    return;
  if (!mayRecord())
    failCaptured("wait for a stream", adviceOnWaits);
  markWithin(false);
}

std::shared_ptr<const PooledEvent> Timeline::eventAt(uint64_t position) {
  ensureMarker(position);
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::lower_bound(markers, position, {}, &Marker::position);
  return found == markers.end() ? nullptr : found->event;
}

void Timeline::addEnding(Ending ending) {
  const std::lock_guard lock(mutex);
  const auto place = std::ranges::upper_bound(endings, ending.position, {}, &Ending::position);
  endings.insert(place, std::move(ending));
}

/// Asks the events in their order, until one is not complete.
void Timeline::poll() {
  for (;;) {
    Marker first;
    {
      const std::lock_guard lock(mutex);
      if (markers.empty())
        return;
      first = markers.front();
    }
    const Current current(home.context);
    if (first.event->generation != home.context.generation())
      return complete(lastPosition(), Verdicts::Dropped); // another thread has reset the device
    std::optional<CaptureRelaxed> relaxed;
    if (home.captures.haveBeenAnywhere())
      relaxed.emplace(home.context.driver);
    const Result result = home.context.driver.eventQuery(first.event->handle);
    if (result == Result::NotReady)
      return;
    home.context.check(result, operation());
    complete(first.position, Verdicts::Asked);
  }
}

void Timeline::complete(uint64_t position, Verdicts verdicts) {
  const std::lock_guard oneAtATime(settling);
  std::vector<Ending> over;
  {
    const std::lock_guard lock(mutex);
    while (!markers.empty() && markers.front().position <= position)
      markers.pop_front();
    for (; !endings.empty() && endings.front().position <= position; endings.pop_front())
      over.push_back(std::move(endings.front()));
  }
  for (Ending &ending : over) {
    try {
      if (ending.verdict && verdicts == Verdicts::Asked)
        ending.verdict();
    } catch (...) {
      home.reports->addFailure(name, ending.position, ending.origin);
    }
    ending = {};
  }
  completed.store(std::max(completed.load(), position));
}

void Timeline::look() noexcept {
  if (isComplete(lastPosition()) || !home.context.isUsable())
    return;
  try {
    ensureMarker(lastPosition());
    poll();
  } catch (const Error &) {
    // The context knows what has happened to it; whoever uses it next is told.
  }
}

bool Timeline::waitFor(uint64_t position, std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + time;
  constexpr unsigned spins = 200;
  for (unsigned round = 0;; ++round) {
    home.context.checkAlive();
    if (isComplete(position))
      return true;
    try {
      ensureMarker(position);
      poll();
    } catch (const Error &) {
      home.unawaited.note();
      throw;
    }
    if (isComplete(position))
      return true;
    if (Clock::now() >= end)
      return false;
    // Most waits are short. Longer ones leave the processor to others.
    if (round < spins)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(std::min(20 + (round - spins), 500u)));
  }
}

void Timeline::close() noexcept {
  look();
  closed.store(true);
}

void Timeline::abandon() {
  if (isRetired())
    isVoid.store(true);
  complete(lastPosition(), Verdicts::Dropped);
}

} // namespace treadle::cuda
