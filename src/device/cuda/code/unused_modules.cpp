// Unloads modules.
#include "device/cuda/code/unused_modules.h"

#include "support/error.h"

#include <utility>

namespace treadle::cuda {

void UnusedModules::add(ModuleHandle module, uint64_t generation) noexcept {
  if (!context.isUsable())
    return;
  {
    const std::lock_guard lock(mutex);
    modules.push_back({module, generation});
  }
  unload();
}

void UnusedModules::unload() noexcept {
  if (!context.isUsable())
    return;
  std::vector<Unused> all;
  {
    const std::lock_guard lock(mutex);
    if (modules.empty() || !isIdle())
      return;
    all = std::exchange(modules, {});
  }
  for (const Unused &one : all) {
    if (!context.isUsable() || one.generation != context.generation())
      continue;
    try {
      const Current current(context, one.generation);
      const CaptureRelaxed relaxed(context.driver);
      context.note(context.driver.moduleUnload(one.module), "unload a module");
    } catch (const Error &) {
      // The context is gone, and the module with it.
    }
  }
}

void UnusedModules::forget() {
  const std::lock_guard lock(mutex);
  modules.clear();
}

} // namespace treadle::cuda
