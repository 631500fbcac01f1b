// UnusedModules: modules of dropped kernels, until they can be unloaded.
#pragma once

#include "device/cuda/driver/context.h"

#include <functional>
#include <mutex>
#include <vector>

namespace treadle::cuda {

/// Unloading waits for all work of the device, but dropping the last reference to a kernel must not wait: Python's
/// garbage collector may do it, and a running kernel may wait for the host. So modules are unloaded when the device is
/// idle.
class UnusedModules {
public:
  UnusedModules(Context &context, std::function<bool()> isIdle) : context(context), isIdle(std::move(isIdle)) {}

  Context &context;

  /// `generation`: of the context, when it was loaded.
  void add(ModuleHandle module, uint64_t generation) noexcept;
  /// All of them, if the device is idle. Called occasionally, under no lock.
  void unload() noexcept;
  /// The context was reset, which destroyed them.
  void forget();

private:
  struct Unused {
    ModuleHandle module;
    uint64_t generation;
  };
  const std::function<bool()> isIdle;
  std::mutex mutex;
  std::vector<Unused> modules; ///< guarded by mutex
};

} // namespace treadle::cuda
