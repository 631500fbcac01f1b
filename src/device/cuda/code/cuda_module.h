// Modules and kernels of the CUDA driver.
#pragma once

#include "device/cuda/code/unused_modules.h"
#include "device/cuda/driver/context.h"
#include "device/device.h"

#include <atomic>
#include <memory>
#include <span>
#include <string>

namespace treadle::cuda {

/// Loads PTX or a binary into the context, which must be current. Throws DeviceError with the driver's log. `what`: for
/// messages.
ModuleHandle loadModule(Context &context, const std::string &code, const std::string &what);

/// PTX loaded by the driver; unloaded after the last of its kernels.
class CudaModule final : public Module, public std::enable_shared_from_this<CudaModule> {
public:
  /// Throws DeviceError with the driver's log if the driver rejects the PTX. `captured`: as Device::load.
  CudaModule(UnusedModules &unused, std::shared_ptr<const Image> image, std::span<const uint64_t> captured);
  ~CudaModule() override;
  std::shared_ptr<Kernel> kernel() override;

  Context &context;
  const std::shared_ptr<const Image> image;
  const uint64_t generation; ///< of the context

private:
  friend class CudaKernel;
  void setCaptured(std::span<const uint64_t> captured);
  /// 0: the module has no such variable.
  DevicePointer addressOf(const char *symbol) const;

  UnusedModules &unused;
  ModuleHandle handle = nullptr;
};

class CudaKernel final : public Kernel {
public:
  explicit CudaKernel(std::shared_ptr<CudaModule> module);
  const Image &image() const override { return *module->image; }
  KernelAttributes attributes() const override;

  /// Before a launch with that much shared memory: a kernel must opt in once to more than 48 KiB.
  void prepareShared(uint32_t dynamicBytes) const {
    if (dynamicBytes > allowedShared.load(std::memory_order_relaxed)) [[unlikely]]
      raiseShared(dynamicBytes);
  }
  /// The same for a cluster larger than the portable size.
  void prepareCluster(uint32_t blocks) const {
    constexpr uint32_t portable = 8;
    if (blocks > portable && !allowsLargeClusters.load(std::memory_order_relaxed)) [[unlikely]]
      allowLargeClusters();
  }
  int attribute(FunctionAttribute attribute) const;

  const std::shared_ptr<CudaModule> module;
  FunctionHandle function = nullptr;
  const char *name = ""; ///< lives as long as the process
  // From the image: what each launch needs.
  const size_t parameterBytes;
  const uint32_t staticShared;
  const bool isCooperative;
  /// The offset in the parameter block of the grid barrier word's address; -1: none.
  int barrierOffset = -1;
  DevicePointer errorRecord = 0; ///< 0: neither compiled with debug, nor makes arrays

private:
  void raiseShared(uint32_t dynamicBytes) const;
  void allowLargeClusters() const;
  void setAttribute(FunctionAttribute attribute, int value, const std::string &purpose) const;
  mutable std::atomic<uint32_t> allowedShared{0};
  mutable std::atomic<bool> allowsLargeClusters{false};
};

} // namespace treadle::cuda
