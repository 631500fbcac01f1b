// Replays, and the operations that captured streams refuse.
#include "device/graph.h"

#include "device/device.h"
#include "support/error.h"

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
  for (const std::shared_ptr<const CapturedMemory> &one : uses.memory)
    one->checkAlive();
  if (stream.isCaptured()) {
    CapturedUses all = uses;
    all.owners.push_back(shared_from_this());
    stream.keepCaptured(all);
    return stream.replay(shared_from_this());
  }
  comeBehindPeers(stream);
  stream.replay(shared_from_this());
  const StreamPoint point = stream.last();
  for (const std::shared_ptr<const CapturedMemory> &one : uses.memory)
    one->use(point);
  if (!uses.peers.empty() && stream.isBlocking())
    for (const auto &[peer, theirs] : uses.peers)
      peer->defaultStream().wait(stream.record(false).point);
}

/// As for a launch that uses their memory.
void Graph::comeBehindPeers(Stream &stream) {
  for (const auto &[peer, theirs] : uses.peers) {
    device.usesMemoryOf(*peer);
    if (stream.isBlocking())
      stream.wait(peer->defaultStream().record(false).point);
  }
}

bool CapturePoints::waitFor(uint64_t, std::chrono::milliseconds) { failCapturedEvent("wait for an event"); }

void failCapturedEvent(std::string_view operation) {
  throw DeviceError(operation, CudaResult::CapturedEvent,
                    "it was recorded while its stream was captured into a graph, so it is a place in that graph: "
                    "record it after a replay to wait for that");
}

} // namespace treadle
