// Anchors, and events whose times are queried once they are complete.
#include "device/cuda/run_times.h"

#include "support/clock.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace treadle::cuda {

namespace {

/// The usual number of pending runs; with more, complete ones are noted, so that their events can be reused.
constexpr size_t usualRuns = 256;
constexpr uint64_t anchorNanoseconds = 1'000'000'000;
constexpr int anchorTries = 3;

} // namespace

std::shared_ptr<const PooledEvent> RunTimes::mark(StreamHandle stream) noexcept {
  try {
    const DriverTable &driver = context.driver;
    CaptureStatus status{};
    if (driver.streamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr) != Result::Success ||
        status != CaptureStatus::None)
      return nullptr;
    std::shared_ptr<const PooledEvent> event = events.take(true);
    return driver.eventRecord(event->handle, stream) == Result::Success ? event : nullptr;
  } catch (const std::exception &) {
    return nullptr;
  }
}

/// The best of several: the host's time lies between two readings of its clock. Null: the driver refused.
std::shared_ptr<const RunTimes::Anchor> RunTimes::anchor() {
  const uint64_t now = monotonicNanoseconds();
  if (latest && latest->event->generation == context.generation() && now - latest->nanoseconds < anchorNanoseconds)
    return latest;
  const DriverTable &driver = context.driver;
  const CaptureRelaxed relaxed(driver);
  if (!aside && driver.streamCreate(&aside, streamNonBlocking) != Result::Success)
    return nullptr;
  uint64_t least = ~uint64_t(0);
  auto best = std::make_shared<Anchor>();
  for (int i = 0; i < anchorTries; ++i) {
    std::shared_ptr<const PooledEvent> event = events.take(true);
    const uint64_t before = monotonicNanoseconds();
    if (driver.eventRecord(event->handle, aside) != Result::Success ||
        driver.streamSynchronize(aside) != Result::Success)
      return nullptr;
    const uint64_t after = monotonicNanoseconds();
    if (after - before >= least)
      continue;
    least = after - before;
    *best = {std::move(event), before + least / 2};
  }
  latest = std::move(best);
  return latest;
}

void RunTimes::end(Run run, StreamHandle stream) noexcept {
  try {
    run.end = mark(stream);
    if (!run.end)
      return;
    const std::lock_guard lock(mutex);
    run.anchor = anchor();
    if (run.anchor)
      runs.push_back(std::move(run));
    if (runs.size() > usualRuns)
      settleWithin();
  } catch (const std::exception &) {
    // The trace lacks one run.
  }
}

/// False: it is not complete, and later runs need not be queried.
bool RunTimes::note(const Run &run) {
  const DriverTable &driver = context.driver;
  if (run.end->generation != context.generation())
    return true;
  float toBegin = 0, toEnd = 0;
  if (driver.eventElapsedTime(&toEnd, run.anchor->event->handle, run.end->handle) == Result::NotReady)
    return false;
  if (driver.eventElapsedTime(&toBegin, run.anchor->event->handle, run.begin->handle) != Result::Success)
    return true;
  auto onHost = [&run](float milliseconds) {
    return uint64_t(std::max<int64_t>(int64_t(run.anchor->nanoseconds) + int64_t(double(milliseconds) * 1e6), 1));
  };
  TraceEvent event;
  event.begin = onHost(toBegin);
  event.end = std::max(onHost(toEnd), event.begin);
  event.track = run.track;
  event.work = run.work;
  event.name = run.name;
  Trace::note(event);
  return true;
}

/// Streams do not complete in the order of their calls: a pending run does not block those of other streams.
void RunTimes::settleWithin() {
  std::vector<TraceTrack> busy;
  std::erase_if(runs, [&](const Run &run) {
    if (std::ranges::find(busy, run.track) != busy.end())
      return false;
    const bool isOver = note(run);
    if (!isOver)
      busy.push_back(run.track);
    return isOver;
  });
}

void RunTimes::settle() noexcept {
  if (!context.isUsable())
    return;
  {
    const std::lock_guard lock(mutex);
    if (runs.empty())
      return;
  }
  try {
    const Current current(context);
    const std::lock_guard lock(mutex);
    settleWithin();
  } catch (const std::exception &) {
    // The context is gone, and the times with it.
  }
}

void RunTimes::forget() {
  const std::lock_guard lock(mutex);
  runs.clear();
  latest = nullptr;
  aside = nullptr;
}

void TracedWork::begin() {
  std::shared_ptr<const PooledEvent> event = place.times.mark(place.handle);
  if (!event)
    return;
  at(Trace::nameWork());
  run = RunTimes::Run{.begin = std::move(event),
                      .track = span.event->track,
                      .work = span.event->work,
                      .name = std::string(span.event->name)};
}

void TracedWork::end() {
  if (run)
    place.times.end(std::move(*run), place.handle);
}

} // namespace treadle::cuda
