// Captures: driver streams that any software is capturing into graphs, and what graphs keep alive.
#pragma once

#include "device/cuda/driver/context.h"
#include "device/cuda/driver/event_pool.h"
#include "device/graph.h"

#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cuda {

class CudaKernel;
class Timeline;

/// A kernel of a graph whose checks may fail, and the launch that added it.
struct CheckedKernel {
  std::shared_ptr<const CudaKernel> kernel;
  LaunchOrigin *origin; ///< kept alive by the graph
};

/// One capture. Thread-safe.
struct Capture {
  Capture(uint64_t id, GraphHandle graph, uint64_t generation) : id(id), graph(graph), generation(generation) {}

  const uint64_t id; ///< the driver's
  /// Valid during the capture; null: it was invalidated, and all calls on its streams fail.
  const GraphHandle graph;
  const uint64_t generation;      ///< of the context
  std::atomic<bool> isOwn{false}; ///< begun by Treadle, whose own graph keeps `uses`
  std::mutex mutex;
  bool isOver = false;                                    ///< as far as known; guarded by mutex, as all below
  std::vector<std::shared_ptr<const PooledEvent>> events; ///< recorded on its streams
  std::weak_ptr<StreamTimeline> points;                   ///< CudaCapturePoints of `events`
  CapturedUses uses;
  std::vector<CheckedKernel> checked;
  std::vector<std::shared_ptr<Timeline>> joined; ///< streams that are watched until it ends
};

/// The events of a capture: positions count from 1.
class CudaCapturePoints final : public CapturePoints {
public:
  explicit CudaCapturePoints(std::shared_ptr<Capture> capture) : capture(std::move(capture)) {}
  const std::shared_ptr<Capture> capture;
};

/// Of one device.
class Captures {
public:
  explicit Captures(Context &context) : context(context) {}

  /// The capture that the stream is in, or null. Within a Current. Throws DeviceError for the legacy default stream
  /// while a blocking stream is captured: it accepts no work then.
  std::shared_ptr<Capture> of(StreamHandle stream);
  /// Begins a capture of that stream. Within a Current.
  std::shared_ptr<Capture> begin(StreamHandle stream);
  /// Ends one that has failed, if it is not over yet.
  void abandon(StreamHandle stream, uint64_t generation) noexcept;
  /// Keeps `uses` alive as long as its graph, or anything instantiated from it, exists.
  void keep(Capture &capture, const CapturedUses &uses);
  /// Whether any capture may exist, so that the legacy default stream must be queried.
  bool haveBeen() const { return seen.load(std::memory_order_relaxed); }
  /// The same for all devices: calls that are forbidden to a capturing thread are forbidden on any device.
  bool haveBeenAnywhere() const { return context.driver.seesCaptures->load(std::memory_order_relaxed); }
  /// Software that may capture streams has been detected.
  void expect() {
    seen.store(true);
    context.driver.seesCaptures->store(true);
  }

  /// Wraps an object that must not be dropped where the last reference to the wrapper is: under locks.
  std::shared_ptr<const void> droppedLater(std::shared_ptr<const void> what);
  /// Drops what destroyed graphs kept. Called under no lock.
  void dropUnused() noexcept;
  /// The context was reset, and all graphs are gone with it.
  void forget();

private:
  struct Kept {
    Captures &owner;
    CapturedUses uses;
    std::list<std::unique_ptr<Kept>>::iterator place;
  };
  std::shared_ptr<Capture> known(uint64_t id, GraphHandle graph);
  static void release(void *kept) noexcept;

  Context &context;
  std::atomic<bool> seen{false};
  std::mutex mutex;
  std::vector<std::weak_ptr<Capture>> captures; ///< guarded by mutex, as all below
  std::list<std::unique_ptr<Kept>> kept;        ///< by graphs of other software
  std::list<std::unique_ptr<Kept>> unused;      ///< kept by graphs that were destroyed
  std::vector<std::shared_ptr<const void>> dropped;
};

/// A graph captured by Treadle, instantiated.
class CudaGraph final : public Graph {
public:
  struct Parts {
    GraphExecHandle exec;
    size_t size;
    std::vector<CheckedKernel> checked;
  };
  CudaGraph(Device &device, Context &context, CapturedUses uses, Parts parts);
  ~CudaGraph() override;

  size_t size() const override { return parts.size; }
  const uint64_t generation; ///< of the context
  const Parts parts;

private:
  Context &context;
};

} // namespace treadle::cuda
