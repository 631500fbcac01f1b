// The driver API: events.
#include "call.h"
#include "shared_events.h"

#include <algorithm>
#include <chrono>

using namespace fakecuda;

namespace {

uint64_t hostNanoseconds() {
  return uint64_t(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

CUresult record(Driver &d, CUevent handle, CUstream streamHandle) {
  const std::shared_ptr<Stream> stream = d.findStream(streamHandle);
  const std::shared_ptr<Event> event = d.find<Event>(handle, Kind::Event);
  if (!stream || !event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->context != stream->context)
    return d.violate(Rule::ContextMismatch, "the event belongs to another context than the stream",
                     CUDA_ERROR_INVALID_HANDLE);
  auto made = std::make_shared<EventRecord>();
  if (stream->capture) {
    if (stream->capture->invalid)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    made->captured = true;
    made->capture = stream->capture;
    made->tips = stream->captureTips;
    event->record = made;
    return CUDA_SUCCESS;
  }
  auto work = std::make_shared<Work>();
  work->name = "record";
  work->nanoseconds = 0;
  const uint64_t record = event->shared ? event->shared->record() : 0;
  work->run = [made, shared = event->shared, record](Driver &driver) {
    made->done = true;
    made->nanoseconds = driver.config.hostClock ? hostNanoseconds() : driver.nanoseconds;
    if (shared)
      shared->finish(record);
    return CUDA_SUCCESS;
  };
  const Enqueued queued = d.enqueue(stream, work);
  if (queued.result != CUDA_SUCCESS)
    return queued.result;
  made->work = queued.id;
  made->clock = stream->clock;
  event->record = made;
  event->queries = 0;
  return CUDA_SUCCESS;
}

/// Null after a violation. The event's record may be null.
std::shared_ptr<Event> findToWait(Driver &d, CUevent handle, CUresult &result) {
  result = CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Event> event = d.find<Event>(handle, Kind::Event);
  if (!event)
    return nullptr;
  result = CUDA_SUCCESS;
  if (event->record && event->record->captured) {
    if (const auto capture = event->record->capture.lock())
      d.invalidate(*capture);
    result =
        d.violate(Rule::CapturedEvent, "the event was last recorded in a capturing stream", CUDA_ERROR_CAPTURED_EVENT);
  } else {
    result = d.checkUnsafeCall();
  }
  return result == CUDA_SUCCESS ? event : nullptr;
}

/// The latest record of any process that has not run, once this process's own one has; 0: there is none.
uint64_t pendingElsewhere(const Event &event) {
  const uint64_t latest = event.shared ? event.shared->latest() : 0;
  return latest && !event.shared->isDone(latest) ? latest : 0;
}

CUresult wait(Driver &d, const EventRecord &record, const Context &context) {
  const Clock known = record.clock;
  d.force({record.work});
  d.hostClock.join(known);
  return context.lost;
}

CUresult query(Driver &d, CUevent handle) {
  CUresult result;
  const std::shared_ptr<Event> event = findToWait(d, handle, result);
  if (!event)
    return result;
  const std::shared_ptr<EventRecord> found = event->record;
  if (!found)
    return pendingElsewhere(*event) ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  if (d.outlasts(found->work, event->queries) || !d.runForQuery(found->work))
    return CUDA_ERROR_NOT_READY;
  const CUresult waited = wait(d, *found, *event->context);
  return waited == CUDA_SUCCESS && pendingElsewhere(*event) ? CUDA_ERROR_NOT_READY : waited;
}

CUresult synchronize(Driver &d, CUevent handle) {
  CUresult result;
  const std::shared_ptr<Event> found = findToWait(d, handle, result);
  if (!found)
    return result;
  if (const std::shared_ptr<EventRecord> record = found->record)
    result = wait(d, *record, *found->context);
  const uint64_t elsewhere = pendingElsewhere(*found);
  return result == CUDA_SUCCESS && elsewhere ? awaitShared(d, *found->shared, elsewhere) : result;
}

CUresult openShared(Driver &d, CUevent *event, const CUipcEventHandle &handle) {
  if (isOwnEvent(handle))
    return d.violate(Rule::InvalidArgument, "an event cannot be opened in the process that exported it",
                     CUDA_ERROR_INVALID_CONTEXT);
  auto shared = std::make_shared<SharedEvent>(handle);
  if (!shared->isUsable())
    return d.violate(Rule::InvalidHandle, "not a handle of cuIpcGetEventHandle, or its process is gone",
                     CUDA_ERROR_INVALID_HANDLE);
  const std::shared_ptr<Event> made = d.make<Event>(d.currentContext());
  made->flags = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;
  made->shared = std::move(shared);
  *event = reinterpret_cast<CUevent>(made->handle);
  return CUDA_SUCCESS;
}

CUresult elapsed(Driver &d, float *milliseconds, CUevent fromHandle, CUevent toHandle) {
  const std::shared_ptr<Event> from = d.find<Event>(fromHandle, Kind::Event);
  const std::shared_ptr<Event> to = d.find<Event>(toHandle, Kind::Event);
  if (!from || !to)
    return CUDA_ERROR_INVALID_HANDLE;
  for (const std::shared_ptr<Event> &event : {from, to}) {
    if (event->flags & CU_EVENT_DISABLE_TIMING)
      return d.violate(Rule::EventMisuse, "an event was made without timing", CUDA_ERROR_INVALID_HANDLE);
    if (!event->record)
      return d.violate(Rule::EventMisuse, "an event was never recorded", CUDA_ERROR_INVALID_HANDLE);
    if (event->record->captured)
      return d.violate(Rule::CapturedEvent, "an event was recorded in a capture", CUDA_ERROR_CAPTURED_EVENT);
  }
  if (from->context != to->context)
    return d.violate(Rule::ContextMismatch, "the events belong to two contexts", CUDA_ERROR_INVALID_HANDLE);
  if (!from->record->done || !to->record->done)
    return CUDA_ERROR_NOT_READY;
  const double difference =
      static_cast<double>(to->record->nanoseconds) - static_cast<double>(from->record->nanoseconds);
  *milliseconds = static_cast<float>(difference / 1e6);
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return apiCall({"cuEventCreate", NeedsContext, {{"flags", flags}}}, [&](Driver &d) {
    if (!event || flags > 7 || ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)))
      return d.violate(Rule::InvalidArgument, "no place for the event, or flags that do not go together",
                       CUDA_ERROR_INVALID_VALUE);
    const std::shared_ptr<Event> made = d.make<Event>(d.currentContext());
    made->flags = flags;
    if (flags & CU_EVENT_INTERPROCESS)
      made->shared = std::make_shared<SharedEvent>();
    *event = reinterpret_cast<CUevent>(made->handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return apiCall({"cuEventDestroy", NeedsContext | EndsSomething, {{"event", event}}}, [&](Driver &d) {
    const std::shared_ptr<Event> found = d.find<Event>(event, Kind::Event, true);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    d.end(*found);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return apiCall({"cuEventRecord", NeedsContext, {{"event", event}, {"stream", stream}}},
                 [&](Driver &d) { return record(d, event, stream); });
}

CUresult cuEventQuery(CUevent event) {
  return apiCall({"cuEventQuery", NeedsContext, {{"event", event}}}, [&](Driver &d) { return query(d, event); });
}

CUresult cuEventSynchronize(CUevent event) {
  return apiCall({"cuEventSynchronize", NeedsContext, {{"event", event}}},
                 [&](Driver &d) { return synchronize(d, event); });
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to) {
  return apiCall({"cuEventElapsedTime", NeedsContext, {{"from", from}, {"to", to}}},
                 [&](Driver &d) { return elapsed(d, milliseconds, from, to); });
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  return cuEventElapsedTime_v2(milliseconds, from, to);
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event) {
  return apiCall({"cuIpcGetEventHandle", NeedsContext, {{"event", event}}}, [&](Driver &d) {
    const std::shared_ptr<Event> found = d.find<Event>(event, Kind::Event);
    if (!found || !found->shared || !found->shared->isUsable())
      return CUDA_ERROR_INVALID_HANDLE;
    *handle = found->shared->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle) {
  return apiCall({"cuIpcOpenEventHandle", NeedsContext, {}}, [&](Driver &d) { return openShared(d, event, handle); });
}

} // extern "C"
