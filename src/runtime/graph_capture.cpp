// Begins and ends captures without leaking anything on failure.
#include "runtime/graph_capture.h"

#include "runtime/runtime.h"
#include "support/error.h"

namespace treadle {

namespace {

std::shared_ptr<Stream> streamOf(const NamedStream &named) {
  if (named.stream)
    return named.stream;
  Device &device = Runtime::instance().device();
  return named.isOfThread ? device.threadStream()
                          : std::shared_ptr<Stream>(std::shared_ptr<void>(), &device.defaultStream());
}

} // namespace

GraphCapture::GraphCapture(const NamedStream &named) : stream(streamOf(named)) {}

void GraphCapture::begin() {
  if (state != State::New)
    throw UsageError(UsageError::Kind::Runtime, "the graph was captured before, and a graph is captured once: make a "
                                                "new one by cuda.graph()");
  stream->beginCapture();
  state = State::Capturing;
  stream->device().beginCaptureStream(stream);
}

std::shared_ptr<Graph> GraphCapture::endCapture() {
  state = State::Abandoned;
  stream->device().endCaptureStream(*stream);
  return stream->endCapture();
}

void GraphCapture::end() {
  if (state != State::Capturing)
    throw UsageError(UsageError::Kind::Runtime, "the graph is not being captured: `with cuda.graph() as graph:` does "
                                                "that");
  captured = endCapture();
  state = State::Captured;
}

void GraphCapture::abandon() noexcept {
  if (state != State::Capturing)
    return;
  try {
    endCapture();
  } catch (const Error &) {
    // A failed capture is dropped just the same.
  }
}

Graph &GraphCapture::graph() const {
  if (!captured)
    throw UsageError(UsageError::Kind::Runtime,
                     state == State::New         ? "the graph has no work yet: capture some by `with graph:`"
                     : state == State::Capturing ? "the graph is still being captured: replay it after the block"
                                                 : "the capture has failed, so there is no graph: capture a new one");
  return *captured;
}

} // namespace treadle
