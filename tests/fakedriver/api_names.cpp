// The driver API: functions by name and version.
#include "call.h"
#include "per_thread_api.h"

#include <cstring>

using namespace fakecuda;

namespace {

struct Named {
  const char *name;
  int since; ///< the first CUDA version whose headers map the name to this function
  void *function;
  void *perThread;
};

#define ENTRY(name, since, function, perThread)                                                                        \
  {#name, since, reinterpret_cast<void *>(function), reinterpret_cast<void *>(perThread)}

const Named functions[] = {
    ENTRY(cuCtxCreate, 3020, cuCtxCreate_v2, cuCtxCreate_v2),
    ENTRY(cuCtxCreate, 12050, cuCtxCreate_v4, cuCtxCreate_v4),
    ENTRY(cuCtxDestroy, 4000, cuCtxDestroy_v2, cuCtxDestroy_v2),
    ENTRY(cuCtxDisablePeerAccess, 4000, cuCtxDisablePeerAccess, cuCtxDisablePeerAccess),
    ENTRY(cuCtxEnablePeerAccess, 4000, cuCtxEnablePeerAccess, cuCtxEnablePeerAccess),
    ENTRY(cuCtxGetApiVersion, 3020, cuCtxGetApiVersion, cuCtxGetApiVersion),
    ENTRY(cuCtxGetCacheConfig, 3020, cuCtxGetCacheConfig, cuCtxGetCacheConfig),
    ENTRY(cuCtxGetCurrent, 4000, cuCtxGetCurrent, cuCtxGetCurrent),
    ENTRY(cuCtxGetDevice, 2000, cuCtxGetDevice, cuCtxGetDevice),
    ENTRY(cuCtxGetFlags, 7000, cuCtxGetFlags, cuCtxGetFlags),
    ENTRY(cuCtxGetId, 12000, cuCtxGetId, cuCtxGetId),
    ENTRY(cuCtxGetLimit, 3010, cuCtxGetLimit, cuCtxGetLimit),
    ENTRY(cuCtxGetStreamPriorityRange, 5050, cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange),
    ENTRY(cuCtxPopCurrent, 4000, cuCtxPopCurrent_v2, cuCtxPopCurrent_v2),
    ENTRY(cuCtxPushCurrent, 4000, cuCtxPushCurrent_v2, cuCtxPushCurrent_v2),
    ENTRY(cuCtxSetCacheConfig, 3020, cuCtxSetCacheConfig, cuCtxSetCacheConfig),
    ENTRY(cuCtxSetCurrent, 4000, cuCtxSetCurrent, cuCtxSetCurrent),
    ENTRY(cuCtxSetLimit, 3010, cuCtxSetLimit, cuCtxSetLimit),
    ENTRY(cuCtxSynchronize, 2000, cuCtxSynchronize, cuCtxSynchronize),
    ENTRY(cuDeviceCanAccessPeer, 4000, cuDeviceCanAccessPeer, cuDeviceCanAccessPeer),
    ENTRY(cuDeviceGet, 2000, cuDeviceGet, cuDeviceGet),
    ENTRY(cuDeviceGetAttribute, 2000, cuDeviceGetAttribute, cuDeviceGetAttribute),
    ENTRY(cuDeviceGetCount, 2000, cuDeviceGetCount, cuDeviceGetCount),
    ENTRY(cuDeviceGetDefaultMemPool, 11020, cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool),
    ENTRY(cuDeviceGetMemPool, 11020, cuDeviceGetMemPool, cuDeviceGetMemPool),
    ENTRY(cuDeviceGetName, 2000, cuDeviceGetName, cuDeviceGetName),
    ENTRY(cuDeviceGetPCIBusId, 4010, cuDeviceGetPCIBusId, cuDeviceGetPCIBusId),
    ENTRY(cuDeviceGetUuid, 9020, cuDeviceGetUuid, cuDeviceGetUuid),
    ENTRY(cuDeviceGetUuid, 11040, cuDeviceGetUuid_v2, cuDeviceGetUuid_v2),
    ENTRY(cuDevicePrimaryCtxGetState, 7000, cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState),
    ENTRY(cuDevicePrimaryCtxRelease, 11000, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease_v2),
    ENTRY(cuDevicePrimaryCtxReset, 11000, cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset_v2),
    ENTRY(cuDevicePrimaryCtxRetain, 7000, cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain),
    ENTRY(cuDevicePrimaryCtxSetFlags, 11000, cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags_v2),
    ENTRY(cuDeviceSetMemPool, 11020, cuDeviceSetMemPool, cuDeviceSetMemPool),
    ENTRY(cuDeviceTotalMem, 3020, cuDeviceTotalMem_v2, cuDeviceTotalMem_v2),
    ENTRY(cuDriverGetVersion, 2020, cuDriverGetVersion, cuDriverGetVersion),
    ENTRY(cuEventCreate, 2000, cuEventCreate, cuEventCreate),
    ENTRY(cuEventDestroy, 4000, cuEventDestroy_v2, cuEventDestroy_v2),
    ENTRY(cuEventElapsedTime, 2000, cuEventElapsedTime, cuEventElapsedTime),
    ENTRY(cuEventElapsedTime, 12080, cuEventElapsedTime_v2, cuEventElapsedTime_v2),
    ENTRY(cuEventQuery, 2000, cuEventQuery, cuEventQuery),
    ENTRY(cuEventRecord, 2000, cuEventRecord, cuEventRecord_ptsz),
    ENTRY(cuEventSynchronize, 2000, cuEventSynchronize, cuEventSynchronize),
    ENTRY(cuFuncGetAttribute, 2020, cuFuncGetAttribute, cuFuncGetAttribute),
    ENTRY(cuFuncGetModule, 11000, cuFuncGetModule, cuFuncGetModule),
    ENTRY(cuFuncGetName, 12030, cuFuncGetName, cuFuncGetName),
    ENTRY(cuFuncGetParamInfo, 12040, cuFuncGetParamInfo, cuFuncGetParamInfo),
    ENTRY(cuFuncIsLoaded, 12040, cuFuncIsLoaded, cuFuncIsLoaded),
    ENTRY(cuFuncLoad, 12040, cuFuncLoad, cuFuncLoad),
    ENTRY(cuFuncSetAttribute, 9000, cuFuncSetAttribute, cuFuncSetAttribute),
    ENTRY(cuFuncSetCacheConfig, 3000, cuFuncSetCacheConfig, cuFuncSetCacheConfig),
    ENTRY(cuGetErrorName, 6000, cuGetErrorName, cuGetErrorName),
    ENTRY(cuGetErrorString, 6000, cuGetErrorString, cuGetErrorString),
    ENTRY(cuGetExportTable, 3000, cuGetExportTable, cuGetExportTable),
    ENTRY(cuGetProcAddress, 11030, cuGetProcAddress, cuGetProcAddress),
    ENTRY(cuGetProcAddress, 12000, cuGetProcAddress_v2, cuGetProcAddress_v2),
    ENTRY(cuGraphDestroy, 10000, cuGraphDestroy, cuGraphDestroy),
    ENTRY(cuGraphExecDestroy, 10000, cuGraphExecDestroy, cuGraphExecDestroy),
    ENTRY(cuGraphGetNodes, 10000, cuGraphGetNodes, cuGraphGetNodes),
    ENTRY(cuGraphInstantiate, 11000, cuGraphInstantiate_v2, cuGraphInstantiate_v2),
    ENTRY(cuGraphInstantiateWithFlags, 11040, cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags),
    ENTRY(cuGraphLaunch, 10000, cuGraphLaunch, cuGraphLaunch_ptsz),
    ENTRY(cuGraphRetainUserObject, 11030, cuGraphRetainUserObject, cuGraphRetainUserObject),
    ENTRY(cuInit, 2000, cuInit, cuInit),
    ENTRY(cuIpcCloseMemHandle, 4010, cuIpcCloseMemHandle, cuIpcCloseMemHandle),
    ENTRY(cuIpcGetEventHandle, 4010, cuIpcGetEventHandle, cuIpcGetEventHandle),
    ENTRY(cuIpcGetMemHandle, 4010, cuIpcGetMemHandle, cuIpcGetMemHandle),
    ENTRY(cuIpcOpenEventHandle, 4010, cuIpcOpenEventHandle, cuIpcOpenEventHandle),
    ENTRY(cuIpcOpenMemHandle, 11000, cuIpcOpenMemHandle_v2, cuIpcOpenMemHandle_v2),
    ENTRY(cuKernelGetAttribute, 12000, cuKernelGetAttribute, cuKernelGetAttribute),
    ENTRY(cuKernelGetFunction, 12000, cuKernelGetFunction, cuKernelGetFunction),
    ENTRY(cuKernelGetName, 12030, cuKernelGetName, cuKernelGetName),
    ENTRY(cuKernelGetParamInfo, 12040, cuKernelGetParamInfo, cuKernelGetParamInfo),
    ENTRY(cuKernelSetAttribute, 12000, cuKernelSetAttribute, cuKernelSetAttribute),
    ENTRY(cuKernelSetCacheConfig, 12000, cuKernelSetCacheConfig, cuKernelSetCacheConfig),
    ENTRY(cuLaunchCooperativeKernel, 9000, cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz),
    ENTRY(cuLaunchHostFunc, 10000, cuLaunchHostFunc, cuLaunchHostFunc_ptsz),
    ENTRY(cuLaunchKernel, 4000, cuLaunchKernel, cuLaunchKernel_ptsz),
    ENTRY(cuLaunchKernelEx, 11060, cuLaunchKernelEx, cuLaunchKernelEx_ptsz),
    ENTRY(cuLibraryGetGlobal, 12000, cuLibraryGetGlobal, cuLibraryGetGlobal),
    ENTRY(cuLibraryGetKernel, 12000, cuLibraryGetKernel, cuLibraryGetKernel),
    ENTRY(cuLibraryGetModule, 12000, cuLibraryGetModule, cuLibraryGetModule),
    ENTRY(cuLibraryLoadData, 12000, cuLibraryLoadData, cuLibraryLoadData),
    ENTRY(cuLibraryUnload, 12000, cuLibraryUnload, cuLibraryUnload),
    ENTRY(cuLinkAddData, 6050, cuLinkAddData_v2, cuLinkAddData_v2),
    ENTRY(cuLinkAddFile, 6050, cuLinkAddFile_v2, cuLinkAddFile_v2),
    ENTRY(cuLinkComplete, 5050, cuLinkComplete, cuLinkComplete),
    ENTRY(cuLinkCreate, 6050, cuLinkCreate_v2, cuLinkCreate_v2),
    ENTRY(cuLinkDestroy, 5050, cuLinkDestroy, cuLinkDestroy),
    ENTRY(cuMemAdvise, 8000, cuMemAdvise, cuMemAdvise),
    ENTRY(cuMemAdvise, 12020, cuMemAdvise_v2, cuMemAdvise_v2),
    ENTRY(cuMemAlloc, 3020, cuMemAlloc_v2, cuMemAlloc_v2),
    ENTRY(cuMemAllocAsync, 11020, cuMemAllocAsync, cuMemAllocAsync_ptsz),
    ENTRY(cuMemAllocFromPoolAsync, 11020, cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz),
    ENTRY(cuMemAllocHost, 3020, cuMemAllocHost_v2, cuMemAllocHost_v2),
    ENTRY(cuMemAllocManaged, 6000, cuMemAllocManaged, cuMemAllocManaged),
    ENTRY(cuMemFree, 3020, cuMemFree_v2, cuMemFree_v2),
    ENTRY(cuMemFreeAsync, 11020, cuMemFreeAsync, cuMemFreeAsync_ptsz),
    ENTRY(cuMemFreeHost, 2000, cuMemFreeHost, cuMemFreeHost),
    ENTRY(cuMemGetAddressRange, 3020, cuMemGetAddressRange_v2, cuMemGetAddressRange_v2),
    ENTRY(cuMemGetInfo, 3020, cuMemGetInfo_v2, cuMemGetInfo_v2),
    ENTRY(cuMemHostAlloc, 2020, cuMemHostAlloc, cuMemHostAlloc),
    ENTRY(cuMemHostGetDevicePointer, 3020, cuMemHostGetDevicePointer_v2, cuMemHostGetDevicePointer_v2),
    ENTRY(cuMemHostGetFlags, 2030, cuMemHostGetFlags, cuMemHostGetFlags),
    ENTRY(cuMemHostRegister, 6050, cuMemHostRegister_v2, cuMemHostRegister_v2),
    ENTRY(cuMemHostUnregister, 4000, cuMemHostUnregister, cuMemHostUnregister),
    ENTRY(cuMemPoolCreate, 11020, cuMemPoolCreate, cuMemPoolCreate),
    ENTRY(cuMemPoolDestroy, 11020, cuMemPoolDestroy, cuMemPoolDestroy),
    ENTRY(cuMemPoolGetAccess, 11020, cuMemPoolGetAccess, cuMemPoolGetAccess),
    ENTRY(cuMemPoolGetAttribute, 11020, cuMemPoolGetAttribute, cuMemPoolGetAttribute),
    ENTRY(cuMemPoolSetAccess, 11020, cuMemPoolSetAccess, cuMemPoolSetAccess),
    ENTRY(cuMemPoolSetAttribute, 11020, cuMemPoolSetAttribute, cuMemPoolSetAttribute),
    ENTRY(cuMemPoolTrimTo, 11020, cuMemPoolTrimTo, cuMemPoolTrimTo),
    ENTRY(cuMemPrefetchAsync, 8000, cuMemPrefetchAsync, cuMemPrefetchAsync_ptsz),
    ENTRY(cuMemPrefetchAsync, 12020, cuMemPrefetchAsync_v2, cuMemPrefetchAsync_v2_ptsz),
    ENTRY(cuMemcpy, 4000, cuMemcpy, cuMemcpy_ptds),
    ENTRY(cuMemcpy2D, 3020, cuMemcpy2D_v2, cuMemcpy2D_v2_ptds),
    ENTRY(cuMemcpy2DAsync, 3020, cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz),
    ENTRY(cuMemcpy2DUnaligned, 3020, cuMemcpy2DUnaligned_v2, cuMemcpy2DUnaligned_v2_ptds),
    ENTRY(cuMemcpy3D, 3020, cuMemcpy3D_v2, cuMemcpy3D_v2_ptds),
    ENTRY(cuMemcpy3DAsync, 3020, cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz),
    ENTRY(cuMemcpyAsync, 4000, cuMemcpyAsync, cuMemcpyAsync_ptsz),
    ENTRY(cuMemcpyDtoD, 3020, cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds),
    ENTRY(cuMemcpyDtoDAsync, 3020, cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz),
    ENTRY(cuMemcpyDtoH, 3020, cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds),
    ENTRY(cuMemcpyDtoHAsync, 3020, cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz),
    ENTRY(cuMemcpyHtoD, 3020, cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds),
    ENTRY(cuMemcpyHtoDAsync, 3020, cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz),
    ENTRY(cuMemcpyPeer, 4000, cuMemcpyPeer, cuMemcpyPeer_ptds),
    ENTRY(cuMemcpyPeerAsync, 4000, cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz),
    ENTRY(cuMemsetD16, 3020, cuMemsetD16_v2, cuMemsetD16_v2_ptds),
    ENTRY(cuMemsetD16Async, 3020, cuMemsetD16Async, cuMemsetD16Async_ptsz),
    ENTRY(cuMemsetD32, 3020, cuMemsetD32_v2, cuMemsetD32_v2_ptds),
    ENTRY(cuMemsetD32Async, 3020, cuMemsetD32Async, cuMemsetD32Async_ptsz),
    ENTRY(cuMemsetD8, 3020, cuMemsetD8_v2, cuMemsetD8_v2_ptds),
    ENTRY(cuMemsetD8Async, 3020, cuMemsetD8Async, cuMemsetD8Async_ptsz),
    ENTRY(cuModuleGetFunction, 2000, cuModuleGetFunction, cuModuleGetFunction),
    ENTRY(cuModuleGetGlobal, 3020, cuModuleGetGlobal_v2, cuModuleGetGlobal_v2),
    ENTRY(cuModuleGetLoadingMode, 11070, cuModuleGetLoadingMode, cuModuleGetLoadingMode),
    ENTRY(cuModuleLoad, 2000, cuModuleLoad, cuModuleLoad),
    ENTRY(cuModuleLoadData, 2000, cuModuleLoadData, cuModuleLoadData),
    ENTRY(cuModuleLoadDataEx, 2010, cuModuleLoadDataEx, cuModuleLoadDataEx),
    ENTRY(cuModuleLoadFatBinary, 2000, cuModuleLoadFatBinary, cuModuleLoadFatBinary),
    ENTRY(cuModuleUnload, 2000, cuModuleUnload, cuModuleUnload),
    ENTRY(cuOccupancyAvailableDynamicSMemPerBlock, 10020, cuOccupancyAvailableDynamicSMemPerBlock,
          cuOccupancyAvailableDynamicSMemPerBlock),
    ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, cuOccupancyMaxActiveBlocksPerMultiprocessor,
          cuOccupancyMaxActiveBlocksPerMultiprocessor),
    ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000,
          cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
    ENTRY(cuOccupancyMaxActiveClusters, 11070, cuOccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters),
    ENTRY(cuOccupancyMaxPotentialBlockSize, 6050, cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize),
    ENTRY(cuOccupancyMaxPotentialBlockSizeWithFlags, 7000, cuOccupancyMaxPotentialBlockSizeWithFlags,
          cuOccupancyMaxPotentialBlockSizeWithFlags),
    ENTRY(cuPointerGetAttribute, 4000, cuPointerGetAttribute, cuPointerGetAttribute),
    ENTRY(cuPointerGetAttributes, 7000, cuPointerGetAttributes, cuPointerGetAttributes),
    ENTRY(cuPointerSetAttribute, 6000, cuPointerSetAttribute, cuPointerSetAttribute),
    ENTRY(cuProfilerStart, 4000, cuProfilerStart, cuProfilerStart),
    ENTRY(cuProfilerStop, 4000, cuProfilerStop, cuProfilerStop),
    ENTRY(cuStreamAddCallback, 5000, cuStreamAddCallback, cuStreamAddCallback_ptsz),
    ENTRY(cuStreamAttachMemAsync, 6000, cuStreamAttachMemAsync, cuStreamAttachMemAsync_ptsz),
    ENTRY(cuStreamBeginCapture, 10010, cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz),
    ENTRY(cuStreamCreate, 2000, cuStreamCreate, cuStreamCreate),
    ENTRY(cuStreamCreateWithPriority, 5050, cuStreamCreateWithPriority, cuStreamCreateWithPriority),
    ENTRY(cuStreamDestroy, 4000, cuStreamDestroy_v2, cuStreamDestroy_v2),
    ENTRY(cuStreamEndCapture, 10000, cuStreamEndCapture, cuStreamEndCapture_ptsz),
    ENTRY(cuStreamGetCaptureInfo, 10010, cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_ptsz),
    ENTRY(cuStreamGetCaptureInfo, 11030, cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2_ptsz),
    ENTRY(cuStreamGetCaptureInfo, 12030, cuStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3_ptsz),
    ENTRY(cuStreamGetCtx, 9020, cuStreamGetCtx, cuStreamGetCtx_ptsz),
    ENTRY(cuStreamGetFlags, 5050, cuStreamGetFlags, cuStreamGetFlags_ptsz),
    ENTRY(cuStreamGetId, 12000, cuStreamGetId, cuStreamGetId_ptsz),
    ENTRY(cuStreamGetPriority, 5050, cuStreamGetPriority, cuStreamGetPriority_ptsz),
    ENTRY(cuStreamIsCapturing, 10000, cuStreamIsCapturing, cuStreamIsCapturing_ptsz),
    ENTRY(cuStreamQuery, 2000, cuStreamQuery, cuStreamQuery_ptsz),
    ENTRY(cuStreamSynchronize, 2000, cuStreamSynchronize, cuStreamSynchronize_ptsz),
    ENTRY(cuStreamWaitEvent, 3020, cuStreamWaitEvent, cuStreamWaitEvent_ptsz),
    ENTRY(cuThreadExchangeStreamCaptureMode, 10010, cuThreadExchangeStreamCaptureMode,
          cuThreadExchangeStreamCaptureMode),
};

#undef ENTRY

CUdriverProcAddressQueryResult lookUp(const char *symbol, int version, uint64_t flags, void **function) {
  const Named *best = nullptr;
  bool isKnown = false;
  for (const Named &entry : functions) {
    if (std::strcmp(entry.name, symbol) != 0)
      continue;
    isKnown = true;
    if (entry.since <= version && (!best || best->since < entry.since))
      best = &entry;
  }
  if (!best)
    return isKnown ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  *function = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ? best->perThread : best->function;
  return CU_GET_PROC_ADDRESS_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  return apiCall({"cuGetProcAddress", NeedsNothing, {{"version", version}, {"flags", flags}}}, [&](Driver &d) {
    if (!symbol || !function || flags > 2 || version > d.config.driverVersion)
      return CUDA_ERROR_INVALID_VALUE;
    *function = nullptr;
    const CUdriverProcAddressQueryResult found = lookUp(symbol, version, flags, function);
    if (status)
      *status = found;
    return found == CU_GET_PROC_ADDRESS_SUCCESS || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  });
}

CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

} // extern "C"
