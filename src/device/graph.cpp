// Replays, and what captured streams refuse.
#include "device/graph.h"

#include "device/device.h"
#include "support/error.h"

#include <string>

namespace treadle {

Graph::~Graph() = default;

Graph::Graph(Device &device, CapturedUses uses)
    : device(device), generation(device.generation()), uses(std::move(uses)) {}

void Graph::replay(Stream &stream) {
  if (generation != device.generation())
    throw DeviceError("replay a graph", CudaResult::ContextIsDestroyed,
                      "its device was reset after it was captured: capture it again");
  if (&stream.device() != &device)
    throw UsageError(UsageError::Kind::Value, "the stream is one of another device than the graph: replay it on one "
                                              "that was made while the graph's device was selected");
  if (stream.isCaptured()) {
    CapturedUses all = uses;
    all.owners.push_back(shared_from_this());
    stream.keepCaptured(all);
    return stream.replay(shared_from_this());
  }
  stream.replay(shared_from_this());
  const StreamPoint point = stream.last();
  for (const auto &note : uses.notes)
    note(point);
}

void CapturedUses::add(const CapturedUses &more) {
  owners.insert(owners.end(), more.owners.begin(), more.owners.end());
  notes.insert(notes.end(), more.notes.begin(), more.notes.end());
}

bool CapturePoints::waitFor(uint64_t, std::chrono::milliseconds) { failCapturedEvent("wait for an event"); }

void failCapturedEvent(std::string_view operation) {
  throw DeviceError(operation, CudaResult::CapturedEvent,
                    "it was recorded while its stream was captured into a graph, so it is a place in that graph: "
                    "record it behind a replay to wait for that");
}

void failCaptured(std::string_view operation, std::string_view advice) {
  throw DeviceError(operation, CudaResult::StreamCaptureUnsupported,
                    "a stream is being captured into a graph, where nothing runs yet: " + std::string(advice));
}

/// Devices without graphs.
void Stream::beginCapture() {
  throw UsageError(UsageError::Kind::NotImplemented, "the " + device().kind() + " device has no graphs");
}

std::shared_ptr<Graph> Stream::endCapture() {
  beginCapture();
  return nullptr;
}
void Stream::keepCaptured(const CapturedUses &) { beginCapture(); }
void Stream::replay(const std::shared_ptr<Graph> &) { beginCapture(); }

} // namespace treadle
