// The primary context, and which context is current in each thread.
#include "cuda_driver_api.h"

namespace {

constexpr int deepest = 64;
const CUcontext primary = reinterpret_cast<CUcontext>(uintptr_t{0x1000});

struct Stack {
  CUcontext contexts[deepest] = {};
  int depth = 0;
};

__attribute__((tls_model("initial-exec"))) thread_local Stack stack;

} // namespace

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  *context = primary;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned *flags, int *active) {
  *flags = 0;
  *active = 1;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = stack.contexts[stack.depth];
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  stack.contexts[stack.depth] = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (stack.depth + 1 == deepest)
    return CUDA_ERROR_INVALID_CONTEXT;
  stack.contexts[++stack.depth] = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  if (context)
    *context = stack.contexts[stack.depth];
  stack.contexts[stack.depth] = nullptr;
  if (stack.depth > 0)
    --stack.depth;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned *flags) {
  *flags = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext, unsigned long long *id) {
  *id = 1;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext, unsigned *version) {
  *version = 13050;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit) {
  *value = 1024;
  return CUDA_SUCCESS;
}

} // extern "C"
