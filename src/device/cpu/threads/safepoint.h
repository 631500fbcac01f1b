// Safepoints: where running kernels check whether they must end or let the host use their thread.
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
  /// Whether the host needs the calling thread.
  virtual bool wantsThread() const noexcept = 0;
  /// Lets the host use the thread, on the thread's own stack. False: the launch is cancelled.
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

/// Runs generated code. False: it was aborted, at a safepoint or by a failed check.
bool runUntilCut(const KernelCall &call);

/// The word that generated code polls: the number of pending requests to stop at safepoints. Process-wide, so that its
/// address can be in the code; while it is not 0 all kernels are slow.
inline std::atomic<uint32_t> &safepointRequests() { return *reinterpret_cast<std::atomic<uint32_t> *>(pollWord()); }

/// Serves a safepoint of the calling thread's kernel on the thread's own stack. Does not return if the launch is
/// cancelled.
void serveSafepoint();

} // namespace treadle::cpu
