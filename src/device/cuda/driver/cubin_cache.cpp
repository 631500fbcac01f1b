// Cubins come from the driver's linker, whose output can be read.
#include "device/cuda/driver/cubin_cache.h"

#include "device/cuda/driver/context.h"
#include "device/cuda/driver/jit_log.h"
#include "device/cuda/driver/linker.h"
#include "device/device_attribute.h"
#include "support/error.h"
#include "support/files/library_id.h"

#include <dlfcn.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>

namespace treadle::cuda {

namespace {

constexpr std::string_view format = "cubin 2";

/// The resolved file name contains the driver's version; the rest distinguishes builds of one version.
std::string driverBuild(const DriverTable &driver) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(driver.init), &info) || !info.dli_fname)
    return {};
  std::error_code failed;
  const std::string path = std::filesystem::canonical(info.dli_fname, failed);
  struct stat state;
  if (failed || stat(path.c_str(), &state) != 0)
    return {};
  return path + ' ' + std::to_string(state.st_size) + ' ' + std::to_string(state.st_mtim.tv_sec);
}

/// Times ten; 0: unknown to the driver.
int capabilityOf(Context &context) {
  const auto ask = [&context](DeviceAttribute which) {
    int value = 0;
    const Result result = context.driver.deviceGetAttribute(&value, int(which), context.device);
    context.note(result, "ask for the compute capability");
    return result == Result::Success ? value : 0;
  };
  const int major = ask(DeviceAttribute::ComputeCapabilityMajor);
  return major == 0 ? 0 : 10 * major + ask(DeviceAttribute::ComputeCapabilityMinor);
}

/// Null: the driver rejects it.
ModuleHandle loaded(Context &context, const std::string &cubin) {
  ModuleHandle handle = nullptr;
  const Result result = context.driver.moduleLoadDataEx(&handle, cubin.data(), 0, nullptr, nullptr);
  if (result == Result::Success)
    return handle;
  context.note(result, "load machine code");
  return nullptr;
}

/// Nothing: the linker rejects the PTX, or has failed.
std::optional<std::string> linked(Context &context, const std::string &ptx, const std::string &what) {
  try {
    return linkCubin(context, ptx, what);
  } catch (const DeviceError &) {
    return std::nullopt;
  }
}

} // namespace

CubinCache::CubinCache() : store(codeCachePlace("cubins")) {}

std::string CubinCache::keyOf(Context &context, const std::string &ptx) {
  const int capability = capabilityOf(context);
  const std::string build = driverBuild(context.driver);
  const std::string own =
      loadedLibraryId(reinterpret_cast<const void *>(&capabilityOf)); // determines how PTX is linked
  if (capability == 0 || build.empty() || own.empty())
    return {};
  std::string key(format);
  key.append("\nsm_").append(std::to_string(capability)).append("\n").append(own).append("\n").append(build);
  return key.append("\n").append(ptx);
}

ModuleHandle CubinCache::load(Context &context, const std::string &code, const std::string &what) {
  if (!store.isUsed() || isBinary(code))
    return nullptr;
  const std::string key = keyOf(context, code);
  if (key.empty())
    return nullptr;
  if (const std::optional<std::string> known = store.find(key)) {
    if (const ModuleHandle handle = loaded(context, *known))
      return handle;
    store.remove(key);
  }
  std::optional<std::string> made = linked(context, code, what);
  const ModuleHandle handle = made ? loaded(context, *made) : nullptr;
  if (handle)
    store.putLater(key, [cubin = std::move(*made)] { return cubin; });
  return handle;
}

} // namespace treadle::cuda
