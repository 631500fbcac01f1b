// CudaCode: a module of the CUDA driver, loaded from a program's own PTX or binary.
#pragma once

#include "device/cuda/code/unused_modules.h"
#include "device/loaded_code.h"

#include <atomic>

namespace treadle::cuda {

class CudaCode final : public LoadedCode {
public:
  /// Throws DeviceError with the driver's log if the driver rejects the code.
  CudaCode(UnusedModules &unused, const std::string &code);
  ~CudaCode() override;

  uint64_t handle() const override { return reinterpret_cast<uint64_t>(module.load()); }
  uint64_t function(const std::string &name) override;
  Variable variable(const std::string &name) override;
  void launch(const Launch &launch) override;
  void unload() override;

private:
  static ModuleHandle known(ModuleHandle module);
  ModuleHandle loaded() const { return known(module.load()); }

  UnusedModules &unused;
  Context &context;
  const uint64_t generation;
  std::atomic<ModuleHandle> module{nullptr}; ///< null once it is unloaded, by any thread
};

} // namespace treadle::cuda
