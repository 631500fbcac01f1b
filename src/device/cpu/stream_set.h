// StreamSet: the streams of one CPU device, and who waits for whom.
#pragma once

#include "device/cpu/stream_queue.h"
#include "device/cpu/worker_pool.h"
#include "support/fork_gate.h"
#include "support/short_mutex.h"

#include <string>

namespace treadle::cpu {

/// Gives positions. The rules are CUDA's: work on the legacy default stream waits for all that blocking streams were
/// given before it, and they wait for it. All waiting is for earlier work, so it ends.
class StreamSet : public std::enable_shared_from_this<StreamSet> {
public:
  enum class Kind : uint8_t { Legacy, Blocking, NonBlocking };

  static std::shared_ptr<StreamSet> make(unsigned threads);
  explicit StreamSet(unsigned threads); ///< for `make`
  StreamSet(const StreamSet &) = delete;
  StreamSet &operator=(const StreamSet &) = delete;

  /// `endsWithReset`: not a default stream.
  std::shared_ptr<StreamQueue> add(Kind kind, bool endsWithReset);
  /// From now on nothing can be put on those that end with a reset: it throws DeviceError.
  void retire();
  const std::shared_ptr<StreamQueue> &legacyQueue() const { return legacy; }

  /// The right to run at once, on the calling thread, which then calls StreamQueue::complete with this position. 0: the
  /// work has to wait for some other, so it must be submitted.
  uint64_t tryBegin(StreamQueue &queue, Kind kind);
  /// Makes work of those arguments, behind what it has to wait for.
  template <typename WorkType, typename... Arguments>
  StreamPoint submit(StreamQueue &queue, Kind kind, Arguments &&...arguments) {
    prepare(queue);
    const std::lock_guard lock(order);
    checkNotRetired(queue); // a reset may have come between, and waits for nothing that comes later
    WorkType &work = queue.make<WorkType>(std::forward<Arguments>(arguments)...);
    return push(queue, kind, work);
  }
  /// What a host that waits for the stream waits for.
  std::vector<std::shared_ptr<StreamQueue>> awaited(const std::shared_ptr<StreamQueue> &queue, Kind kind);
  /// The stream and those whose work its work waits for, busy or not.
  std::vector<std::shared_ptr<StreamQueue>> blockedBy(const std::shared_ptr<StreamQueue> &queue, Kind kind);
  std::vector<std::shared_ptr<StreamQueue>> all();

  /// Ends what all streams were given so far.
  void interrupt();

  /// Text of queued kernels, until somebody waits for a stream and shows it.
  void print(std::string_view text);
  std::string takePrinted();

  PoolOfProcess pool;
  const std::shared_ptr<StreamFailures> failures = std::make_shared<StreamFailures>();

  struct Member {
    Kind kind = Kind::Blocking;
    bool endsWithReset = false;
    std::weak_ptr<StreamQueue> queue;
  };
  /// By the address of its queue; an empty one where none that is alive has it.
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
  uint64_t blockingIdle = 0;   ///< so many positions were given when all of them were seen complete
  std::mutex printing;
  std::string printed; ///< guarded by `printing`
  const AtForks atForks;
};

} // namespace treadle::cpu
