// StreamSet: the streams of one CPU device, and their dependencies.
#pragma once

#include "device/cpu/stream_queue.h"
#include "device/cpu/threads/worker_pool.h"
#include "support/fork_gate.h"
#include "support/short_mutex.h"

#include <vector>

namespace treadle::cpu {

/// Assigns positions, by the rules of Stream::Kind.
class StreamSet : public std::enable_shared_from_this<StreamSet> {
public:
  using Kind = Stream::Kind;

  static std::shared_ptr<StreamSet> make(unsigned threads, std::shared_ptr<StreamReports> reports);
  StreamSet(unsigned threads, std::shared_ptr<StreamReports> reports); ///< for `make`
  StreamSet(const StreamSet &) = delete;
  StreamSet &operator=(const StreamSet &) = delete;

  /// `endsWithReset`: not a default stream.
  std::shared_ptr<StreamQueue> add(Kind kind, bool endsWithReset);
  /// From now on, queueing work on the streams that end with a reset throws DeviceError.
  void retire();
  const std::shared_ptr<StreamQueue> &legacyQueue() const { return legacy; }

  /// Grants the right to run work inline on the calling thread, which then calls StreamQueue::complete with this
  /// position. 0: the work has to wait for other work, so it must be queued.
  uint64_t tryBegin(StreamQueue &queue, Kind kind);
  /// Queues new work constructed from those arguments, after the work that it depends on.
  template <typename WorkType, typename... Arguments>
  StreamPoint submit(StreamQueue &queue, Kind kind, Arguments &&...arguments) {
    prepare(queue);
    const std::lock_guard lock(order);
    checkNotRetired(queue); // a reset may have happened in between, and does not wait for later work
    WorkType &work = queue.make<WorkType>(std::forward<Arguments>(arguments)...);
    return push(queue, kind, work);
  }
  /// The queues that a host waits for when it waits for the stream.
  std::vector<std::shared_ptr<StreamQueue>> awaited(const std::shared_ptr<StreamQueue> &queue, Kind kind);
  /// The stream and those that its work depends on, busy or not.
  std::vector<std::shared_ptr<StreamQueue>> blockedBy(const std::shared_ptr<StreamQueue> &queue, Kind kind);
  std::vector<std::shared_ptr<StreamQueue>> all();

  /// Cancels the work queued so far on all streams.
  void interrupt();

  PoolOfProcess pool;
  const std::shared_ptr<StreamReports> reports;

  struct Member {
    Kind kind = Kind::Blocking;
    bool endsWithReset = false;
    std::weak_ptr<StreamQueue> queue;
  };
  /// The live stream with that queue address; an empty one if there is none.
  Member find(uint64_t handle);

private:
  static void checkNotRetired(const StreamQueue &queue);
  void prepare(StreamQueue &queue);
  StreamPoint push(StreamQueue &queue, Kind kind, QueuedWork &work);
  bool areBlockingIdle();
  void beginChild();

  std::shared_ptr<StreamQueue> legacy;
  ShortMutex order;
  std::vector<Member> members; ///< guarded by `order`, as the next two
  uint64_t blockingGiven = 0;  ///< positions of blocking streams
  uint64_t blockingIdle = 0;   ///< `blockingGiven` when all of them were last seen complete
  const AtForks atForks;
};

} // namespace treadle::cpu
