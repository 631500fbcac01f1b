// Replays, and what captured streams refuse.
#include "device/graph.h"

#include "device/device.h"
#include "support/error.h"

#include <algorithm>
#include <string>

namespace treadle {

Graph::~Graph() = default;

Graph::Graph(Device &device, CapturedUses uses)
    : device(device), generation(device.generation()), uses(std::move(uses)) {}

void Graph::replay(Stream &stream) {
  if (generation != device.generation())
    throw DeviceError("replay a graph", CudaResult::ContextIsDestroyed,
                      "its device was reset after it was captured: capture it again");
  for (const auto &[peer, theirs] : uses.peers)
    if (theirs != peer->generation())
      throw DeviceError("replay a graph", CudaResult::ContextIsDestroyed,
                        "another device whose memory it uses was reset after it was captured: capture it again");
  if (&stream.device() != &device)
    throw UsageError(UsageError::Kind::Value, "the stream is one of another device than the graph: replay it on one "
                                              "that was made while the graph's device was selected");
  if (stream.isCaptured()) {
    CapturedUses all = uses;
    all.owners.push_back(shared_from_this());
    stream.keepCaptured(all);
    return stream.replay(shared_from_this());
  }
  comeBehindPeers(stream);
  stream.replay(shared_from_this());
  const StreamPoint point = stream.last();
  for (const auto &note : uses.notes)
    note(point);
  if (!uses.peers.empty() && stream.isBlocking())
    for (const auto &[peer, theirs] : uses.peers)
      peer->defaultStream().wait(stream.record(false).point);
}

/// As a launch that uses their memory does.
void Graph::comeBehindPeers(Stream &stream) {
  for (const auto &[peer, theirs] : uses.peers) {
    device.usesMemoryOf(*peer);
    if (stream.isBlocking())
      stream.wait(peer->defaultStream().record(false).point);
  }
}

void CapturedUses::add(const CapturedUses &more) {
  owners.insert(owners.end(), more.owners.begin(), more.owners.end());
  notes.insert(notes.end(), more.notes.begin(), more.notes.end());
  for (const auto &peer : more.peers)
    if (std::ranges::find(peers, peer) == peers.end())
      peers.push_back(peer);
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
