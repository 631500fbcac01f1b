// Runtime: the one object that holds what must be process-wide.
#pragma once

#include "device/device.h"
#include "launch/compiler.h"
#include "support/export.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace treadle {

namespace cpu {
class CpuDevice;
}

/// The devices and the compiler of this process. Created on first use, leaked on purpose: threads may use it at exit.
class TREADLE_API Runtime {
public:
  static Runtime &instance();

  /// The device that kernels run on, as TREADLE_DEVICE says. Throws UsageError or DeviceError.
  Device &device();
  cpu::CpuDevice &cpuDevice();
  /// Whether stream 0 is the calling thread's own default stream. Asked of the settings once.
  bool usesThreadStreams();
  /// Opens the compiler library on first use.
  Compiler &compiler();
  /// For tests: what `compiler()` is from now on; nullptr: what the library offers.
  void replaceCompiler(Compiler *replacement);

  void noteGenerated(const Image &image);
  /// How many kernels were made for launches ("kernels"), and how many of them have each of Image::fallbacks; and
  /// how often warps split.
  std::map<std::string, uint64_t> fallbacks() const;

private:
  Runtime();

  std::mutex opening;
  std::atomic<Compiler *> opened{nullptr};
  std::atomic<Compiler *> replaced{nullptr};
  std::atomic<cpu::CpuDevice *> cpu{nullptr};
  std::atomic<int> threadStreams{-1}; ///< -1: not asked yet
  mutable std::mutex counting;
  std::map<std::string, uint64_t> counts; ///< guarded by `counting`
};

} // namespace treadle
