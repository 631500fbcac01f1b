// CpuCapture and CpuGraph: work of the CPU device's streams, recorded as a list, and the list to be run.
#pragma once

#include "device/cpu/stream_queue.h"
#include "device/graph.h"

#include <mutex>
#include <vector>

namespace treadle::cpu {

/// Runs its work in the order in which it was recorded, which is one of those that the streams' order allows.
class CpuGraph final : public Graph {
public:
  CpuGraph(Device &device, CapturedUses uses, std::vector<std::unique_ptr<QueuedWork>> works)
      : Graph(device, std::move(uses)), works(std::move(works)) {}

  size_t size() const override { return works.size(); }
  /// As the work of `queue` at that position. Failures are kept in the queue's reports.
  void run(const StreamQueue &queue, uint64_t position);

private:
  const std::vector<std::unique_ptr<QueuedWork>> works; ///< what they note of a run is guarded by `running`
  std::mutex running;
};

/// A run of a graph.
class QueuedGraph final : public QueuedWork {
public:
  QueuedGraph(std::shared_ptr<CpuGraph> graph, const StreamQueue &queue) : graph(std::move(graph)), queue(queue) {}
  void run(const std::atomic<uint64_t> &) override { graph->run(queue, position); }
  std::string_view label() const override { return "graph"; }

private:
  const std::shared_ptr<CpuGraph> graph;
  const StreamQueue &queue; ///< whose work this is
};

/// What the stream that began it records, and those that have joined it by waiting for one of its events. Any number of
/// threads may use it.
class CpuCapture : public std::enable_shared_from_this<CpuCapture> {
public:
  /// Of that stream, and on that thread.
  explicit CpuCapture(const std::shared_ptr<StreamQueue> &origin);
  ~CpuCapture();

  void add(const StreamQueue &stream, std::unique_ptr<QueuedWork> work);
  void keep(const CapturedUses &more);
  /// An event behind what the stream has recorded.
  StreamPoint record(const StreamQueue &stream);
  /// What the stream records from now on comes behind the event; it joins the capture unless it is in it.
  void join(const std::shared_ptr<StreamQueue> &stream, uint64_t event);
  /// Throws DeviceError where `origin` has not begun it, or streams that joined do not lead back to it; in both cases
  /// but the first, it is over.
  std::shared_ptr<CpuGraph> end(const StreamQueue &origin, Device &device);

private:
  /// How much of each member's work something comes behind, by the member's number.
  using Clock = std::vector<size_t>;
  struct Member {
    std::shared_ptr<StreamQueue> queue;
    Clock clock; ///< its own work counts
  };
  Member &memberOf(const StreamQueue &stream);
  void leave();

  const std::thread::id thread;
  std::mutex mutex;
  std::vector<Member> members; ///< the first began it; guarded by mutex, as all below
  std::vector<Clock> events;
  std::vector<std::unique_ptr<QueuedWork>> works;
  CapturedUses uses;
  std::shared_ptr<StreamTimeline> points; ///< CpuCapturePoints
};

/// The events of a capture.
class CpuCapturePoints final : public CapturePoints {
public:
  explicit CpuCapturePoints(std::weak_ptr<CpuCapture> capture) : capture(std::move(capture)) {}
  const std::weak_ptr<CpuCapture> capture;
};

} // namespace treadle::cpu
