// Modules, libraries, kernels: any image is taken, has every entry, and no variable.
#include "cuda_driver_api.h"

#include <cstddef>

namespace {

/// Unlike 0 and each other.
template <typename Handle> void give(Handle *handle) {
  static uintptr_t last = 0x10000;
  *handle = reinterpret_cast<Handle>(__atomic_add_fetch(&last, 16, __ATOMIC_RELAXED));
}

int attributeOf(CUfunction_attribute attribute) {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return 1024;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    return 32;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return 49152;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    return 90;
  default:
    return 0;
  }
}

} // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule *module, const void *) {
  give(module);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *, unsigned, CUjit_option *, void **) {
  give(module);
  return CUDA_SUCCESS;
}

/// Linking gives a binary that nobody reads.
CUresult cuLinkCreate_v2(unsigned, CUjit_option *, void **, CUlinkState *state) {
  give(state);
  return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState, CUjitInputType, void *, size_t, const char *, unsigned, CUjit_option *,
                          void **) {
  return CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState, void **cubin, size_t *bytes) {
  static char nothing[] = "\177ELF";
  *cubin = nothing;
  *bytes = sizeof nothing;
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState) { return CUDA_SUCCESS; }

CUresult cuModuleLoad(CUmodule *module, const char *) {
  give(module);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *) {
  give(module);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *) {
  give(function);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *, size_t *, CUmodule, const char *) { return CUDA_ERROR_NOT_FOUND; }
CUresult cuLibraryGetGlobal(CUdeviceptr *, size_t *, CUlibrary, const char *) { return CUDA_ERROR_NOT_FOUND; }

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction) {
  *value = attributeOf(attribute);
  return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction) {
  give(module);
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction) {
  *name = "kernel";
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction, size_t, size_t *, size_t *) { return CUDA_ERROR_INVALID_VALUE; }
CUresult cuKernelGetParamInfo(CUkernel, size_t, size_t *, size_t *) { return CUDA_ERROR_INVALID_VALUE; }

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction) {
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *, CUjit_option *, void **, unsigned, CUlibraryOption *,
                           void **, unsigned) {
  give(library);
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary, const char *) {
  give(kernel);
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary) {
  give(module);
  return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel, CUdevice) {
  *value = attributeOf(attribute);
  return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char **name, CUkernel) {
  *name = "kernel";
  return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel) {
  give(function);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction, int blockSize, size_t) {
  *blocks = blockSize > 0 ? 2048 / blockSize : 0;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int blockSize,
                                                              size_t sharedBytes, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize, sharedBytes);
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction, const CUlaunchConfig *) {
  *clusters = 66;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction, int, int) {
  *bytes = 49152;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, CUfunction, CUoccupancyB2DSize,
                                                   size_t, int, unsigned) {
  *gridSize = 264;
  *blockSize = 1024;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, CUfunction function, CUoccupancyB2DSize shared,
                                          size_t sharedBytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(gridSize, blockSize, function, shared, sharedBytes, limit, 0);
}

} // extern "C"
