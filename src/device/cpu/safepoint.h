// Safepoints: where running kernels look whether they shall end, or somebody wants their thread for a moment.
#pragma once

#include "border/kernel_abi.h"

#include <atomic>
#include <cstdint>

namespace treadle::cpu {

/// What a debug check of a kernel found: the first one of a launch.
struct KernelFailure {
  std::atomic<uint32_t> isTaken{0};
  FailureCall call{}; ///< written by who set isTaken, read after the launch
};

/// A launch, as safepoints see it. Asked on the threads that run it, only while safepoints are requested.
class SafepointListener {
public:
  virtual bool isEnded() const noexcept = 0;
  /// Whether the calling thread has something to do besides the kernel.
  virtual bool wantsThread() const noexcept = 0;
  /// Does that, on the thread's own stack. False: the launch is ended.
  virtual bool lendThread() noexcept = 0;

protected:
  ~SafepointListener() = default;
};

/// Arguments of a KernelFunction, where to note its failure, and who listens at its safepoints.
struct KernelCall {
  KernelFunction function;
  const void *parameters;
  const LaunchGeometry *geometry;
  uint64_t first, last;
  WorkerArena *arena;
  KernelFailure *failure;
  SafepointListener *listener;
};

/// Runs generated code. False: it was cut short, at a safepoint or by a failed check.
bool runUntilCut(const KernelCall &call);

/// The word that generated code reads: how many want kernels to stop at their safepoints and look. Of the process, so
/// that its address can be in the code; while it is not 0 all kernels are slow.
inline std::atomic<uint32_t> &safepointRequests() { return *reinterpret_cast<std::atomic<uint32_t> *>(pollWord()); }

/// Does at a safepoint of the calling thread's kernel what is to be done there, on the thread's own stack; does not
/// return where the launch is ended.
void serveSafepoint();

} // namespace treadle::cpu
