// Ctrl-C ends a kernel: the poll page, the two signal handlers, and the way out of generated code.
#pragma once

#include "device/cpu/kernel_abi.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace treadle::cpu {

/// What a debug check of a kernel found: the first one of a launch.
struct KernelFailure {
  std::atomic<uint32_t> isTaken{0};
  FailureCall call{}; ///< written by who set isTaken, read after the launch
};

/// Arguments of a KernelFunction, and where to note its failure.
struct KernelCall {
  KernelFunction function;
  const void *parameters;
  const LaunchGeometry *geometry;
  uint64_t first, last;
  WorkerArena *arena;
  KernelFailure *failure;
};

/// Watches for SIGINT while launches run. One per process (signals are), never destroyed: a handler may still run at
/// exit.
///
/// SIGINT makes the poll page unreadable; the next safepoint of every running kernel faults, and the SIGSEGV handler
/// jumps to that thread's `runUntilCut`. The page is made readable again when the last watched launch has left.
/// Both handlers pass on to whichever was there before; ours are put back whenever somebody has replaced them.
class InterruptWatch {
public:
  static InterruptWatch &instance();

  void *page() const { return pollPage; }

  /// A launch that Ctrl-C must end begins or ends. `enter` waits while an earlier interrupt is still being handled.
  void enter();
  void leave();
  /// Ctrl-C was pressed while launches run; true until all of them have left.
  bool isRaised() const { return raised.load(std::memory_order_relaxed) != 0; }
  /// How often that was so. Launches that wait in a queue meanwhile are ended by it too.
  uint64_t interruptions() const { return count.load(std::memory_order_relaxed); }

private:
  InterruptWatch();
  void watchInterrupts();
  void lower();
  static void onInterrupt(int signal, siginfo_t *info, void *context);
  static void onFault(int signal, siginfo_t *info, void *context);
  const struct sigaction *kept(const struct sigaction &action);

  char *pollPage;
  std::atomic<uint32_t> active{0};
  std::atomic<uint32_t> raised{0};
  std::atomic<uint64_t> count{0};
  /// Handlers that were there before ours, each once. Never freed, as a signal handler may be reading them.
  std::vector<std::unique_ptr<struct sigaction>> handlers;
  std::atomic<const struct sigaction *> previousInterrupt{nullptr};
  std::atomic<const struct sigaction *> previousFault{nullptr};
  std::atomic<uint32_t> chaining{0};
  std::mutex changing; ///< of `handlers`, and of what is installed
};

/// Runs generated code. False: it was cut short, by Ctrl-C (between enter and leave only) or by a failed check.
bool runUntilCut(const KernelCall &call);

} // namespace treadle::cpu
