// Markers: recorded on demand, queried in order.
#include "device/cuda/timeline.h"

#include "support/error.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace treadle::cuda {

/// A thread's default stream can be named by that thread only. Other threads use the legacy default stream: an event
/// there completes after the work of all blocking streams, which include the threads' default streams.
StreamHandle Timeline::handleToRecord() const {
  const bool isForeign = options.isOfThread && (closed.load() || owner != std::this_thread::get_id());
  return isForeign ? legacyStream : options.handle;
}

std::shared_ptr<Capture> Timeline::capture() {
  if (!isWatched()) [[likely]]
    return nullptr;
  const Current current(home.context);
  const Held held = hold();
  return held.isThere ? home.captures.of(options.handle) : nullptr;
}

/// After a thread has ended, others can still name the legacy stream in place of its default stream.
Timeline::Held Timeline::hold() const {
  if (!options.isOwn())
    return {nullptr, !isVoid.load()};
  std::shared_ptr<OwnStream> user = own.lock();
  const bool isThere = user != nullptr && !isVoid.load();
  return {std::move(user), isThere};
}

OwnStream::OwnStream(std::shared_ptr<Timeline> given)
    : timeline(std::move(given)), generation(timeline->home.context.generation()) {}

OwnStream::~OwnStream() {
  timeline->close();
  Context &context = timeline->home.context;
  if (!context.isUsable() || generation != context.generation() || timeline->options.isOfThread)
    return;
  try {
    const Current current(context, generation);
    context.note(context.driver.streamDestroy(timeline->options.handle), "end a stream");
  } catch (const Error &) {
    // The context is gone, and the stream with it.
  }
}

/// An event recorded on a captured stream is a position in the graph. The legacy default stream cannot even be used
/// while it would have to wait for such a stream.
bool Timeline::mayRecord() {
  const StreamHandle handle = handleToRecord();
  const bool isLegacy = !handle || handle == legacyStream;
  if (!isWatched() && !options.isOfThread && !(isLegacy && home.captures.haveBeen())) [[likely]]
    return true;
  if (!home.captures.of(handle))
    return true;
  // The software that has captured a thread's default stream may do so again.
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

bool Timeline::isMarked(uint64_t position) {
  const std::lock_guard lock(mutex);
  return marked >= position;
}

void Timeline::ensureMarker(uint64_t position) {
  if (isMarked(position))
    return;
  if (const Held held = hold(); held.isThere || options.isOfThread)
    makeMarker(position);
}

/// Called by a user of the stream.
void Timeline::makeMarker(uint64_t position) {
  const Current current(home.context);
  // The driver may have accepted work before a reset, whose position was assigned after it.
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

/// Queries the events in order, until one is not complete.
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
    // The context has recorded the failure and reports it at its next use.
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
    // Most waits are short. Longer ones yield the processor.
    if (round < spins)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(std::min(20 + (round - spins), 500u)));
  }
}

void Timeline::close() noexcept {
  const uint64_t last = lastPosition();
  if (!isComplete(last) && home.context.isUsable())
    try {
      if (!isMarked(last))
        makeMarker(last);
      poll();
    } catch (const Error &) {
      // The context has recorded the failure and reports it at its next use.
    }
  closed.store(true);
}

void Timeline::abandon() {
  if (isRetired())
    isVoid.store(true);
  complete(lastPosition(), Verdicts::Dropped);
}

} // namespace treadle::cuda
