// One launch on the CPU: inline first, shared with the pool once it has lasted.
#pragma once

#include "border/kernel_abi.h"
#include "device/cpu/grid_fibers.h"
#include "device/cpu/launch_clock.h"
#include "device/cpu/safepoint.h"
#include "device/cpu/worker_memory.h"
#include "device/cpu/worker_pool.h"
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
  /// How long the first unit of the last launch took, in ns; `unknownDuration` before the first launch.
  /// Says whether one call into generated code may be long, which cannot be seen from outside while it runs.
  mutable std::atomic<uint32_t> unitNanoseconds{unknownDuration};
  static constexpr uint32_t unknownDuration = 0xffffffff;
};

/// Units of a launch as kernel_abi.h defines them.
uint64_t countUnits(const Image &image, const LaunchConfig &config);

/// How many blocks a worker may have started and not finished.
size_t residentBlocks(const Image &image, unsigned threads, size_t sharedBytes);

/// Whether a launch was ended by another thread: all work up to `*upTo` of its stream was.
struct InterruptMark {
  const std::atomic<uint64_t> &upTo;
  uint64_t position;
  bool isSet() const { return upTo.load(std::memory_order_relaxed) >= position; }
};

/// How a launch ended; by default all of it has run.
struct LaunchEnd {
  LaunchOutcome outcome = LaunchOutcome::Done; ///< or Interrupted
  bool endedByHost = false;                    ///< Interrupted: the launch's own watcher wanted it
  std::exception_ptr failure;
  std::string printed; ///< in the order of the blocks
};

/// A launch in progress, on the stack of the thread that makes it.
class CpuLaunch final : public Work, SafepointListener {
public:
  CpuLaunch(const CpuKernel &kernel, const LaunchConfig &config, const void *parameters, const InterruptMark &mark);
  ~CpuLaunch();

  /// `watcher`: that of the host if this is its thread, otherwise null. `limit`: the ns after which the pool joins in.
  /// Writes to `end` only what differs from a new one.
  void execute(PoolOfProcess &pool, LaunchWatcher *watcher, uint64_t limit, LaunchEnd &end);
  void run(uint64_t first, uint64_t last) noexcept override;
  bool goesOn() noexcept override;

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
  GridMeeting meeting;
  const BlockNeeds needs;
  uint64_t inlineLimit = 0;       ///< ns
  uint64_t nanosecondsInline = 0; ///< how long the units that ran inline took
  bool isFirstTimed = false;      ///< nothing ran inline: the thread that runs unit 0 notes how long it takes
  const InterruptMark mark;
  LaunchWatcher *watcher = nullptr;
  HostSlot *slot = nullptr; ///< of the host's thread, once the clock knows of the launch
  bool isLong = false;      ///< the watcher knows
  bool endedByHost = false; ///< and one of safepointRequests() is this launch's, so that all its threads see it
  KernelFailure failure;
  std::mutex printing;
  std::vector<PrintedText> printed; ///< guarded by `printing` until all units have run
  std::atomic<bool> outOfMemory{false};
};

} // namespace treadle::cpu
