// One launch on the CPU: inline first, shared with the pool if it lasts.
#pragma once

#include "border/kernel_abi.h"
#include "device/cpu/launch_clock.h"
#include "device/cpu/threads/grid_fibers.h"
#include "device/cpu/threads/safepoint.h"
#include "device/cpu/threads/worker_memory.h"
#include "device/cpu/threads/worker_pool.h"
#include "device/device.h"

#include <string>

namespace treadle::cpu {

/// A kernel whose code is loaded in this process.
class CpuKernel final : public Kernel {
public:
  CpuKernel(std::shared_ptr<const Image> image, KernelFunction function, std::shared_ptr<void> keep);
  const Image &image() const override { return *imageOf; }

  const std::shared_ptr<const Image> imageOf;
  const KernelFunction function;
  const std::shared_ptr<void> keep;
  /// The duration of the first unit of the last launch, in ns; `unknownDuration` before the first launch. Predicts
  /// whether one call into generated code may be long, which cannot be observed while it runs.
  mutable std::atomic<uint32_t> unitNanoseconds{unknownDuration};
  static constexpr uint32_t unknownDuration = 0xffffffff;
};

/// The number of units of a launch, as kernel_abi.h defines them.
uint64_t countUnits(const Image &image, const LaunchConfig &config);

/// The maximum number of blocks in progress on a worker.
size_t residentBlocks(const Image &image, unsigned threads, size_t sharedBytes);

/// Whether another thread has cancelled a launch: all work up to `*upTo` of its stream was cancelled.
struct InterruptMark {
  const std::atomic<uint64_t> &upTo;
  uint64_t position;
  bool isSet() const { return upTo.load(std::memory_order_relaxed) >= position; }
};

/// The outcome of a launch; by default all of it has run.
struct LaunchEnd {
  LaunchOutcome outcome = LaunchOutcome::Done; ///< or Interrupted
  bool endedByHost = false;                    ///< Interrupted: by the launch's own watcher
  std::exception_ptr failure;
  std::string printed; ///< in the order of the blocks
};

/// A launch in progress, on the stack of the launching thread.
class CpuLaunch final : public Work, SafepointListener {
public:
  CpuLaunch(const CpuKernel &kernel, const LaunchConfig &config, const void *parameters, const InterruptMark &mark);
  ~CpuLaunch();

  /// `watcher`: the host's if this is its thread, otherwise null. `limit`: the ns after which the pool joins in. Writes
  /// to `end` only what differs from the default.
  void execute(PoolOfProcess &pool, LaunchWatcher *watcher, uint64_t limit, LaunchEnd &end);
  void run(uint64_t first, uint64_t last) noexcept override;
  bool shouldContinue() noexcept override;

private:
  bool isEnded() const noexcept override { return stop.load(std::memory_order_relaxed) != 0 || mark.isSet(); }
  bool wantsThread() const noexcept override { return slot && slot->isAsked() && slot->isOfThisThread(); }
  bool lendThread() noexcept override;
  bool runInline();
  void runShared(PoolOfProcess &pool);
  void runOnLargerStack(uint64_t first, uint64_t last) noexcept;
  void runTogether(uint64_t first, uint64_t last, WorkerArena *arena);
  unsigned threadsPerBlock() const { return geometry.blockDim[0] * geometry.blockDim[1] * geometry.blockDim[2]; }
  void runAll(PoolOfProcess &pool);
  void collectPrinted();
  std::string printedText();
  std::exception_ptr failureFound() const;
  void becomeLong();
  void watchClock();
  void noteDuration(uint64_t nanoseconds);

  const CpuKernel &kernel;
  const void *parameters;
  LaunchGeometry geometry;
  GridBarrier gridBarrier;
  const BlockNeeds needs;
  uint64_t inlineLimit = 0;       ///< ns
  uint64_t nanosecondsInline = 0; ///< duration of the units that ran inline
  bool isFirstTimed = false;      ///< nothing ran inline: the thread that runs unit 0 measures it
  const InterruptMark mark;
  LaunchWatcher *watcher = nullptr;
  HostSlot *slot = nullptr; ///< of the host's thread, if the clock watches the launch
  bool isLong = false;      ///< the watcher was told
  bool endedByHost = false; ///< safepointRequests() counts one for this launch, so that all its threads see it
  KernelFailure failure;
  std::mutex printing;
  std::vector<PrintedText> printed; ///< guarded by `printing` until all units have run
  std::atomic<bool> outOfMemory{false};
};

} // namespace treadle::cpu
