// The driver API: modules, functions, variables.
#include "call.h"
#include "device_limits.h"
#include "images.h"
#include "kernels.h"
#include "machine_kernel.h"

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace fakecuda;

namespace {

CUresult loadTexts(Driver &d, CUmodule *module, const std::vector<std::string> &texts, JitOptions &options) {
  PtxModule ptx;
  std::string problem;
  CUresult result = readTexts(d.config, texts, ptx, problem);
  if (result == CUDA_SUCCESS) {
    describeEntries(ptx, options);
    const std::shared_ptr<Module> made = d.make<Module>(d.currentContext());
    made->ptx = std::move(ptx);
    result = loadProgram(d, *made, problem);
    if (result == CUDA_SUCCESS) {
      *module = reinterpret_cast<CUmodule>(made->handle);
      return CUDA_SUCCESS;
    }
    for (const auto &[name, allocation] : made->globals)
      d.release(allocation, d.here());
    d.end(*made);
  }
  options.addError(problem);
  return result;
}

CUresult load(Driver &d, CUmodule *module, const void *image, JitOptions options) {
  if (!module || !image || !options.problem().empty())
    return d.violate(Rule::InvalidArgument, "no image, no place for the module, or wrong options: " + options.problem(),
                     CUDA_ERROR_INVALID_VALUE);
  std::vector<std::string> texts;
  std::string problem;
  CUresult result = readImage(d.config, image, texts, problem);
  if (result == CUDA_SUCCESS)
    result = loadTexts(d, module, texts, options);
  else
    options.addError(problem);
  options.finish();
  return result;
}

CUresult loadFile(Driver &d, CUmodule *module, const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return CUDA_ERROR_FILE_NOT_FOUND;
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return load(d, module, bytes.c_str(), {});
}

/// Whether the entry's parameters match those of the native body.
bool matches(const PtxEntry &entry, const NativeKernel &native) {
  if (!entry.places.empty())
    return entry.places.size() == native.sizes.size();
  return std::equal(entry.parameters.begin(), entry.parameters.end(), native.sizes.begin(), native.sizes.end(),
                    [](const PtxParameter &parameter, size_t bytes) { return parameter.bytes == bytes; });
}

CUresult getFunction(Driver &d, CUfunction *function, CUmodule handle, const char *name) {
  const std::shared_ptr<Module> module = d.find<Module>(handle, Kind::Module);
  if (!module)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!function || !name)
    return d.violate(Rule::InvalidArgument, "no name, or no place for the function", CUDA_ERROR_INVALID_VALUE);
  const PtxEntry *entry = module->ptx.entry(name);
  if (!entry)
    return CUDA_ERROR_NOT_FOUND;
  uint64_t &known = module->functions[name];
  if (!known) {
    const NativeKernel *native = nullptr;
    if (!entry->native.empty() || entry->isEmpty)
      native = nativeKernel(entry->native.empty() ? entry->name : entry->native);
    const bool isMatch = native && matches(*entry, *native);
    if (native && !isMatch)
      d.violate(Rule::KernelSignature,
                entry->name + " does not have the parameters of the kernel `" + native->name + "`", CUDA_SUCCESS);
    const std::shared_ptr<Function> made = d.make<Function>(module->context);
    made->module = module;
    made->entry = entry;
    made->native = isMatch ? native : nullptr;
    made->maxDynamicShared = defaultShared - static_cast<int>(entry->sharedBytes);
    known = made->handle;
  }
  *function = reinterpret_cast<CUfunction>(known);
  return CUDA_SUCCESS;
}

CUresult unload(Driver &d, CUmodule handle) {
  const std::shared_ptr<Module> module = d.find<Module>(handle, Kind::Module, true);
  if (!module)
    return CUDA_ERROR_INVALID_HANDLE;
  const CUresult result = d.synchronize(module->context);
  for (const auto &[name, value] : module->functions)
    if (const auto found = d.objects().find(value); found != d.objects().end() && found->second->alive())
      d.end(*found->second);
  for (const auto &[name, allocation] : module->globals)
    d.release(allocation, d.here());
  d.end(*module);
  return result;
}

struct GlobalPlace {
  CUdeviceptr *pointer;
  size_t *bytes;
};

