// Creates devices, opens the compiler library.
#include "launch/runtime.h"

#include "device/cpu/block_fibers.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/machine_memory.h"
#include "support/build_id.h"
#include "support/error.h"
#include "support/settings.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>
#include <string>
#include <thread>

namespace treadle {

namespace {

constexpr const char *libraryName = "libtreadle-compiler.so";
constexpr const char *createSymbol = "treadle_compiler_create";

/// The compiler library lies beside the library that this code is in.
std::string compilerPath() {
  Dl_info here;
  if (!dladdr(reinterpret_cast<const void *>(&compilerPath), &here) || !here.dli_fname)
    return libraryName;
  const std::string own = here.dli_fname;
  const size_t slash = own.rfind('/');
  return slash == std::string::npos ? libraryName : own.substr(0, slash + 1) + libraryName;
}

Compiler *openCompiler() {
  const std::string path = compilerPath();
  // Never closed: LLVM's threads and our images live on in it.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error("cannot open Treadle's compiler library: " + std::string(dlerror()) +
                "; is the installation complete?");
  const auto create = reinterpret_cast<CreateCompiler>(dlsym(library, createSymbol));
  if (!create)
    throw Error(path + " is no compiler library of Treadle: it lacks " + createSymbol);
  Compiler *compiler = create(buildId());
  if (!compiler)
    throw Error(path + " belongs to another build of Treadle than the library beside it; reinstall the package");
  return compiler;
}

unsigned workerThreads() {
  const int64_t wanted = settingInteger(Setting::CpuThreads);
  if (wanted < 0 || wanted > 4096)
    throw UsageError(UsageError::Kind::Value,
                     "TREADLE_CPU_THREADS is " + std::to_string(wanted) + "; it must lie between 0 and 4096");
  return wanted ? unsigned(wanted) : std::max(std::thread::hardware_concurrency(), 1u);
}

cpu::NativeCode linkImage(const Image &image) {
  std::shared_ptr<LoadedCode> code = compiler().load(image);
  void *const entry = code->entry;
  return {entry, std::move(code)};
}

} // namespace

Runtime &Runtime::instance() {
  static Runtime *const runtime = new Runtime;
  return *runtime;
}

Runtime::Runtime() = default;

Compiler &Runtime::compiler() {
  if (Compiler *replacement = replaced.load(std::memory_order_acquire))
    return *replacement;
  if (Compiler *known = opened.load(std::memory_order_acquire))
    return *known;
  const std::lock_guard lock(opening);
  if (!opened.load())
    opened.store(openCompiler(), std::memory_order_release);
  return *opened.load();
}

void Runtime::replaceCompiler(Compiler *replacement) { replaced.store(replacement); }

bool Runtime::usesThreadStreams() {
  int known = threadStreams.load(std::memory_order_relaxed);
  if (known < 0)
    threadStreams.store(known = settingInteger(Setting::PerThreadStream) != 0);
  return known != 0;
}

void Runtime::noteGenerated(const Image &image) {
  const std::lock_guard lock(counting);
  ++counts["kernels"];
  for (const auto &[what, places] : image.cpu.fallbacks)
    ++counts[what];
}

std::map<std::string, uint64_t> Runtime::fallbacks() const {
  const std::lock_guard lock(counting);
  std::map<std::string, uint64_t> result = counts;
  result["warps that split, at run time"] = cpu::BlockFibers::splits();
  return result;
}

namespace {

/// What the calling thread has selected; null: the first device.
thread_local DeviceContext *selected = nullptr;

int64_t settingInRange(Setting setting, int64_t least, int64_t most) {
  const int64_t value = settingInteger(setting);
  if (value < least || value > most)
    throw UsageError(UsageError::Kind::Value, std::string(settingRows()[size_t(setting)].variable) + " is " +
                                                  std::to_string(value) + "; it must lie between " +
                                                  std::to_string(least) + " and " + std::to_string(most));
  return value;
}

MemoryLimits memoryLimits() {
  MemoryLimits limits;
  constexpr int64_t most = int64_t(1) << 46;
  limits.pendingCount = size_t(settingInRange(Setting::PendingCount, 0, most));
  limits.pendingRatio = settingReal(Setting::PendingRatio);
  limits.cacheBytes = size_t(settingInRange(Setting::CacheLimit, 0, most));
  return limits;
}

void checkWantedDevice() {
  const std::string wanted = settingText(Setting::Device);
  if (wanted == "cuda")
    throw DeviceError("use the device that TREADLE_DEVICE=cuda asks for", 100, "no CUDA driver was found");
  if (!wanted.empty() && wanted != "cpu")
    throw UsageError(UsageError::Kind::Value, "TREADLE_DEVICE is '" + wanted + "'; it must be cuda, cpu or unset");
}

} // namespace

DeviceContext::DeviceContext(unsigned ordinal, std::unique_ptr<cpu::CpuDevice> device, const MemoryLimits &limits)
    : ordinal(ordinal), device(std::move(device)), memory(*this->device, limits) {}

DeviceContext::~DeviceContext() = default;

void DeviceContext::reset() {
  resets.fetch_add(1);
  device->reset();
  memory.reset();
}

void Runtime::openDevices() {
  const std::lock_guard lock(opening);
  if (areOpen.load())
    return;
  checkWantedDevice();
  const MemoryLimits limits = memoryLimits();
  const auto count = unsigned(settingInRange(Setting::CpuDevices, 1, 64));
  cpu::CpuOptions options{workerThreads(), linkImage};
  options.memoryBytes = size_t(settingInRange(Setting::CpuMemory, 0, int64_t(1) << 46));
  if (options.memoryBytes == 0)
    options.memoryBytes = cpu::machineMemory();
  for (unsigned ordinal = 0; ordinal < count; ++ordinal)
    contexts.push_back(std::make_unique<DeviceContext>(ordinal, std::make_unique<cpu::CpuDevice>(options), limits));
  areOpen.store(true, std::memory_order_release);
}

DeviceContext &Runtime::context() {
  if (!areOpen.load(std::memory_order_acquire)) [[unlikely]]
    openDevices();
  if (contexts.size() == 1) [[likely]]
    return *contexts.front();
  return selected ? *selected : *contexts.front();
}

unsigned Runtime::deviceCount() {
  context();
  return unsigned(contexts.size());
}

DeviceContext &Runtime::contextAt(int64_t ordinal) {
  const unsigned count = deviceCount();
  if (ordinal < 0 || ordinal >= count)
    throw DeviceError("use device " + std::to_string(ordinal), 101,
                      "there is no such device: there are " + std::to_string(count) + ", counted from 0");
  return *contexts[size_t(ordinal)];
}

std::vector<StreamPoint> Runtime::unfinished() {
  std::vector<StreamPoint> points;
  if (areOpen.load(std::memory_order_acquire))
    for (const std::unique_ptr<DeviceContext> &one : contexts)
      std::ranges::move(one->memory.device().unfinished(), std::back_inserter(points));
  return points;
}

std::vector<std::exception_ptr> Runtime::takeFailures() {
  std::vector<std::exception_ptr> failures;
  if (areOpen.load(std::memory_order_acquire))
    for (const std::unique_ptr<DeviceContext> &one : contexts)
      if (std::exception_ptr failure = one->memory.device().takeFailures())
        failures.push_back(std::move(failure));
  return failures;
}

void Runtime::select(DeviceContext &context) { selected = &context; }

cpu::CpuDevice &Runtime::cpuDevice() { return *context().device; }

Device &Runtime::device() { return *context().device; }

Compiler &compiler() { return Runtime::instance().compiler(); }

} // namespace treadle
