// Loads PTX, looks up what launches need in it, and writes the addresses of captured arrays.
#include "device/cuda/code/cuda_module.h"

#include "border/error_record.h"
#include "border/image.h"
#include "device/cuda/driver/jit_log.h"
#include "support/settings.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>

namespace treadle::cuda {

namespace {

/// The shared memory of a block that needs no opt-in.
constexpr uint32_t usualShared = 48 << 10;

/// A copy that lives as long as the process: kernels' names may be needed after their modules are gone.
const char *lastingName(const std::string &name) {
  static auto *const mutex = new std::mutex;
  static auto *const names = new std::set<std::string>;
  const std::lock_guard lock(*mutex);
  return names->insert(name).first->c_str();
}

} // namespace

CudaModule::CudaModule(UnusedModules &unused, std::shared_ptr<const Image> given, std::span<const uint64_t> captured)
    : context(unused.context), image(std::move(given)), generation(context.generation()), unused(unused) {
  const Current current(context, generation);
  if (image->allocates)
    context.giveHeap(uint64_t(std::max<int64_t>(settingInteger(Setting::KernelHeap), 0)));
  if (image->recurses)
    context.giveStack(uint64_t(std::max<int64_t>(settingInteger(Setting::KernelStack), 0)));
  handle = loadModule(context, image->code, image->entry);
  try {
    setCaptured(captured);
  } catch (...) {
    if (context.isUsable())
      context.driver.moduleUnload(handle);
    throw;
  }
}

ModuleHandle loadModule(Context &context, const std::string &code, const std::string &what) {
  const CaptureRelaxed relaxed(context.driver);
  relaxed.check(context, "load " + what);
  if (const ModuleHandle known = context.cubins.load(context, code, what))
    return known;
  JitLog log(code);
  ModuleHandle handle = nullptr;
  const Result result =
      context.driver.moduleLoadDataEx(&handle, code.c_str(), log.count(), log.options(), log.values());
  log.check(context, result, "load " + what);
  return handle;
}

CudaModule::~CudaModule() {
  if (context.isUsable() && generation == context.generation())
    unused.add(handle, generation);
}

DevicePointer CudaModule::addressOf(const char *symbol) const {
  DevicePointer address = 0;
  const Result result = context.driver.moduleGetGlobal(&address, nullptr, handle, symbol);
  if (result == Result::NotFound)
    return 0;
  context.check(result, "find a variable of " + image->entry);
  return address;
}

/// On a separate stream, so that it waits for no kernel.
void CudaModule::setCaptured(std::span<const uint64_t> captured) {
  const DriverTable &driver = context.driver;
  constexpr const char *operation = "write the address of a captured array";
  for (uint32_t i = 0; i < image->captured.size(); ++i) {
    if (image->captured[i].name.empty())
      continue;
    const DevicePointer address = addressOf(CapturedDeviceArray::symbol(i).c_str());
    TREADLE_CHECK(address != 0 && i < captured.size());
    StreamHandle aside = nullptr;
    context.check(driver.streamCreate(&aside, streamNonBlocking), operation);
    Result result = driver.memcpyHtoDAsync(address, &captured[i], sizeof captured[i], aside);
    if (result == Result::Success)
      result = driver.streamSynchronize(aside);
    driver.streamDestroy(aside);
    context.check(result, operation);
  }
}

std::shared_ptr<Kernel> CudaModule::kernel() { return std::make_shared<CudaKernel>(shared_from_this()); }

CudaKernel::CudaKernel(std::shared_ptr<CudaModule> given)
    : module(std::move(given)), parameterBytes(image().parameters.size), staticShared(image().sharedBytes),
      isCooperative(image().isCooperative) {
  Context &context = module->context;
  const Current current(context, module->generation);
  context.check(context.driver.moduleGetFunction(&function, module->handle, image().entry.c_str()),
                "find the entry of " + image().entry);
  name = lastingName(image().entry);
  for (const ParameterLeaf &leaf : image().parameters.leaves)
    if (leaf.source == ParameterLeaf::Source::GridBarrier)
      barrierOffset = int(leaf.offset);
  if (image().code.find(errorRecordSymbol) != std::string::npos)
    errorRecord = module->addressOf(errorRecordSymbol);
  allowedShared = staticShared < usualShared ? usualShared - staticShared : 0;
  if (const int carveout = image().ptx().sharedCarveout; carveout >= 0)
    setAttribute(FunctionAttribute::PreferredSharedCarveout, carveout,
                 "prefer " + std::to_string(carveout) + " % of shared memory");
}

void CudaKernel::setAttribute(FunctionAttribute attribute, int value, const std::string &purpose) const {
  Context &context = module->context;
  context.check(context.driver.funcSetAttribute(function, attribute, value), purpose + " for " + name);
}

void CudaKernel::raiseShared(uint32_t dynamicBytes) const {
  setAttribute(FunctionAttribute::MaxDynamicSharedBytes, int(dynamicBytes),
               "get " + std::to_string(dynamicBytes) + " bytes of shared memory");
  uint32_t known = allowedShared.load();
  while (known < dynamicBytes && !allowedShared.compare_exchange_weak(known, dynamicBytes))
    ;
}

void CudaKernel::allowLargeClusters() const {
  setAttribute(FunctionAttribute::NonPortableClusterAllowed, 1, "allow clusters of more than 8 blocks");
  allowsLargeClusters = true;
}

int CudaKernel::attribute(FunctionAttribute attribute) const {
  Context &context = module->context;
  const Current current(context, module->generation);
  int value = 0;
  context.check(context.driver.funcGetAttribute(&value, attribute, function),
                "ask for an attribute of " + std::string(name));
  return value;
}

KernelAttributes CudaKernel::attributes() const {
  auto of = [this](FunctionAttribute wanted) { return uint32_t(attribute(wanted)); };
  return {.registers = of(FunctionAttribute::Registers),
          .sharedBytes = of(FunctionAttribute::SharedBytes),
          .constBytes = of(FunctionAttribute::ConstBytes),
          .localBytes = of(FunctionAttribute::LocalBytes),
          .maxThreads = of(FunctionAttribute::MaxThreadsPerBlock)};
}

} // namespace treadle::cuda
