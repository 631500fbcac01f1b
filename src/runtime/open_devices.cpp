// The kinds of devices.
#include "runtime/open_devices.h"

#include "border/compiler.h"
#include "border/target.h"
#include "device/cpu/code/code_loader.h"
#include "device/cpu/code/cpu_features.h"
#include "device/cpu/code/host_target.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/threads/machine_memory.h"
#include "device/cuda/cuda_device.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>
#include <string>
#include <thread>

namespace treadle {

namespace {

class HostLinker final : public cpu::NativeLinker {
public:
  Target target() override { return cpuTarget(); }
  cpu::NativeCode link(const Image &image, std::span<const uint64_t> captured) override {
    return cpu::loadCode(image, captured);
  }
};

unsigned workerThreads() {
  const int64_t wanted = settingInRange(Setting::CpuThreads, 0, 4096);
  return wanted ? unsigned(wanted) : std::max(std::thread::hardware_concurrency(), 1u);
}

} // namespace

int64_t settingInRange(Setting setting, int64_t least, int64_t most) {
  const int64_t value = settingInteger(setting);
  if (value < least || value > most)
    throw UsageError(UsageError::Kind::Value, fmt::format("{} is {}; it must lie between {} and {}",
                                                          settingRows()[size_t(setting)].variable, value, least, most));
  return value;
}

Target cpuTarget() {
  return cpu::hostTarget([](const std::string &here) { return compiler().chosenFeatures(here); });
}

std::vector<std::string> missingFeatures(const Target &made, const Target &own) {
  return cpu::missingFeatures(made.features, own.features);
}

std::vector<std::unique_ptr<Device>> openCpuDevices() {
  static HostLinker *const linker = new HostLinker; // lives as long as the Runtime, which is never destroyed
  const int64_t count = settingInRange(Setting::CpuDevices, 1, 64);
  cpu::CpuOptions options{.threads = workerThreads(), .linker = *linker};
  options.memoryBytes = size_t(settingInRange(Setting::CpuMemory, 0, int64_t(1) << 46));
  if (options.memoryBytes == 0)
    options.memoryBytes = cpu::machineMemory();
  std::vector<std::unique_ptr<Device>> devices;
  for (int64_t i = 0; i < count; ++i)
    devices.push_back(std::make_unique<cpu::CpuDevice>(options));
  return devices;
}

namespace {

std::vector<std::unique_ptr<Device>> openCuda() {
  if (settingInteger(Setting::NoCuda) != 0)
    throw CudaSupportError("CUDA is disabled by NUMBA_DISABLE_CUDA or TREADLE_DISABLE_CUDA: unset it, or run on the "
                           "CPU by TREADLE_DEVICE=cpu");
  return cuda::openDevices();
}

/// The default: the GPUs if there are any, otherwise the CPU. An unusable driver is not an error.
std::vector<std::unique_ptr<Device>> openWhatIsThere() {
  if (settingInteger(Setting::Simulator) != 0)
    return openCpuDevices();
  try {
    return openCuda();
  } catch (const CudaSupportError &) {
    return openCpuDevices();
  }
}

std::vector<std::unique_ptr<Device>> openKind(const std::string &kind,
                                              const std::map<std::string, DeviceOpener> &others) {
  if (const auto other = others.find(kind); other != others.end())
    return other->second();
  if (kind == "cuda")
    return openCuda();
  if (kind == "cpu")
    return openCpuDevices();
  throw UsageError(UsageError::Kind::Value,
                   "TREADLE_DEVICE is '" + settingText(Setting::Device) +
                       "'; it must be cuda, cpu, both in the order of their numbers (cuda,cpu), or unset");
}

} // namespace

std::vector<std::unique_ptr<Device>> openDevices(const std::map<std::string, DeviceOpener> &others) {
  const std::string wanted = settingText(Setting::Device);
  if (wanted.empty())
    return openWhatIsThere();
  std::vector<std::unique_ptr<Device>> devices;
  for (size_t start = 0; start <= wanted.size();) {
    const size_t end = std::min(wanted.find(',', start), wanted.size());
    std::ranges::move(openKind(wanted.substr(start, end - start), others), std::back_inserter(devices));
    start = end + 1;
  }
  return devices;
}

} // namespace treadle
