// CudaCode: a module of the CUDA driver that was made of a program's own PTX or binary.
#pragma once

#include "device/cuda/unused_modules.h"
#include "device/loaded_code.h"

namespace treadle::cuda {

class CudaCode final : public LoadedCode {
public:
  /// Throws DeviceError with the driver's log if it does not take the code.
  CudaCode(UnusedModules &unused, const std::string &code);
  ~CudaCode() override;

  uint64_t handle() const override { return reinterpret_cast<uint64_t>(module); }
  uint64_t function(const std::string &name) override;
  Variable variable(const std::string &name) override;
  void launch(const Launch &launch) override;
  void unload() override;

private:
  ModuleHandle loaded() const;

  UnusedModules &unused;
  Context &context;
  const uint64_t generation;
  ModuleHandle module = nullptr;
};

} // namespace treadle::cuda
