// The driver API: stream capture and graphs.
#include "call.h"

#include <algorithm>
#include <utility>

using namespace fakecuda;

namespace {

CUresult begin(Driver &d, CUstream handle, CUstreamCaptureMode mode) {
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->role == Stream::Role::Legacy)
    return d.violate(Rule::CaptureImplicit, "the legacy default stream cannot capture",
                     CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (stream->capture)
    return d.violate(Rule::CaptureIllegalCall, "the stream captures already", CUDA_ERROR_ILLEGAL_STATE);
  stream->capture = std::make_shared<Capture>();
  stream->capture->mode = mode;
  stream->capture->id = d.nextCaptureId();
  stream->capture->thread = threadState().number;
  stream->capture->origin = stream;
  stream->capture->joined = {stream};
  stream->captureTips.clear();
  d.captures.push_back(stream->capture);
  return CUDA_SUCCESS;
}

bool isJoined(const Capture &capture) {
  const std::vector<size_t> &tips = capture.origin->captureTips;
  for (const std::shared_ptr<Stream> &stream : capture.joined) {
    if (stream == capture.origin)
      continue;
    for (const size_t tip : stream->captureTips) {
      const bool reached = std::any_of(tips.begin(), tips.end(),
                                       [&](size_t end) { return end == tip || capture.nodes[end].ancestors[tip]; });
      if (!reached)
        return false;
    }
  }
  return true;
}

/// The graph into which the capture goes.
std::shared_ptr<Graph> graphOf(Driver &d, Capture &capture) {
  if (!capture.graph)
    capture.graph = d.make<Graph>(capture.origin->context);
  return capture.graph;
}

CUgraphNode nodeHandle(const Graph &graph, size_t index) {
  return reinterpret_cast<CUgraphNode>(graph.handle + index + 1);
}

/// The legacy stream would wait for streams that capture: an error of a query, not a violation.
bool isImplicated(Driver &d, const Stream &stream) {
  return stream.role == Stream::Role::Legacy &&
         std::any_of(d.captures.begin(), d.captures.end(), [&](const auto &capture) {
           return capture->origin->isBlocking() && capture->origin->context == stream.context;
         });
}

CUstreamCaptureStatus statusOf(const Stream &stream) {
  if (!stream.capture)
    return CU_STREAM_CAPTURE_STATUS_NONE;
  return stream.capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

/// Where a caller wants to know about a capture; any may be null.
struct CaptureInfo {
  CUstreamCaptureStatus *status;
  uint64_t *id = nullptr;
  CUgraph *graph = nullptr;
  const CUgraphNode **nodes = nullptr;
  size_t *count = nullptr;
};

CUresult tell(Driver &d, CUstream handle, const CaptureInfo &info) {
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!info.status)
    return d.violate(Rule::InvalidArgument, "no place for the status", CUDA_ERROR_INVALID_VALUE);
  *info.status = statusOf(*stream);
  if (isImplicated(d, *stream))
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  if (*info.status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return CUDA_SUCCESS;
  if (info.id)
    *info.id = stream->capture->id;
  if (!info.graph && !info.nodes)
    return CUDA_SUCCESS;
  const std::shared_ptr<Graph> graph = graphOf(d, *stream->capture);
  stream->tipHandles.clear();
  for (const size_t tip : stream->captureTips)
    stream->tipHandles.push_back(nodeHandle(*graph, tip));
  if (info.graph)
    *info.graph = reinterpret_cast<CUgraph>(graph->handle);
  if (info.nodes)
    *info.nodes = stream->tipHandles.data();
  if (info.count)
    *info.count = stream->tipHandles.size();
  return CUDA_SUCCESS;
}

CUresult finishCapture(Driver &d, const Capture &capture) {
  if (capture.invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (isJoined(capture))
    return CUDA_SUCCESS;
  return d.violate(Rule::CaptureUnjoined, "a stream that joined the capture does not lead back to its origin",
                   CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

CUresult end(Driver &d, CUstream handle, CUgraph *graph) {
  *graph = nullptr;
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  const std::shared_ptr<Capture> capture = stream->capture;
  if (!capture)
    return d.violate(Rule::CaptureUnmatched, "the stream does not capture", CUDA_ERROR_ILLEGAL_STATE);
  if (capture->origin != stream) {
    d.invalidate(*capture);
    return d.violate(Rule::CaptureUnmatched, "the capture was begun on another stream",
                     CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  }
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != threadState().number)
    return d.violate(Rule::CaptureWrongThread, "the capture was begun on another thread",
                     CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  const CUresult result = finishCapture(d, *capture);
  for (const std::shared_ptr<Stream> &joined : capture->joined) {
    joined->capture.reset();
    joined->captureTips.clear();
  }
  std::erase(d.captures, capture);
  if (result != CUDA_SUCCESS) {
    if (capture->graph) {
      d.end(*capture->graph);
      d.releaseUserObjects(capture->graph->objects);
    }
    return result;
  }
  const std::shared_ptr<Graph> made = graphOf(d, *capture);
  made->nodes = capture->nodes;
  *graph = reinterpret_cast<CUgraph>(made->handle);
  return CUDA_SUCCESS;
}

CUresult instantiate(Driver &d, CUgraphExec *exec, CUgraph handle) {
  const std::shared_ptr<Graph> graph = d.find<Graph>(handle, Kind::Graph);
  if (!graph)
    return CUDA_ERROR_INVALID_HANDLE;
  const std::shared_ptr<GraphExec> made = d.make<GraphExec>(graph->context);
  made->nodes = graph->nodes;
  made->objects = graph->objects;
  d.retainUserObjects(made->objects);
  *exec = reinterpret_cast<CUgraphExec>(made->handle);
  return CUDA_SUCCESS;
}

/// Runs the nodes, in a random order that their edges allow, as one indivisible piece of work.
/// Work that runs in steps has the machine to itself.
CUresult runNode(Driver &d, const Work &work) {
  if (!work.begin)
    return work.run ? work.run(d) : CUDA_SUCCESS;
  const std::unique_ptr<RunningWork> running = work.begin(d);
  CUresult result = CUDA_SUCCESS;
  while (!running->step(d, result)) {
  }
  return result;
}

CUresult runNodes(Driver &d, const std::vector<GraphNode> &nodes) {
  std::vector<bool> done(nodes.size());
  for (size_t count = 0; count < nodes.size(); ++count) {
    std::vector<size_t> free;
    for (size_t at = 0; at < nodes.size(); ++at)
      if (!done[at] && std::all_of(nodes[at].after.begin(), nodes[at].after.end(), [&](size_t n) { return done[n]; }))
        free.push_back(at);
    const size_t chosen = free[d.pick(free.size())];
    done[chosen] = true;
    const Work &work = *nodes[chosen].work;
    d.ran.push_back(work.name);
    if (const CUresult result = runNode(d, work); result != CUDA_SUCCESS)
      return result;
    if (work.host) {
      d.runOnCallbackThread(work.host);
      ++d.hostFunctions;
    }
    d.nanoseconds += work.nanoseconds;
  }
  return CUDA_SUCCESS;
}

CUresult launch(Driver &d, CUgraphExec handle, CUstream streamHandle) {
  const std::shared_ptr<GraphExec> exec = d.find<GraphExec>(handle, Kind::GraphExec);
  const std::shared_ptr<Stream> stream = d.findStream(streamHandle);
  if (!exec || !stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (exec->context != stream->context)
    return d.violate(Rule::ContextMismatch, "the graph belongs to another context than the stream",
                     CUDA_ERROR_INVALID_HANDLE);
  auto work = std::make_shared<Work>();
  work->name = "graph";
  for (const GraphNode &node : exec->nodes)
    work->accesses.insert(work->accesses.end(), node.work->accesses.begin(), node.work->accesses.end());
  work->run = [nodes = exec->nodes](Driver &driver) { return runNodes(driver, nodes); };
  const Enqueued queued = d.enqueueAfter(stream, work, {exec->last}, exec->clock);
  if (queued.id) {
    exec->last = queued.id;
    exec->clock = stream->clock;
  }
  return queued.result;
}

} // namespace

extern "C" {

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return apiCall({"cuStreamBeginCapture", NeedsContext, {{"stream", stream}, {"mode", mode}}},
                 [&](Driver &d) { return begin(d, stream, mode); });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return apiCall({"cuStreamEndCapture", NeedsContext, {{"stream", stream}}},
                 [&](Driver &d) { return end(d, stream, graph); });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  return apiCall({"cuStreamIsCapturing", NeedsContext, {{"stream", stream}}},
                 [&](Driver &d) { return tell(d, stream, {status}); });
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id) {
  return apiCall({"cuStreamGetCaptureInfo", NeedsContext, {{"stream", stream}}},
                 [&](Driver &d) { return tell(d, stream, {status, id}); });
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id, CUgraph *graph,
                                   const CUgraphNode **nodes, size_t *count) {
  return apiCall({"cuStreamGetCaptureInfo", NeedsContext, {{"stream", stream}}},
                 [&](Driver &d) { return tell(d, stream, {status, id, graph, nodes, count}); });
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id, CUgraph *graph,
                                   const CUgraphNode **nodes, const CUgraphEdgeData **edges, size_t *count) {
  if (edges)
    *edges = nullptr; // all edges are plain ones
  return cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return apiCall({"cuThreadExchangeStreamCaptureMode", NeedsInit, {{"mode", *mode}}}, [&](Driver &) {
    *mode = std::exchange(threadState().captureMode, *mode);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
  return apiCall({"cuGraphInstantiate", NeedsContext, {{"graph", graph}, {"flags", flags}}},
                 [&](Driver &d) { return instantiate(d, exec, graph); });
}

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *errorNode, char *log, size_t logBytes) {
  return apiCall({"cuGraphInstantiate", NeedsContext, {{"graph", graph}}}, [&](Driver &d) {
    if (errorNode)
      *errorNode = nullptr;
    if (log && logBytes)
      *log = 0;
    return instantiate(d, exec, graph);
  });
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return apiCall({"cuGraphLaunch", NeedsContext, {{"exec", exec}, {"stream", stream}}},
                 [&](Driver &d) { return launch(d, exec, stream); });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return apiCall({"cuGraphDestroy", NeedsContext | EndsSomething, {{"graph", graph}}}, [&](Driver &d) {
    const std::shared_ptr<Graph> found = d.find<Graph>(graph, Kind::Graph, true);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    d.end(*found);
    d.releaseUserObjects(found->objects);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return apiCall({"cuGraphExecDestroy", NeedsContext | EndsSomething, {{"exec", exec}}}, [&](Driver &d) {
    const std::shared_ptr<GraphExec> found = d.find<GraphExec>(exec, Kind::GraphExec, true);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    d.end(*found);
    d.releaseUserObjects(found->objects);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return apiCall({"cuGraphGetNodes", NeedsContext, {{"graph", graph}}}, [&](Driver &d) {
    const std::shared_ptr<Graph> found = d.find<Graph>(graph, Kind::Graph);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    const size_t written = nodes ? std::min(*count, found->nodes.size()) : 0;
    for (size_t at = 0; at < written; ++at)
      nodes[at] = nodeHandle(*found, at);
    *count = nodes ? written : found->nodes.size();
    return CUDA_SUCCESS;
  });
}

} // extern "C"
