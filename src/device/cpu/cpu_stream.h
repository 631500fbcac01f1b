// Stream of the CPU device: runs work inline if it has nothing to wait for, and queues it otherwise.
#pragma once

#include "device/cpu/stream_set.h"
#include "device/traced_call.h"

#include <optional>

namespace treadle {
struct Image;
}

namespace treadle::cpu {

/// Both moments must be complete.
double millisecondsBetween(const EventState &begin, const EventState &end);
/// How many blocks of one shape can run at once.
uint64_t roomForBlocks(const Kernel &kernel, const LaunchConfig &config);

class CpuStream final : public Stream {
public:
  struct Options {
    StreamSet::Kind kind;
    uint64_t handle;
    /// Launches run on the caller's thread if possible, as on default streams; otherwise they are asynchronous.
    bool isInline;
    uint64_t inlineNanoseconds; ///< of CpuOptions
    Device &device;
    bool isExternal = false; ///< created by another object
  };

  CpuStream(std::shared_ptr<StreamSet> set, std::shared_ptr<StreamQueue> queue, const Options &options);
  ~CpuStream() override;

  LaunchOutcome launch(const LaunchRequest &request, LaunchWatcher &watcher) override;
  void copy(const StridedCopy &copy, const HeldOwners *held, LaunchWatcher &watcher) override;
  void fill(std::span<char> memory, uint8_t value, bool isQueued, LaunchWatcher &watcher) override;
  void run(std::function<void()> function) override;
  EventPoint record(bool withTime) override;
  void wait(const StreamPoint &point) override;
  StreamPoint last() override { return queue->last(); }
  const StreamTimeline *timeline() const override { return queue.get(); }
  void synchronize(LaunchWatcher &watcher) override;
  uint64_t handle() const override { return options.handle; }
  bool isBlocking() const override { return options.kind != StreamSet::Kind::NonBlocking; }
  Device &device() const override { return options.device; }
  void beginCapture() override;
  std::shared_ptr<Graph> endCapture() override;
  bool isCaptured() override { return queue->capture() != nullptr; }
  void keepCaptured(const CapturedUses &uses) override;
  void replay(const std::shared_ptr<Graph> &graph) override;

private:
  /// Throws UsageError (Value) if the kernel cannot be launched with that configuration.
  void checkLaunch(const LaunchRequest &request) const;
  /// `Turn`: holds the position while the launch runs.
  template <typename Turn>
  LaunchOutcome launchNow(const LaunchRequest &request, LaunchWatcher &watcher, uint64_t position);
  /// Nothing: the launch is not special, and takes the usual path.
  std::optional<LaunchOutcome> launchWatched(const LaunchRequest &request);
  /// `note`: receives the launch's point.
  template <typename Note>
  LaunchOutcome launchLater(const LaunchRequest &request, LaunchWatcher &watcher, const Note &note);
  LaunchOutcome launchTraced(const LaunchRequest &request, LaunchWatcher &watcher);
  struct Move {
    StridedCopy copy;
    const HeldOwners *held; ///< as `copy` has it
    const char *name;       ///< in traces
  };
  void move(const Move &wanted, TracedCall &traced, LaunchWatcher &watcher);
  /// Throws the unreported failures of the streams that a host waits for when it waits for this one.
  void throwFailures();
  template <typename WorkType, typename... Arguments> StreamPoint submit(Arguments &&...arguments) {
    return set->submit<WorkType>(*queue, options.kind, std::forward<Arguments>(arguments)...);
  }

  const std::shared_ptr<StreamSet> set;
  const std::shared_ptr<StreamQueue> queue;
  const Options options;
};

} // namespace treadle::cpu
