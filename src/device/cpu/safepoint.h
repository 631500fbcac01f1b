// Safepoints: where running kernels check whether they shall end or lend their thread to the host.
#pragma once

#include "border/kernel_abi.h"

#include <atomic>
#include <cstdint>

namespace treadle::cpu {

/// The first failed debug check of a launch.
struct KernelFailure {
  std::atomic<uint32_t> isTaken{0};
  FailureCall call; ///< written by the thread that set isTaken, read after the launch
};

/// A launch, as seen by safepoints. Called on the threads that run it, only while safepoints are requested.
class SafepointListener {
public:
  virtual bool isEnded() const noexcept = 0;
  /// Whether the host wants the calling thread.
  virtual bool wantsThread() const noexcept = 0;
  /// Lends it the thread, on the thread's own stack. False: the launch is ended.
  virtual bool lendThread() noexcept = 0;

protected:
  ~SafepointListener() = default;
};

/// Arguments of a KernelFunction, the place for its failure, and the listener at its safepoints.
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

/// The word that generated code reads: the number of requests that kernels stop at their safepoints. One for the
/// process, so that its address can be in the code; while it is not 0 all kernels are slow.
inline std::atomic<uint32_t> &safepointRequests() { return *reinterpret_cast<std::atomic<uint32_t> *>(pollWord()); }

/// Serves a safepoint of the calling thread's kernel on the thread's own stack. Does not return if the launch is ended.
void serveSafepoint();

} // namespace treadle::cpu
