// Streams and events: handles; all work is over when it is queued.
#include "cuda_driver_api.h"

#include <thread>

namespace {

uintptr_t last = 0x1000000;

template <typename Handle> CUresult give(Handle *handle) {
  *handle = reinterpret_cast<Handle>(__atomic_add_fetch(&last, 16, __ATOMIC_RELAXED));
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuStreamCreate(CUstream *stream, unsigned) { return give(stream); }
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned, int) { return give(stream); }
CUresult cuEventCreate(CUevent *event, unsigned) { return give(event); }
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *) { return give(pool); }
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice) { return give(pool); }
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice) { return give(pool); }

CUresult cuStreamGetCtx(CUstream, CUcontext *context) { return cuDevicePrimaryCtxRetain(context, 0); }

CUresult cuStreamGetFlags(CUstream, unsigned *flags) {
  *flags = 0;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream, int *priority) {
  *priority = 0;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  *id = reinterpret_cast<uintptr_t>(stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus *status) {
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, uint64_t *) {
  return cuStreamIsCapturing(stream, status);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, uint64_t *, CUgraph *,
                                   const CUgraphNode **, size_t *) {
  return cuStreamIsCapturing(stream, status);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, uint64_t *, CUgraph *,
                                   const CUgraphNode **, const CUgraphEdgeData **, size_t *) {
  return cuStreamIsCapturing(stream, status);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned) {
  std::thread(callback, stream, CUDA_SUCCESS, data).detach();
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream, CUhostFn function, void *data) {
  std::thread(function, data).detach();
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent, CUevent) {
  *milliseconds = 0.001F;
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  return cuEventElapsedTime_v2(milliseconds, from, to);
}

} // extern "C"
