// Graph: recorded work of streams, which can be replayed.
#pragma once

#include "device/stream.h"

namespace treadle {

/// Immutable, except for the devices' bookkeeping of its runs. Runs of one graph never overlap.
class TREADLE_API Graph : public std::enable_shared_from_this<Graph> {
public:
  virtual ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  /// Queues all of the work on a stream, as one piece, and notes the uses of its memory. If that stream is captured,
  /// the graph becomes a child of the other one. Throws UsageError (Value) for a stream of another device, DeviceError
  /// (ContextIsDestroyed) if the device was reset since, and what CapturedMemory::checkAlive throws.
  void replay(Stream &stream);
  /// The number of its pieces of work.
  virtual size_t size() const = 0;

  Device &device;

protected:
  Graph(Device &device, CapturedUses uses);

private:
  void comeBehindPeers(Stream &stream);

  const uint64_t generation; ///< of the device
  const CapturedUses uses;
};

/// Events recorded on captured streams: positions in a graph, which no stream ever reaches.
class TREADLE_API CapturePoints : public StreamTimeline {
public:
  bool waitFor(uint64_t position, std::chrono::milliseconds time) override;
  void interrupt() override {}
  uint64_t interruptedUpTo() const override { return 0; }
  std::exception_ptr takeFailure(uint64_t) override { return nullptr; }
};

/// Throws DeviceError (CapturedEvent).
[[noreturn]] TREADLE_API void failCapturedEvent(std::string_view operation);

} // namespace treadle
