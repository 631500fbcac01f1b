// Stream capture: what becomes a node, what invalidates a capture.
#include "driver.h"

#include <algorithm>

namespace fakecuda {

void Driver::invalidate(Capture &capture) {
  if (!capture.invalid)
    capture.invalidatedBy = here();
  capture.invalid = true;
}

CUresult Driver::checkUnsafeCall() {
  const ThreadState &thread = threadState();
  CUresult result = CUDA_SUCCESS;
  for (const std::shared_ptr<Capture> &capture : captures) {
    const bool forbids = capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL
                             ? thread.captureMode == CU_STREAM_CAPTURE_MODE_GLOBAL || capture->thread == thread.number
                             : capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && capture->thread == thread.number;
    if (!forbids || thread.captureMode == CU_STREAM_CAPTURE_MODE_RELAXED || capture->invalid)
      continue;
    invalidate(*capture);
    result = violate(Rule::CaptureIllegalCall, "not permitted while a stream captures, which it breaks",
                     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  return result;
}

CUresult Driver::checkImplicit(const Stream &stream) {
  if (stream.role != Stream::Role::Legacy)
    return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (const std::shared_ptr<Capture> &capture : captures) {
    const bool depends = std::any_of(capture->joined.begin(), capture->joined.end(), [&](const auto &joined) {
      return joined->context == stream.context && joined->isBlocking();
    });
    if (!depends || capture->invalid)
      continue;
    invalidate(*capture);
    result = violate(Rule::CaptureImplicit, "the legacy default stream would wait for a blocking stream that captures",
                     CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  }
  return result;
}

namespace {
/// Nodes not connected by a path to the new one must not access the same bytes.
void checkNodeRaces(Driver &driver, const Capture &capture, const GraphNode &node) {
  for (size_t other = 0; other < capture.nodes.size(); ++other) {
    if (node.ancestors[other])
      continue;
    for (const Access &a : node.work->accesses)
      for (const Access &b : capture.nodes[other].work->accesses)
        if ((a.kind != AccessKind::Read || b.kind != AccessKind::Read) && a.address < b.address + b.bytes &&
            b.address < a.address + a.bytes)
          driver.violate(Rule::Race,
                         node.work->name + " and " + capture.nodes[other].work->name +
                             " of one graph touch the same bytes, and no path orders them",
                         CUDA_SUCCESS);
  }
}
} // namespace

CUresult Driver::addNode(const std::shared_ptr<Stream> &stream, std::shared_ptr<Work> work) {
  Capture &capture = *stream->capture;
  if (capture.invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (work->unsafeInCapture) {
    invalidate(capture);
    return violate(Rule::CaptureIllegalCall, work->name + " cannot be captured", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  GraphNode node{std::move(work), stream->captureTips, std::vector<bool>(capture.nodes.size() + 1)};
  for (const size_t before : node.after) {
    node.ancestors[before] = true;
    for (size_t other = 0; other < capture.nodes[before].ancestors.size(); ++other)
      if (capture.nodes[before].ancestors[other])
        node.ancestors[other] = true;
  }
  checkNodeRaces(*this, capture, node);
  capture.nodes.push_back(std::move(node));
  stream->captureTips = {capture.nodes.size() - 1};
  return CUDA_SUCCESS;
}

} // namespace fakecuda
