// The semantics of the CUDA driver's events.
#include "runtime/event.h"

#include <fmt/core.h>
#include <string>

namespace treadle {

Event::Event(DeviceContext &context, bool measuresTime)
    : context(context), generation(context.generation()), measuresTime(measuresTime) {}

EventPoint Event::recorded() const {
  const std::lock_guard lock(mutex);
  return last;
}

EventPoint Event::usable() const {
  if (generation != context.generation())
    throw DeviceError("use an event", CudaResult::ContextIsDestroyed,
                      "its device was reset after it was made: make a new one");
  return recorded();
}

void Event::record(Stream &stream) {
  usable();
  if (&stream.device() != context.device.get())
    throw UsageError(UsageError::Kind::Value,
                     fmt::format("the event is one of device {}, and the stream one of device {}: use an event that "
                                 "was made while the stream's device was selected",
                                 context.ordinal, Runtime::instance().contextOf(stream.device()).ordinal));
  EventPoint made = stream.record(measuresTime);
  const std::lock_guard lock(mutex);
  last = std::move(made);
}

EventPoint Event::timed(std::string_view name) const {
  constexpr std::string_view operation = "measure the time between events";
  const std::string subject = "the " + std::string(name) + " event ";
  EventPoint event = usable();
  if (!event.point.timeline)
    throw DeviceError(operation, CudaResult::InvalidHandle, subject + "was never recorded: call its record() first");
  if (!measuresTime)
    throw DeviceError(operation, CudaResult::InvalidHandle,
                      subject + "was made by event(timing=False), so it has no time");
  if (!event.point.hasRun())
    throw DeviceError(operation, CudaResult::NotReady, subject + "is not complete: call its synchronize() first");
  return event;
}

double Event::millisecondsUntil(const Event &end) const {
  if (&end.context != &context)
    throw DeviceError(
        "measure the time between events", CudaResult::InvalidHandle,
        fmt::format("the events are of devices {} and {}: measure on one", context.ordinal, end.context.ordinal));
  const EventPoint last = end.timed("end"), first = timed("start");
  return context.device->elapsed(first, last);
}

std::string_view Event::state() const {
  const StreamPoint point = recorded().point;
  if (!point.timeline)
    return "not recorded";
  return point.hasRun() ? "complete" : "pending";
}

} // namespace treadle
