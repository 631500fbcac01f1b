// The driver API: modules, functions, variables.
#include "call.h"
#include "kernels.h"
#include "machine_kernel.h"

#include <algorithm>
#include <cstring>

using namespace fakecuda;

namespace {

/// The newest PTX version that this driver version accepts: 12.x reads 8.x, and so on, since 12.0 came with 8.0.
int newestPtx(int driverVersion) { return (driverVersion / 1000 - 4) * 10 + driverVersion % 1000 / 10; }

/// The message buffers passed to cuModuleLoadDataEx.
class JitLog {
public:
  JitLog(unsigned count, const CUjit_option *options, void **values) {
    for (unsigned at = 0; at < count; ++at) {
      if (options[at] == CU_JIT_ERROR_LOG_BUFFER)
        buffer = static_cast<char *>(values[at]);
      if (options[at] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        bytes = &values[at];
    }
  }
  void write(const std::string &message) {
    if (!buffer || !bytes)
      return;
    const size_t room = std::min<size_t>(reinterpret_cast<uintptr_t>(*bytes), message.size() + 1);
    std::memcpy(buffer, message.c_str(), room);
    if (room)
      buffer[room - 1] = 0;
    *bytes = reinterpret_cast<void *>(room);
  }

private:
  char *buffer = nullptr;
  void **bytes = nullptr;
};

CUresult readImage(Driver &d, const void *image, PtxModule &module, std::string &problem) {
  const auto *text = static_cast<const char *>(image);
  if (std::strncmp(text,
                   "\x7f"
                   "ELF",
                   4) == 0) {
    problem = "cubins cannot be run here";
    return CUDA_ERROR_INVALID_IMAGE;
  }
  auto read = readPtx(text, problem);
  if (!read)
    return CUDA_ERROR_INVALID_PTX;
  module = std::move(*read);
  problem =
      "ptxas fatal: target sm_" + std::to_string(module.target) + " or PTX version " + std::to_string(module.version);
  if (module.version > newestPtx(d.config.driverVersion))
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  return module.target > d.config.computeCapability ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_SUCCESS;
}

CUresult load(Driver &d, CUmodule *module, const void *image, JitLog log) {
  if (!module || !image)
    return d.violate(Rule::InvalidArgument, "no image, or no place for the module", CUDA_ERROR_INVALID_VALUE);
  PtxModule ptx;
  std::string problem;
  if (const CUresult result = readImage(d, image, ptx, problem); result != CUDA_SUCCESS) {
    log.write(problem);
    return result;
  }
  const std::shared_ptr<Module> made = d.make<Module>(d.currentContext());
  made->ptx = std::move(ptx);
  if (const CUresult result = loadProgram(d, *made, problem); result != CUDA_SUCCESS) {
    log.write(problem);
    for (const auto &[name, allocation] : made->globals)
      d.release(allocation, d.here());
    d.end(*made);
    return result;
  }
  *module = reinterpret_cast<CUmodule>(made->handle);
  return CUDA_SUCCESS;
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

int attributeOf(const Function &function, CUfunction_attribute attribute, const FakeCudaConfig &config) {
  size_t threads = 1;
  for (const unsigned extent :
       function.entry->maxThreads.empty() ? function.entry->threads : function.entry->maxThreads)
    threads *= extent;
  const bool limited = !function.entry->maxThreads.empty() || !function.entry->threads.empty();
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return limited ? static_cast<int>(std::min<size_t>(threads, 1024)) : 1024;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    return static_cast<int>(function.entry->sharedBytes);
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    return 32;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    return function.module->ptx.target;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    return config.computeCapability;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return function.maxDynamicShared;
  default:
    return 0;
  }
}

CUresult getAttribute(Driver &d, int *value, CUfunction_attribute attribute, CUfunction handle) {
  const std::shared_ptr<Function> found = d.find<Function>(handle, Kind::Function);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  *value = attributeOf(*found, attribute, d.config);
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return apiCall({"cuModuleLoadData", NeedsContext | UnsafeInCapture, {{"image", image}}},
                 [&](Driver &d) { return load(d, module, image, JitLog(0, nullptr, nullptr)); });
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values) {
  return apiCall({"cuModuleLoadDataEx", NeedsContext | UnsafeInCapture, {{"image", image}, {"options", count}}},
                 [&](Driver &d) { return load(d, module, image, JitLog(count, options, values)); });
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
  return apiCall({"cuModuleGetGlobal", NeedsContext, {{"module", module}}}, [&](Driver &d) {
    const std::shared_ptr<Module> found = d.find<Module>(module, Kind::Module);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    const auto variable = found->globals.find(name);
    if (variable == found->globals.end())
      return CUDA_ERROR_NOT_FOUND;
    if (pointer)
      *pointer = variable->second->address;
    if (bytes)
      *bytes = variable->second->bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  return apiCall({"cuFuncGetAttribute", NeedsContext, {{"attribute", attribute}, {"function", function}}},
                 [&](Driver &d) { return getAttribute(d, value, attribute, function); });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return apiCall(
      {"cuFuncSetAttribute", NeedsContext, {{"function", function}, {"attribute", attribute}, {"value", value}}},
      [&](Driver &d) {
        const std::shared_ptr<Function> found = d.find<Function>(function, Kind::Function);
        if (!found)
          return CUDA_ERROR_INVALID_HANDLE;
        if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
          return CUDA_SUCCESS;
        const int limit = (99 << 10) - static_cast<int>(found->entry->sharedBytes);
        if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > limit)
          return CUDA_ERROR_INVALID_VALUE;
        found->maxDynamicShared = value;
        return CUDA_SUCCESS;
      });
}

// A library is modelled as a module, loaded immediately rather than on first use; a kernel is its function.

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values, unsigned count,
                           CUlibraryOption *, void **, unsigned) {
  return apiCall(
      {"cuLibraryLoadData", NeedsContext | UnsafeInCapture, {{"code", code}, {"options", count}}},
      [&](Driver &d) { return load(d, reinterpret_cast<CUmodule *>(library), code, JitLog(count, options, values)); });
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

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  return apiCall({"cuKernelGetFunction", NeedsContext, {{"kernel", kernel}}}, [&](Driver &d) {
    if (!d.find<Function>(reinterpret_cast<CUfunction>(kernel), Kind::Function))
      return CUDA_ERROR_INVALID_HANDLE;
    *function = reinterpret_cast<CUfunction>(kernel);
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return apiCall({"cuKernelGetAttribute", NeedsContext, {{"attribute", attribute}, {"kernel", kernel}}},
                 [&](Driver &d) { return getAttribute(d, value, attribute, reinterpret_cast<CUfunction>(kernel)); });
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  return apiCall({"cuLibraryGetModule", NeedsContext, {{"library", library}}}, [&](Driver &d) {
    if (!d.find<Module>(reinterpret_cast<CUmodule>(library), Kind::Module))
      return CUDA_ERROR_INVALID_HANDLE;
    *module = reinterpret_cast<CUmodule>(library);
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  return apiCall({"cuFuncGetModule", NeedsContext, {{"function", function}}}, [&](Driver &d) {
    const std::shared_ptr<Function> found = d.find<Function>(function, Kind::Function);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    *module = reinterpret_cast<CUmodule>(found->module->handle);
    return CUDA_SUCCESS;
  });
}

} // extern "C"
