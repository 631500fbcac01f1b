// Streams and events.
#include "capi/objects.h"
#include "runtime/runtime.h"

#include <fmt/core.h>

using namespace treadle;
using namespace treadle::capi;

namespace treadle::capi {

namespace {

treadle_stream newStream(DeviceContext &context, NamedStream named) {
  return handleOf(std::make_unique<StreamObject>(context, std::move(named)));
}

NamedStream wrapped(DeviceContext &context, uint64_t native) {
  std::optional<NamedStream> known = NamedStream::ofHandle(*context.device, native);
  if (!known)
    failArgument(fmt::format("native is {}, which is no stream of the device that is alive", native));
  return std::move(*known);
}

void checkFlags(uint32_t flags, const char *values) {
  if (flags > 1)
    failArgument(fmt::format("flags is {}; it must be {}", flags, values));
}

bool hasRun(const StreamPoint &point) { return !point.timeline || point.hasRunOrThrows(); }

void awaitPoint(const StreamPoint &point) {
  if (!point.timeline)
    return;
  HostThread host;
  awaitPoints({&point, 1}, host);
  if (const std::exception_ptr failure = point.timeline->takeFailure(point.position))
    std::rethrow_exception(failure);
}

} // namespace

const NamedStream &CallStream::namedFor(treadle_stream handle, const Device &device, const char *name) {
  const StreamObject &object = found<StreamObject>(handle, name);
  if (object.context.device.get() != &device) [[unlikely]]
    failArgument(fmt::format("{} is one of device {}, and the call works on device {}", name, object.context.ordinal,
                             Runtime::instance().contextOf(device).ordinal));
  return object.named;
}

void awaitForMemory(std::span<const StreamPoint> points) {
  HostThread host;
  awaitPoints(points, host);
}

void awaitUses(const Buffer &buffer) {
  buffer.checkAlive();
  if (buffer.isQuiet()) [[likely]]
    return;
  std::vector<StreamPoint> uses = buffer.uses();
  uses.push_back(buffer.earlierUse());
  for (const StreamPoint &use : uses)
    awaitPoint(use);
}

} // namespace treadle::capi

treadle_status treadle_stream_create(treadle_device device, uint32_t flags, treadle_stream *stream) {
  return call(__func__, [&] {
    DeviceContext &context = found<DeviceObject>(device, "device").context;
    treadle_stream &to = required(stream, "stream");
    checkFlags(flags, "TREADLE_STREAM_BLOCKING or TREADLE_STREAM_NONBLOCKING");
    to = newStream(context, NamedStream::made(context, flags == TREADLE_STREAM_BLOCKING));
  });
}

namespace {

treadle_status wrap(const char *function, treadle_device device, uint64_t native, treadle_stream *stream) {
  return call(function, [&] {
    DeviceContext &context = found<DeviceObject>(device, "device").context;
    treadle_stream &to = required(stream, "stream");
    to = newStream(context, wrapped(context, native));
  });
}

} // namespace

treadle_status treadle_stream_legacy(treadle_device device, treadle_stream *stream) {
  return wrap(__func__, device, 1, stream);
}

treadle_status treadle_stream_per_thread(treadle_device device, treadle_stream *stream) {
  return wrap(__func__, device, 2, stream);
}

treadle_status treadle_stream_wrap(treadle_device device, uint64_t native, treadle_stream *stream) {
  return wrap(__func__, device, native, stream);
}

treadle_status treadle_stream_free(treadle_stream stream) {
  return call(__func__, [&] { freeHandle<StreamObject>(stream, "stream"); });
}

treadle_status treadle_stream_native(treadle_stream stream, uint64_t *native) {
  return call(__func__, [&] {
    const StreamObject &object = found<StreamObject>(stream, "stream");
    uint64_t &to = required(native, "native");
    to = object.named.stream ? object.stream().handle() : object.named.isOfThread ? 2 : 1;
  });
}

treadle_status treadle_stream_synchronize(treadle_stream stream) {
  return longCall(
      __func__, [&] { return Ref(found<StreamObject>(stream, "stream")); },
      [](const Ref<StreamObject> &object) {
        HostThread host;
        object->stream().synchronize(host);
        object->context.memory.returnLent();
      });
}

namespace {

/// "Not ready" is not a failure: it sets the text without an exception.
treadle_status query(const char *function, const char *what, bool hasRun) {
  return hasRun ? TREADLE_OK : noteStatus(function, TREADLE_ERROR_NOT_READY, what);
}

} // namespace

treadle_status treadle_stream_query(treadle_stream stream) {
  bool isDone = false;
  const treadle_status status =
      call(__func__, [&] { isDone = hasRun(found<StreamObject>(stream, "stream").stream().last()); });
  return status == TREADLE_OK ? query(__func__, "work on the stream has not run yet", isDone) : status;
}

treadle_status treadle_stream_wait(treadle_stream stream, treadle_event event) {
  return call(__func__, [&] {
    const StreamObject &waiting = found<StreamObject>(stream, "stream");
    if (const StreamPoint point = found<EventObject>(event, "event").event.point(); point.timeline)
      waiting.stream().wait(point);
  });
}

treadle_status treadle_stream_callback(treadle_stream stream, void (*function)(void *), void *context) {
  return call(__func__, [&] {
    const StreamObject &object = found<StreamObject>(stream, "stream");
    if (!function)
      failNull("function");
    object.stream().run([function, context] { function(context); });
  });
}

treadle_status treadle_event_create(treadle_device device, uint32_t flags, treadle_event *event) {
  return call(__func__, [&] {
    DeviceContext &context = found<DeviceObject>(device, "device").context;
    treadle_event &to = required(event, "event");
    checkFlags(flags, "TREADLE_EVENT_TIMING or TREADLE_EVENT_NO_TIMING");
    to = handleOf(std::make_unique<EventObject>(context, flags == TREADLE_EVENT_TIMING));
  });
}

treadle_status treadle_event_free(treadle_event event) {
  return call(__func__, [&] { freeHandle<EventObject>(event, "event"); });
}

treadle_status treadle_event_record(treadle_event event, treadle_stream stream) {
  return call(__func__, [&] {
    EventObject &object = found<EventObject>(event, "event");
    object.event.record(CallStream(stream, *object.context.device, "stream").stream);
  });
}

treadle_status treadle_event_query(treadle_event event) {
  bool isDone = false;
  const treadle_status status =
      call(__func__, [&] { isDone = hasRun(found<EventObject>(event, "event").event.point()); });
  return status == TREADLE_OK ? query(__func__, "the event is pending", isDone) : status;
}

treadle_status treadle_event_synchronize(treadle_event event) {
  return longCall(
      __func__, [&] { return Ref(found<EventObject>(event, "event")); },
      [](const Ref<EventObject> &object) { awaitPoint(object->event.point()); });
}

treadle_status treadle_event_elapsed(treadle_event start, treadle_event end, double *milliseconds) {
  return call(__func__, [&] {
    const EventObject &first = found<EventObject>(start, "start"), &last = found<EventObject>(end, "end");
    required(milliseconds, "milliseconds") = first.event.millisecondsUntil(last.event);
  });
}
