// The driver API: what functions are and how they are set up.
#include "call.h"
#include "device_limits.h"
#include "launches.h"

#include <algorithm>

using namespace fakecuda;

namespace {

int clusterExtent(const PtxEntry &entry, size_t axis) {
  return axis < entry.cluster.size() ? static_cast<int>(entry.cluster[axis]) : 0;
}

int attributeOf(const Function &function, CUfunction_attribute attribute, const FakeCudaConfig &config) {
  const PtxEntry &entry = *function.entry;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return maxThreads(entry);
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    return static_cast<int>(entry.sharedBytes);
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    return static_cast<int>(entry.localBytes);
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    return static_cast<int>(entry.registers);
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    return function.module->ptx.target;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    return config.computeCapability;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return function.maxDynamicShared;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return function.carveout;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    return !entry.cluster.empty();
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    return clusterExtent(entry, attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    return function.allowsLargeClusters;
  default:
    return 0;
  }
}

CUresult getAttribute(Driver &d, int *value, CUfunction_attribute attribute, CUfunction handle) {
  const std::shared_ptr<Function> found = d.find<Function>(handle, Kind::Function);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!value || attribute >= CU_FUNC_ATTRIBUTE_MAX)
    return d.violate(Rule::InvalidArgument, "no place for the value, or an unknown attribute",
                     CUDA_ERROR_INVALID_VALUE);
  *value = attributeOf(*found, attribute, d.config);
  return CUDA_SUCCESS;
}

/// Values beyond the device's limits are errors that a correct program may receive.
CUresult setAttribute(Driver &d, CUfunction handle, CUfunction_attribute attribute, int value) {
  const std::shared_ptr<Function> found = d.find<Function>(handle, Kind::Function);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  const int mostShared = limitsOf(d.config).optInShared - static_cast<int>(found->entry->sharedBytes);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    if (value < 0 || value > mostShared)
      return CUDA_ERROR_INVALID_VALUE;
    found->maxDynamicShared = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    if (value < -1 || value > 100)
      return CUDA_ERROR_INVALID_VALUE;
    found->carveout = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    if (value < 0 || value > 1 || !hasClusters(d.config))
      return CUDA_ERROR_INVALID_VALUE;
    found->allowsLargeClusters = value != 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    return value < 0 || value > 2 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult getName(Driver &d, const char **name, CUfunction handle) {
  const std::shared_ptr<Function> found = d.find<Function>(handle, Kind::Function);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  *name = found->entry->name.c_str();
  return CUDA_SUCCESS;
}

struct ParameterPlace {
  size_t *offset, *bytes;
};

/// Callers count parameters by asking until there is none, so one too many is no violation.
CUresult getParameter(Driver &d, CUfunction handle, size_t index, ParameterPlace place) {
  const std::shared_ptr<Function> found = d.find<Function>(handle, Kind::Function);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!place.offset || index >= found->entry->parameters.size())
    return CUDA_ERROR_INVALID_VALUE;
  *place.offset = found->entry->parameters[index].offset;
  if (place.bytes)
    *place.bytes = found->entry->parameters[index].bytes;
  return CUDA_SUCCESS;
}

/// Preferences have no effect here.
CUresult checkPreference(Driver &d, CUfunction handle, CUfunc_cache config) {
  if (!d.find<Function>(handle, Kind::Function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (config > CU_FUNC_CACHE_PREFER_EQUAL)
    return d.violate(Rule::InvalidArgument, "an unknown preference", CUDA_ERROR_INVALID_VALUE);
  return CUDA_SUCCESS;
}

CUfunction functionOf(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

} // namespace

extern "C" {

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  return apiCall({"cuFuncGetAttribute", NeedsContext, {{"attribute", attribute}, {"function", function}}},
                 [&](Driver &d) { return getAttribute(d, value, attribute, function); });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return apiCall(
      {"cuFuncSetAttribute", NeedsContext, {{"function", function}, {"attribute", attribute}, {"value", value}}},
      [&](Driver &d) { return setAttribute(d, function, attribute, value); });
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

CUresult cuFuncGetName(const char **name, CUfunction function) {
  return apiCall({"cuFuncGetName", NeedsContext, {{"function", function}}},
                 [&](Driver &d) { return getName(d, name, function); });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
  return apiCall({"cuFuncGetParamInfo", NeedsContext, {{"function", function}, {"index", index}}},
                 [&](Driver &d) { return getParameter(d, function, index, {offset, bytes}); });
}

CUresult cuFuncLoad(CUfunction function) {
  return apiCall({"cuFuncLoad", NeedsContext, {{"function", function}}}, [&](Driver &d) {
    return d.find<Function>(function, Kind::Function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  return apiCall({"cuFuncIsLoaded", NeedsContext, {{"function", function}}}, [&](Driver &d) {
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return d.find<Function>(function, Kind::Function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return apiCall({"cuFuncSetCacheConfig", NeedsContext, {{"function", function}, {"config", config}}},
                 [&](Driver &d) { return checkPreference(d, function, config); });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice) {
  return apiCall({"cuKernelSetCacheConfig", NeedsContext, {{"kernel", kernel}, {"config", config}}},
                 [&](Driver &d) { return checkPreference(d, functionOf(kernel), config); });
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return apiCall({"cuKernelGetAttribute", NeedsContext, {{"attribute", attribute}, {"kernel", kernel}}},
                 [&](Driver &d) { return getAttribute(d, value, attribute, functionOf(kernel)); });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return apiCall(
      {"cuKernelSetAttribute", NeedsContext, {{"attribute", attribute}, {"value", value}, {"kernel", kernel}}},
      [&](Driver &d) { return setAttribute(d, functionOf(kernel), attribute, value); });
}

CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  return apiCall({"cuKernelGetName", NeedsContext, {{"kernel", kernel}}},
                 [&](Driver &d) { return getName(d, name, functionOf(kernel)); });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes) {
  return apiCall({"cuKernelGetParamInfo", NeedsContext, {{"kernel", kernel}, {"index", index}}},
                 [&](Driver &d) { return getParameter(d, functionOf(kernel), index, {offset, bytes}); });
}

} // extern "C"
