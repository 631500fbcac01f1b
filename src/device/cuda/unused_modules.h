// UnusedModules: modules of dropped kernels, until they can be unloaded.
#pragma once

#include "device/cuda/context.h"

#include <functional>
#include <mutex>
#include <vector>

namespace treadle::cuda {

/// Unloading waits for all work of the device, and whatever drops the last reference to a kernel must not wait:
/// Python's garbage collector does, and a kernel that runs may wait for the host. So modules are unloaded when nothing
/// runs.
class UnusedModules {
public:
  UnusedModules(Context &context, std::function<bool()> isIdle) : context(context), isIdle(std::move(isIdle)) {}

  Context &context;

  /// `generation`: of the context, when it was loaded.
  void add(ModuleHandle module, uint64_t generation) noexcept;
  /// All, if nothing runs. Called now and then, under no lock.
  void unload() noexcept;
  /// The context was reset, and they are gone with it.
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
