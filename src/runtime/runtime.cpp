// Owns the devices, loads the compiler library.
#include "runtime/runtime.h"

#include "border/compiler.h"
#include "border/field_bytes.h"
#include "border/image.h"
#include "runtime/build_facts.h"
#include "runtime/code_cache.h"
#include "support/error.h"
#include "support/files/build_id.h"
#include "support/files/library_id.h"
#include "support/settings.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <fmt/core.h>
#include <iterator>
#include <string>
#include <unistd.h>

namespace treadle {

namespace {

constexpr const char *libraryName = "libtreadle-compiler.so";
constexpr const char *createSymbol = "treadle_compiler_create";

/// In the folder of the library that contains this code.
std::string compilerBeside() {
  Dl_info here;
  if (!dladdr(reinterpret_cast<const void *>(&compilerBeside), &here) || !here.dli_fname)
    return libraryName;
  const std::string own = here.dli_fname;
  const size_t slash = own.rfind('/');
  return slash == std::string::npos ? libraryName : own.substr(0, slash + 1) + libraryName;
}

} // namespace

BuildFacts buildFacts() {
  Dl_info here;
  const bool isKnown = dladdr(reinterpret_cast<const void *>(&buildFacts), &here) && here.dli_fname;
  BuildFacts facts{
      buildId(), TREADLE_LLVM_VERSION, isKnown ? here.dli_fname : "", Runtime::instance().compilerPath(), "", ""};
  try {
    compiler();
    facts.features = cpuTarget().features;
  } catch (const Error &error) {
    facts.failure = error.what();
  }
  return facts;
}

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
    opened.store(openCompiler(chosenCompiler()), std::memory_order_release);
  return *opened.load();
}

Compiler *Runtime::openCompiler(const std::string &path) {
  // Never closed, as LLVM's threads and loaded images use it until the process ends.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error("cannot open Treadle's compiler library: " + std::string(dlerror()) +
                "; is the installation complete?");
  const auto create = reinterpret_cast<CreateCompiler>(dlsym(library, createSymbol));
  if (!create)
    throw Error(path + " is no compiler library of Treadle: it lacks " + createSymbol);
  const std::string id = loadedLibraryId(reinterpret_cast<const void *>(create));
  if (compilerId.value_or(id) != id)
    throw Error(path + " has been replaced since this program began: start the program again");
  Compiler *compiler = create(buildId());
  if (!compiler)
    throw Error(path + " belongs to another build of Treadle than the library beside it; reinstall the package");
  compilerId = id;
  return compiler;
}

std::string Runtime::codeMakers() {
  // The math library's id, as it folds constants. SLEEF does not matter: code refers to its routines by symbol.
  constexpr double (*folding)(double) = &std::exp;
  const std::string own = loadedLibraryId(reinterpret_cast<const void *>(&compilerBeside));
  const std::lock_guard lock(opening);
  if (!compilerId)
    compilerId = libraryFileId(chosenCompiler());
  if (own.empty() || compilerId->empty() || replaced.load())
    return {};
  FieldWriter makers;
  makers(own);
  makers(*compilerId);
  makers(loadedLibraryId(reinterpret_cast<const void *>(folding)));
  return std::move(makers.bytes);
}

std::string Runtime::chosenCompiler() const {
  std::string beside = compilerBeside();
  return offeredCompiler.empty() || access(beside.c_str(), F_OK) == 0 ? beside : offeredCompiler;
}

std::string Runtime::compilerPath() {
  const std::lock_guard lock(opening);
  return chosenCompiler();
}

void Runtime::offerCompiler(const std::string &folder) {
  const std::lock_guard lock(opening);
  offeredCompiler = folder + libraryName;
}

CodeCache &Runtime::codeCache() {
  std::call_once(makingCache, [this] { cache = std::make_unique<CodeCache>(); });
  return *cache;
}

void Runtime::addDeviceKind(const std::string &name, DeviceOpener opener) {
  const std::lock_guard lock(opening);
  kinds[name] = opener;
}

void Runtime::replaceCompiler(Compiler *replacement) { replaced.store(replacement); }

bool Runtime::readThreadStreams() {
  const bool read = settingInteger(Setting::PerThreadStream) != 0;
  threadStreams.store(read);
  return read;
}

void Runtime::noteGenerated(const Image &image) {
  const std::lock_guard lock(counting);
  ++counts["kernels"];
  if (const CpuCode *const machine = std::get_if<CpuCode>(&image.details))
    for (const auto &[what, places] : machine->fallbacks)
      ++counts[what];
}

std::map<std::string, uint64_t> Runtime::fallbacks() const {
  const std::lock_guard lock(counting);
  std::map<std::string, uint64_t> result = counts;
  if (areOpen.load(std::memory_order_acquire))
    result["warps that split, at run time"] = contexts.front()->device->figures()["split warps"];
  return result;
}

