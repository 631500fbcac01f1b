// Kernels and variables of externally compiled code.
#include "device/cuda/code/cuda_code.h"

#include "device/cuda/code/cuda_module.h"
#include "support/error.h"

#include <utility>

namespace treadle::cuda {

CudaCode::CudaCode(UnusedModules &unused, const std::string &code)
    : unused(unused), context(unused.context), generation(context.generation()) {
  const Current current(context, generation);
  module = loadModule(context, code, "a module");
}

CudaCode::~CudaCode() {
  if (ModuleHandle left = module.load(); left && context.isUsable() && generation == context.generation())
    unused.add(left, generation);
}

ModuleHandle CudaCode::known(ModuleHandle module) {
  if (!module)
    throw DeviceError("use a module", CudaResult(Result::InvalidHandle), "it was unloaded");
  return module;
}

uint64_t CudaCode::function(const std::string &name) {
  const Current current(context, generation);
  FunctionHandle found = nullptr;
  context.check(context.driver.moduleGetFunction(&found, loaded(), name.c_str()), "find the kernel " + name);
  return reinterpret_cast<uint64_t>(found);
}

LoadedCode::Variable CudaCode::variable(const std::string &name) {
  const Current current(context, generation);
  Variable found{};
  context.check(context.driver.moduleGetGlobal(&found.address, &found.bytes, loaded(), name.c_str()),
                "find the variable " + name);
  return found;
}

void CudaCode::launch(const Launch &request) {
  const Current current(context, generation);
  loaded();
  LaunchAttribute cooperative;
  cooperative.id = cooperativeAttribute;
  cooperative.cooperative = 1;
  const LaunchConfig &config = request.config;
  const DriverLaunch launch{.grid = {config.grid[0], config.grid[1], config.grid[2]},
                            .block = {config.block[0], config.block[1], config.block[2]},
                            .sharedBytes = config.sharedBytes,
                            .stream =
                                reinterpret_cast<StreamHandle>(request.stream), // NOLINT(performance-no-int-to-ptr)
                            .attributes = &cooperative,
                            .attributeCount = request.isCooperative ? 1u : 0u};
  auto *const function = reinterpret_cast<FunctionHandle>(request.function); // NOLINT(performance-no-int-to-ptr)
  constexpr const char *operation = "launch a kernel of a module";
  context.check(
      context.driver.launchKernelEx(&launch, function, const_cast<void **>(request.parameters.data()), nullptr),
      operation);
  context.check(context.driver.streamSynchronize(launch.stream), operation);
}

void CudaCode::unload() {
  const Current current(context, generation);
  context.check(context.driver.moduleUnload(known(module.exchange(nullptr))), "unload a module");
}

} // namespace treadle::cuda
