// CpuCapture and CpuGraph: work of the CPU device's streams, recorded as a list, and its replay.
#pragma once

#include "device/cpu/stream_queue.h"
#include "device/graph.h"
#include "support/fork_gate.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace treadle::cpu {

/// Runs its work in the order of recording, which is a topological order of the streams' dependencies.
class CpuGraph final : public Graph {
public:
  CpuGraph(Device &device, CapturedUses uses, std::vector<std::unique_ptr<QueuedWork>> works)
      : Graph(device, std::move(uses)), works(std::move(works)) {}

  size_t size() const override { return works.size(); }
  /// As the work of `queue` at that position. Failures go to the queue's reports.
  void run(const StreamQueue &queue, uint64_t position);

private:
  const std::vector<std::unique_ptr<QueuedWork>> works; ///< their state during a run is guarded by `running`
  ForkMutex running{ForkMutex::Held::OverWork};
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

/// Records the stream that began it, and those that have joined it by waiting for one of its events. Thread-safe.
class CpuCapture : public std::enable_shared_from_this<CpuCapture> {
public:
  /// For that stream, begun on that thread.
  explicit CpuCapture(const std::shared_ptr<StreamQueue> &origin);
  ~CpuCapture();

  void add(const StreamQueue &stream, std::unique_ptr<QueuedWork> work);
  void keep(const CapturedUses &more);
  /// An event after what the stream has recorded.
  StreamPoint record(const StreamQueue &stream);
  /// Orders what the stream records next after the event; the stream joins the capture if it is not a member.
  void join(const std::shared_ptr<StreamQueue> &stream, uint64_t event);
  /// In the child of a fork, which has no captures.
  void abandonInChild() { isAbandoned.store(true); }
  /// Throws DeviceError if `origin` has not begun it, or if streams that joined were not joined back to it; it is over,
  /// except in the first case.
  std::shared_ptr<CpuGraph> end(const StreamQueue &origin, Device &device);

private:
  /// A vector clock: how much of each member's work precedes something, by the member's number.
  using Clock = std::vector<size_t>;
  struct Member {
    std::shared_ptr<StreamQueue> queue;
    Clock clock; ///< includes its own work
  };
  Member &memberOf(const StreamQueue &stream);
  void leave();

  const std::thread::id thread;
  std::atomic<bool> isAbandoned{false};
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
