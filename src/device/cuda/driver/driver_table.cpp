// Opens libcuda.so.1, in this place only, and explains failures.
#include "device/cuda/driver/driver_table.h"

#include "device/cuda/driver/driver_log.h"
#include "device/device.h"
#include "support/settings.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <memory>

namespace treadle::cuda {

namespace {

constexpr const char *libraryName = "libcuda.so.1";

std::string versionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

[[noreturn]] void refuse(const std::string &problem) { throw CudaSupportError(problem); }

/// Never closed: the driver's threads run until the process ends.
void *openLibrary() {
  if (const std::string path = settingText(Setting::Driver); !path.empty()) {
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    refuse(std::string("the CUDA driver's library that NUMBA_CUDA_DRIVER or TREADLE_CUDA_DRIVER names cannot be ") +
           "opened (" + dlerror() + "): give the path of libcuda.so.1, or unset the variable");
  }
  if (void *library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL))
    return library;
  const std::string reason = dlerror();
  refuse(reason.find("No such file") != std::string::npos
             ? "no CUDA driver was found (" + reason +
                   "): install NVIDIA's driver, or run on the CPU by TREADLE_DEVICE=cpu"
             : "the CUDA driver's library cannot be opened (" + reason + "): reinstall NVIDIA's driver");
}

template <typename Function> void find(void *library, const char *symbol, int version, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(library, symbol));
  if (!function)
    refuse(std::string(libraryName) + " lacks " + symbol + ", which drivers have since CUDA " + versionText(version) +
           ": it is no CUDA driver, or one that is too old; Treadle needs driver 525 or later (CUDA 12.0)");
}

std::string initialisationProblem(Result result) {
  switch (result) {
  case Result::NoDevice:
    return "the CUDA driver finds no device: is one hidden by CUDA_VISIBLE_DEVICES?";
  case Result::StubLibrary:
    return std::string(libraryName) +
           " is the toolkit's stub for linking, not the driver: take it from LD_LIBRARY_PATH, or install the driver";
  default:
    return "";
  }
}

std::unique_ptr<const DriverTable> openDriver() {
  auto table = std::make_unique<DriverTable>();
  void *const library = openLibrary();
  // Queried first, so that an old driver is reported as old, not as broken.
  find(library, "cuDriverGetVersion", 2020, table->driverGetVersion);
  if (table->driverGetVersion(&table->version) == Result::Success && table->version < DriverTable::leastVersion)
    refuse("the CUDA driver is too old: it supports CUDA " + versionText(table->version) +
           ", and Treadle needs driver 525 or later (CUDA " + versionText(DriverTable::leastVersion) + ")");
#define TREADLE_FIND(member, symbol, version, parameters) find(library, symbol, version, table->member);
  TREADLE_DRIVER_FUNCTIONS(TREADLE_FIND)
#undef TREADLE_FIND
  logCalls(*table);
  if (const Result result = table->init(0); result != Result::Success) {
    const std::string known = initialisationProblem(result);
    refuse("the CUDA driver cannot be initialised: " + (known.empty() ? table->describe(result) : known));
  }
  return table;
}

} // namespace

const DriverTable &DriverTable::open() {
  // Lives as long as the process. The next call retries a failed attempt.
  static const DriverTable *const table = openDriver().release();
  return *table;
}

std::string DriverTable::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != Result::Success || !name)
    return fmt::format("error {}", int(result));
  if (getErrorString(result, &text) != Result::Success || !text)
    return name;
  return std::string(name) + ": " + text;
}

} // namespace treadle::cuda