namespace {

/// The calling thread's device; null: the first.
thread_local DeviceContext *selected = nullptr;

MemoryLimits memoryLimits() {
  MemoryLimits limits;
  constexpr int64_t most = int64_t(1) << 46;
  limits.pendingCount = size_t(settingInRange(Setting::PendingCount, 0, most));
  limits.pendingRatio = settingReal(Setting::PendingRatio);
  limits.cacheBytes = size_t(settingInRange(Setting::CacheLimit, 0, most));
  return limits;
}

} // namespace

DeviceContext::DeviceContext(unsigned ordinal, std::unique_ptr<Device> device, const MemoryLimits &limits)
    : ordinal(ordinal), device(std::move(device)), memory(*this->device, limits), pinned(*this->device) {}

DeviceContext::~DeviceContext() = default;

void DeviceContext::reset() {
  const std::shared_ptr<const void> closed = device->closeToOthers();
  try {
    device->reset();
  } catch (const DeviceError &) {
    memory.reset();
    throw;
  }
  memory.reset();
}

void Runtime::set(Setting setting, SettingSource source, std::string text) {
  setSetting(setting, source, std::move(text));
  if (setting == Setting::PerThreadStream)
    threadStreams.store(-1);
  if (!areOpen.load(std::memory_order_acquire))
    return;
  const MemoryLimits now = memoryLimits();
  for (const std::unique_ptr<DeviceContext> &one : contexts) {
    MemoryLimits limits = one->memory.limits();
    if (setting == Setting::PendingCount)
      limits.pendingCount = now.pendingCount;
    else if (setting == Setting::PendingRatio)
      limits.pendingRatio = now.pendingRatio;
    else if (setting == Setting::CacheLimit)
      limits.cacheBytes = now.cacheBytes;
    else
      return;
    one->memory.setLimits(limits);
  }
}

void Runtime::openDevices() {
  const std::lock_guard lock(opening);
  if (areOpen.load())
    return;
  const MemoryLimits limits = memoryLimits();
  for (std::unique_ptr<Device> &device : treadle::openDevices(kinds))
    contexts.push_back(std::make_unique<DeviceContext>(unsigned(contexts.size()), std::move(device), limits));
  externalUse.store(usesExternal());
  for (const std::unique_ptr<DeviceContext> &one : contexts)
    one->memory.takeFrom(externalUse.load() != 0 ? offered.get() : nullptr);
  if (settingInteger(Setting::LeakReport) != 0)
    for (const std::unique_ptr<DeviceContext> &one : contexts)
      one->memory.notePlaces(placeSource.load());
  if (contexts.size() == 1)
    onlyDevice.store(contexts.front()->device.get(), std::memory_order_release);
  areOpen.store(true, std::memory_order_release);
}

bool Runtime::usesExternal() const {
  const int use = externalUse.load();
  if (use >= 0)
    return use != 0;
  const std::string named = settingText(Setting::MemoryManager);
  return !named.empty() && named != "default";
}

void Runtime::useExternal(bool isUsed) {
  const std::lock_guard lock(opening);
  externalUse.store(isUsed);
  for (const std::unique_ptr<DeviceContext> &one : contexts)
    one->memory.takeFrom(isUsed ? offered.get() : nullptr);
}

bool Runtime::holdsMemory() const {
  return areOpen.load(std::memory_order_acquire) &&
         std::ranges::any_of(contexts, [](const auto &one) { return one->memory.holdsMemory(); });
}

DeviceContext &Runtime::context() {
  if (!areOpen.load(std::memory_order_acquire)) [[unlikely]]
    openDevices();
  if (contexts.size() == 1) [[likely]]
    return *contexts.front();
  return selected ? *selected : *contexts.front();
}

DeviceContext &Runtime::contextOf(const Device &device) {
  context();
  for (const std::unique_ptr<DeviceContext> &one : contexts)
    if (one->device.get() == &device)
      return *one;
  throw InternalError("the device is none of the process's");
}

unsigned Runtime::deviceCount() {
  context();
  return unsigned(contexts.size());
}

DeviceContext &Runtime::contextAt(int64_t ordinal) {
  const unsigned count = deviceCount();
  if (ordinal < 0 || ordinal >= count)
    throw DeviceError(fmt::format("use device {}", ordinal), CudaResult::InvalidDevice,
                      fmt::format("there is no such device: there are {}, counted from 0", count));
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

void Runtime::returnLent() noexcept {
  if (areOpen.load(std::memory_order_acquire))
    for (const std::unique_ptr<DeviceContext> &one : contexts)
      one->memory.returnLent();
}

void Runtime::select(DeviceContext &context) { selected = &context; }

Device &Runtime::chosenDevice() { return *context().device; }

Compiler &compiler() { return Runtime::instance().compiler(); }

} // namespace treadle
