// The CPU device: names, attributes, memory, modules.
#include "device/cpu/cpu_device.h"

#include "device/cpu/cpu_launch.h"
#include "device/device_attribute.h"
#include "support/error.h"

#include <cstdlib>
#include <fstream>

namespace treadle::cpu {

namespace {

class CpuModule final : public Module {
public:
  CpuModule(std::shared_ptr<const Image> image, const NativeCode &code)
      : loaded(std::make_shared<CpuKernel>(std::move(image), reinterpret_cast<KernelFunction>(code.entry), code.keep)) {
  }
  std::shared_ptr<Kernel> kernel() override { return loaded; }

private:
  std::shared_ptr<CpuKernel> loaded;
};

} // namespace

CpuDevice::CpuDevice(CpuOptions options)
    : options(options), pool(options.threads), stream(pool, options.inlineNanoseconds) {}
CpuDevice::~CpuDevice() = default;

std::string CpuDevice::name() const {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "CPU";
}

static uint64_t roomForBlocks(const Kernel &kernel, const LaunchConfig &config) {
  const Image &image = kernel.image();
  return residentBlocks(image, config.threadsPerBlock(), size_t(image.sharedBytes) + config.sharedBytes);
}

int64_t CpuDevice::attribute(DeviceAttribute attribute) const {
  switch (attribute) {
  case DeviceAttribute::MultiprocessorCount:
    return options.threads;
  case DeviceAttribute::ComputeCapabilityMajor:
    return computeCapability() / 10;
  case DeviceAttribute::ComputeCapabilityMinor:
    return computeCapability() % 10;
  default:
    break;
  }
  for (const DeviceAttributeRow &row : deviceAttributes())
    if (row.number == uint16_t(attribute))
      return row.onCpu;
  throw UsageError(UsageError::Kind::Value, "no device attribute has the number " + std::to_string(int(attribute)));
}

std::shared_ptr<Module> CpuDevice::load(std::shared_ptr<const Image> image) {
  TREADLE_CHECK(image->target.kind == Target::Kind::Cpu);
  const NativeCode code = options.loader(*image);
  return std::make_shared<CpuModule>(std::move(image), code);
}

uint64_t CpuDevice::cooperativeBlocks(const Kernel &kernel, const LaunchConfig &config) const {
  checkSharedMemory(kernel.image().sharedBytes, config.sharedBytes);
  return roomForBlocks(kernel, config);
}

void *CpuDevice::allocate(size_t bytes) {
  constexpr size_t alignment = 256;
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void *memory = rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded ? rounded : alignment);
  if (!memory)
    throw DeviceError("allocate " + std::to_string(bytes) + " bytes", 2, "out of memory");
  return memory;
}

uint64_t CpuDevice::wakeUps() { return pool.get().wakeUps(); }

void CpuDevice::release(void *memory) noexcept { std::free(memory); }

LaunchOutcome CpuStream::launch(const Kernel &kernel, const LaunchConfig &config, const void *parameters,
                                LaunchWatcher &watcher) {
  checkSharedMemory(kernel.image().sharedBytes, config.sharedBytes);
  if (kernel.image().isCooperative) {
    const uint64_t limit = roomForBlocks(kernel, config);
    const uint64_t blocks = uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
    if (blocks > limit)
      throw UsageError(UsageError::Kind::Value,
                       "the grid synchronises, so all its blocks must run at once: " + std::to_string(blocks) +
                           " blocks, but at most " + std::to_string(limit) +
                           " of this shape can: launch fewer blocks, and let each do more");
  }
  CpuLaunch launch(static_cast<const CpuKernel &>(kernel), config, parameters);
  return launch.execute(pool, watcher, inlineNanoseconds);
}

} // namespace treadle::cpu
