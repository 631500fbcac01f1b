// CudaStream: launches, copies, callbacks and events on a stream of the CUDA driver.
#pragma once

#include "device/cuda/code/cuda_module.h"
#include "device/cuda/copies.h"
#include "device/cuda/run_times.h"
#include "device/cuda/timeline.h"
#include "device/stream.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

namespace treadle::cuda {

class CudaDevice;

/// Queues on a Timeline. Several objects may share one driver stream.
class CudaStream final : public Stream {
public:
  /// `own`: owns the driver's stream, if Treadle has created it.
  CudaStream(CudaDevice &owner, std::shared_ptr<Timeline> timeline, std::shared_ptr<OwnStream> own = nullptr);
  ~CudaStream() override;

  LaunchOutcome launch(const LaunchRequest &request, LaunchWatcher &watcher) override;
  void copy(const StridedCopy &copy, const HeldOwners *held, LaunchWatcher &watcher) override;
  void fill(std::span<char> memory, uint8_t value, bool isQueued, LaunchWatcher &watcher) override;
  void run(std::function<void()> function) override;
  EventPoint record(bool withTime) override;
  void wait(const StreamPoint &point) override;
  StreamPoint last() override { return {place, place->lastPosition()}; }
  const StreamTimeline *timeline() const override { return place.get(); }
  void synchronize(LaunchWatcher &watcher) override;
  uint64_t handle() const override;
  bool isBlocking() const override { return place->options.kind != Kind::NonBlocking; }
  Device &device() const override;
  void beginCapture() override;
  std::shared_ptr<Graph> endCapture() override;
  bool isCaptured() override;
  void keepCaptured(const CapturedUses &uses) override;
  void replay(const std::shared_ptr<Graph> &graph) override;

private:
  void checkOpen() const {
    if (place->isRetired()) [[unlikely]]
      failRetiredStream();
  }
  uint64_t advance();
  bool queueWait(Context &theirs, const std::shared_ptr<const PooledEvent> &event);
  uint64_t launchNow(const LaunchRequest &request);
  uint64_t launchOnGrid(const LaunchRequest &request, const CudaKernel &kernel);
  void submit(const LaunchRequest &request, const CudaKernel &kernel, const void *parameters);
  Result launchTraced(const LaunchRequest &request, const DriverLaunch &launch, void **extra);
  TracedWork::Place tracedPlace() const;
  [[noreturn]] void failLaunch(Result result, const LaunchRequest &request, const CudaKernel &kernel);
  std::optional<LaunchOutcome> launchWatched(const LaunchRequest &request);
  void launchCaptured(const LaunchRequest &request, Capture &capture);
  DevicePointer barrierWordFor(Capture &capture);
  void copyCaptured(const StridedCopy &copy, const HeldOwners *held);
  void runCaptured(std::function<void()> function, Capture &capture);
  GraphHandle takeGraph(uint64_t captureGeneration);
  EventPoint recordCaptured(const std::shared_ptr<Capture> &capture);
  void waitInCapture(const CudaCapturePoints &points, uint64_t position);
  uint64_t readRecord(const CudaKernel &kernel, const std::shared_ptr<const ErrorRecord> &slot);
  uint64_t launchWithRecord(const LaunchRequest &request, std::shared_ptr<const ErrorRecord> &slot,
                            LaunchWatcher &watcher);
  LaunchOutcome launchChecked(const LaunchRequest &request, LaunchWatcher &watcher);
  LaunchOutcome awaitLaunch(const StreamPoint &point, LaunchWatcher &watcher);
  DevicePointer barrierWord();
  void drain(LaunchWatcher &watcher);
  void copyNow(const CopyShape &shape, uint64_t now, LaunchWatcher &watcher);
  void copyQueued(const CopyShape &shape, uint64_t now, const HeldOwners &held);
  void endFailed(uint64_t now, LaunchWatcher &watcher) noexcept;
  void await(uint64_t position, LaunchWatcher &watcher);
  void tell();

  CudaDevice &owner;
  Context &context;
  const std::shared_ptr<Timeline> place;
  /// The same for a launch's owners: made once, as copying a reference count is an atomic operation.
  const std::shared_ptr<StreamTimeline> timelineOfOwners{place};
  const std::shared_ptr<OwnStream> ownStream; ///< null: a foreign stream, or the legacy default stream
  /// The word in which grids count arrivals: one per stream, as its launches are in order. It returns to 0 except for
  /// its highest bit, which a grid only compares with its own earlier value.
  std::atomic<DevicePointer> gridBarrier{0};
  std::atomic<uint64_t> barrierGeneration{0}; ///< of the context
  std::shared_ptr<Capture> own;               ///< begun and not ended by this object
};

} // namespace treadle::cuda
