// Runtime: the one object that holds what must be process-wide.
#pragma once

#include "border/compiler.h"
#include "device/device.h"
#include "launch/claims.h"
#include "launch/open_devices.h"
#include "memory/host_memory.h"
#include "memory/memory_manager.h"
#include "support/export.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace treadle {

/// A device with its memory. Lives as long as the process.
class TREADLE_API DeviceContext {
public:
  DeviceContext(unsigned ordinal, std::unique_ptr<Device> device, const MemoryLimits &limits);
  ~DeviceContext();

  const unsigned ordinal;
  const std::unique_ptr<Device> device;
  MemoryManager memory;
  PinnedRanges pinned;

  /// How often it was reset: what was made from it before is of no use any more.
  uint64_t generation() const { return device->generation(); }
  /// Runs what streams were given; then all memory and all streams but the default ones are lost. Throws the device's
  /// error.
  void reset();
};

/// The devices and the compiler of this process. Created on first use, leaked on purpose: threads may use it at exit.
class TREADLE_API Runtime {
public:
  static Runtime &instance();

  /// The device that kernels of the calling thread run on: of those that TREADLE_DEVICE says, the one it has selected,
  /// or the first. Throws UsageError or DeviceError.
  DeviceContext &context();
  Device &device();
  /// Of one of the process's devices.
  DeviceContext &contextOf(const Device &device);
  unsigned deviceCount();
  /// Throws DeviceError (InvalidDevice) where there is no such device.
  DeviceContext &contextAt(int64_t ordinal);
  /// Of all devices that were used so far: what was put on their streams and has not run.
  std::vector<StreamPoint> unfinished();
  /// Of all devices: what failed on a stream and nobody has been told, once each: QueuedFailures.
  std::vector<std::exception_ptr> takeFailures();
  /// Of the calling thread, from now on.
  void select(DeviceContext &context);
  /// Whether stream 0 is the calling thread's own default stream. Asked of the settings once.
  bool usesThreadStreams();
  /// Opens the compiler library on first use.
  Compiler &compiler();
  /// For tests: devices that TREADLE_DEVICE can ask for by that name, until devices are opened.
  void addDeviceKind(const std::string &name, DeviceOpener opener);
  /// For tests: what `compiler()` is from now on; nullptr: what the library offers.
  void replaceCompiler(Compiler *replacement);

  /// What threads compile at the moment.
  Claims &claims() { return compilations; }

  void noteGenerated(const Image &image);
  /// How many kernels were made for launches ("kernels"), and how many of them have each of CpuEntry::fallbacks; and
  /// how often warps split.
  std::map<std::string, uint64_t> fallbacks() const;

private:
  Runtime();
  void openDevices();

  std::mutex opening;
  std::map<std::string, DeviceOpener> kinds; ///< guarded by `opening`
  Claims compilations;
  std::atomic<Compiler *> opened{nullptr};
  std::atomic<Compiler *> replaced{nullptr};
  std::vector<std::unique_ptr<DeviceContext>> contexts; ///< constant once `areOpen`
  std::atomic<bool> areOpen{false};
  std::atomic<int> threadStreams{-1}; ///< -1: not asked yet
  mutable std::mutex counting;
  std::map<std::string, uint64_t> counts; ///< guarded by `counting`
};

/// Runtime::compiler. Throws Error when the compiler library is missing or of another build.
TREADLE_API Compiler &compiler();

} // namespace treadle