CUresult getGlobal(Driver &d, GlobalPlace place, CUmodule handle, const char *name) {
  const std::shared_ptr<Module> module = d.find<Module>(handle, Kind::Module);
  if (!module)
    return CUDA_ERROR_INVALID_HANDLE;
  const auto variable = module->globals.find(name);
  if (variable == module->globals.end())
    return CUDA_ERROR_NOT_FOUND;
  if (place.pointer)
    *place.pointer = variable->second->address;
  if (place.bytes)
    *place.bytes = variable->second->bytes;
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return apiCall({"cuModuleLoadData", NeedsContext | UnsafeInCapture, {{"image", image}}},
                 [&](Driver &d) { return load(d, module, image, {}); });
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values) {
  const auto given = [&](CUjit_option wanted) { return givenOption(count, options, values, wanted); };
  return apiCall({"cuModuleLoadDataEx",
                  NeedsContext | UnsafeInCapture,
                  {{"image", image},
                   {"options", count},
                   {"verbose", given(CU_JIT_LOG_VERBOSE)},
                   {"debug_info", given(CU_JIT_GENERATE_DEBUG_INFO)},
                   {"line_info", given(CU_JIT_GENERATE_LINE_INFO)}}},
                 [&](Driver &d) { return load(d, module, image, JitOptions(count, options, values)); });
}

CUresult cuModuleUnload(CUmodule module) {
  return apiCall({"cuModuleUnload", NeedsContext | UnsafeInCapture | EndsSomething, {{"module", module}}},
                 [&](Driver &d) { return unload(d, module); });
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return apiCall({"cuModuleGetFunction", NeedsContext, {{"module", module}}},
                 [&](Driver &d) { return getFunction(d, function, module, name); });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name) {
  return apiCall({"cuModuleGetGlobal", NeedsContext, {{"module", module}}},
                 [&](Driver &d) { return getGlobal(d, {pointer, bytes}, module, name); });
}

CUresult cuModuleLoad(CUmodule *module, const char *path) {
  return apiCall({"cuModuleLoad", NeedsContext | UnsafeInCapture, {{"path", path}}},
                 [&](Driver &d) { return loadFile(d, module, path); });
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return apiCall({"cuModuleLoadFatBinary", NeedsContext | UnsafeInCapture, {{"image", image}}},
                 [&](Driver &d) { return load(d, module, image, {}); });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  return apiCall({"cuModuleGetLoadingMode", NeedsInit, {}}, [&](Driver &) {
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
  });
}

// A library is modelled as a module, loaded immediately rather than on first use; a kernel is its function.

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values, unsigned count,
                           CUlibraryOption *, void **, unsigned) {
  return apiCall({"cuLibraryLoadData", NeedsContext | UnsafeInCapture, {{"code", code}, {"options", count}}},
                 [&](Driver &d) {
                   return load(d, reinterpret_cast<CUmodule *>(library), code, JitOptions(count, options, values));
                 });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return apiCall({"cuLibraryUnload", NeedsContext | UnsafeInCapture | EndsSomething, {{"library", library}}},
                 [&](Driver &d) { return unload(d, reinterpret_cast<CUmodule>(library)); });
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  return apiCall({"cuLibraryGetKernel", NeedsContext, {{"library", library}}}, [&](Driver &d) {
    return getFunction(d, reinterpret_cast<CUfunction *>(kernel), reinterpret_cast<CUmodule>(library), name);
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary library, const char *name) {
  return apiCall({"cuLibraryGetGlobal", NeedsContext, {{"library", library}}},
                 [&](Driver &d) { return getGlobal(d, {pointer, bytes}, reinterpret_cast<CUmodule>(library), name); });
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  return apiCall({"cuKernelGetFunction", NeedsContext, {{"kernel", kernel}}}, [&](Driver &d) {
    if (!d.find<Function>(reinterpret_cast<CUfunction>(kernel), Kind::Function))
      return CUDA_ERROR_INVALID_HANDLE;
    *function = reinterpret_cast<CUfunction>(kernel);
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  return apiCall({"cuLibraryGetModule", NeedsContext, {{"library", library}}}, [&](Driver &d) {
    if (!d.find<Module>(reinterpret_cast<CUmodule>(library), Kind::Module))
      return CUDA_ERROR_INVALID_HANDLE;
    *module = reinterpret_cast<CUmodule>(library);
    return CUDA_SUCCESS;
  });
}

} // extern "C"
