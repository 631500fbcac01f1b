// The driver API: streams, host functions.
#include "call.h"
#include "shared_events.h"

#include <algorithm>

using namespace fakecuda;

namespace {

CUresult create(Driver &d, CUstream *stream, unsigned flags, int priority) {
  if (!stream || flags > CU_STREAM_NON_BLOCKING)
    return d.violate(Rule::InvalidArgument, "no place for the stream, or unknown flags", CUDA_ERROR_INVALID_VALUE);
  const std::shared_ptr<Stream> made = d.makeStream(d.currentContext(), Stream::Role::Created, flags);
  made->priority = std::clamp(priority, -5, 0);
  *stream = reinterpret_cast<CUstream>(made->handle);
  return CUDA_SUCCESS;
}

CUresult destroy(Driver &d, CUstream handle) {
  if (reinterpret_cast<uint64_t>(handle) <= 2)
    return d.violate(Rule::WrongKind, "a default stream cannot be destroyed", CUDA_ERROR_INVALID_HANDLE);
  const std::shared_ptr<Stream> stream = d.find<Stream>(handle, Kind::Stream, true);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) {
    d.invalidate(*stream->capture);
    d.violate(Rule::CaptureIllegalCall, "the stream captures", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  d.end(*stream);
  d.retire(stream);
  return CUDA_SUCCESS;
}

/// Waiting for a capturing stream invalidates its capture; waiting for any other, the captures that forbid it.
CUresult checkWait(Driver &d, const Stream &stream) {
  if (!stream.capture) {
    const CUresult result = d.checkImplicit(stream);
    return result != CUDA_SUCCESS ? result : d.checkUnsafeCall();
  }
  d.invalidate(*stream.capture);
  return d.violate(Rule::CaptureIllegalCall, "the stream captures", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult query(Driver &d, CUstream handle) {
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult result = checkWait(d, *stream); result != CUDA_SUCCESS)
    return result;
  if (d.outlasts(stream->last, stream->queries) || !d.runForQuery(stream->last))
    return CUDA_ERROR_NOT_READY;
  return d.synchronize(stream);
}

CUresult waitEvent(Driver &d, CUstream handle, CUevent event) {
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  const std::shared_ptr<Event> found = d.find<Event>(event, Kind::Event);
  if (!stream || !found)
    return CUDA_ERROR_INVALID_HANDLE;
  const std::shared_ptr<EventRecord> record = found->record;
  if (const uint64_t latest = found->shared ? found->shared->latest() : 0; latest && !stream->capture) {
    auto work = std::make_shared<Work>();
    work->name = "wait for a process";
    work->ready = [shared = found->shared, latest](Driver &) { return shared->isDone(latest); };
    if (!record)
      return d.enqueue(stream, work).result;
    return d.enqueueAfter(stream, work, {record->work}, record->clock).result;
  }
  if (!record)
    return CUDA_SUCCESS;
  if (record->captured) {
    const std::shared_ptr<Capture> capture = record->capture.lock();
    if (!capture)
      return d.violate(Rule::CapturedEvent, "the event was recorded in a capture that has ended",
                       CUDA_ERROR_INVALID_VALUE);
    if (stream->capture && stream->capture != capture) {
      d.invalidate(*stream->capture);
      d.invalidate(*capture);
      return d.violate(Rule::CaptureMerge, "the event belongs to another capture", CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    if (!stream->capture) {
      if (stream->role == Stream::Role::Legacy) {
        d.invalidate(*capture);
        return d.violate(Rule::CaptureImplicit, "the legacy default stream cannot join a capture",
                         CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
      }
      stream->capture = capture;
      stream->captureTips.clear();
      capture->joined.push_back(stream);
    }
    stream->captureTips.insert(stream->captureTips.end(), record->tips.begin(), record->tips.end());
    return CUDA_SUCCESS;
  }
  if (stream->capture) {
    d.invalidate(*stream->capture);
    return d.violate(Rule::CaptureIsolation, "a capturing stream waits for an event recorded outside of the capture",
                     CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  }
  auto work = std::make_shared<Work>();
  work->name = "wait";
  work->nanoseconds = 0;
  return d.enqueueAfter(stream, work, {record->work}, record->clock).result;
}

CUresult hostFunction(Driver &d, CUstream handle, const char *name, std::function<void()> function) {
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  auto work = std::make_shared<Work>();
  work->name = name;
  work->host = std::move(function);
  work->unsafeInCapture = work->name == "callback";
  return d.enqueue(stream, work).result;
}

} // namespace

extern "C" {

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return apiCall({"cuStreamCreate", NeedsContext, {{"flags", flags}}},
                 [&](Driver &d) { return create(d, stream, flags, 0); });
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  return apiCall({"cuStreamCreateWithPriority", NeedsContext, {{"flags", flags}, {"priority", priority}}},
                 [&](Driver &d) { return create(d, stream, flags, priority); });
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return apiCall({"cuStreamDestroy", NeedsContext | EndsSomething, {{"stream", stream}}},
                 [&](Driver &d) { return destroy(d, stream); });
}

CUresult cuStreamQuery(CUstream stream) {
  return apiCall({"cuStreamQuery", NeedsContext, {{"stream", stream}}}, [&](Driver &d) { return query(d, stream); });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return apiCall({"cuStreamSynchronize", NeedsContext, {{"stream", stream}}}, [&](Driver &d) {
    const std::shared_ptr<Stream> found = d.findStream(stream);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    const CUresult result = checkWait(d, *found);
    return result != CUDA_SUCCESS ? result : d.synchronize(found);
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return apiCall({"cuStreamWaitEvent", NeedsContext, {{"stream", stream}, {"event", event}, {"flags", flags}}},
                 [&](Driver &d) { return waitEvent(d, stream, event); });
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned flags) {
  return apiCall({"cuStreamAddCallback", NeedsContext, {{"stream", stream}, {"data", data}, {"flags", flags}}},
                 [&](Driver &d) {
                   if (!callback || flags)
                     return d.violate(Rule::InvalidArgument, "no callback, or flags", CUDA_ERROR_INVALID_VALUE);
                   const std::shared_ptr<Context> context = d.currentContext();
                   return hostFunction(d, stream, "callback", [=] { callback(stream, context->lost, data); });
                 });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  return apiCall({"cuLaunchHostFunc", NeedsContext, {{"stream", stream}, {"data", data}}}, [&](Driver &d) {
    if (!function)
      return d.violate(Rule::InvalidArgument, "no function", CUDA_ERROR_INVALID_VALUE);
    return hostFunction(d, stream, "host function", [=] { function(data); });
  });
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  return apiCall({"cuStreamGetCtx", NeedsContext, {{"stream", stream}}}, [&](Driver &d) {
    const std::shared_ptr<Stream> found = d.findStream(stream, true);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    *context = reinterpret_cast<CUcontext>(found->context->handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  return apiCall({"cuStreamGetFlags", NeedsContext, {{"stream", stream}}}, [&](Driver &d) {
    const std::shared_ptr<Stream> found = d.findStream(stream, true);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    if (found->capture) {
      d.invalidate(*found->capture);
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    *flags = found->flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  return apiCall({"cuStreamGetPriority", NeedsContext, {{"stream", stream}}}, [&](Driver &d) {
    const std::shared_ptr<Stream> found = d.findStream(stream, true);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    *priority = found->priority;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  return apiCall({"cuStreamGetId", NeedsContext, {{"stream", stream}}}, [&](Driver &d) {
    const std::shared_ptr<Stream> found = d.findStream(stream, true);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    *id = found->number;
    return CUDA_SUCCESS;
  });
}

} // extern "C"
