// DriverTable: the functions of the CUDA driver, loaded from its library at first use.
#pragma once

#include "device/cuda/driver/driver_types.h"

#include <atomic>
#include <memory>
#include <string>

namespace treadle::cuda {

// X(member, symbol, version, parameters): all functions of the driver that Treadle calls. `version` is that of the CUDA
// driver API which introduced the symbol (12000 is 12.0); each is at most leastVersion. Symbols ending in _v2 and so on
// are those that cuda.h maps the plain names to.
#define TREADLE_DRIVER_FUNCTIONS(X)                                                                                    \
  X(init, "cuInit", 2000, (unsigned flags))                                                                            \
  X(driverGetVersion, "cuDriverGetVersion", 2020, (int *version))                                                      \
  X(getErrorName, "cuGetErrorName", 6000, (Result result, const char **name))                                          \
  X(getErrorString, "cuGetErrorString", 6000, (Result result, const char **text))                                      \
  X(deviceGet, "cuDeviceGet", 2000, (DeviceNumber * device, int ordinal))                                              \
  X(deviceGetCount, "cuDeviceGetCount", 2000, (int *count))                                                            \
  X(deviceGetName, "cuDeviceGetName", 2000, (char *name, int bytes, DeviceNumber device))                              \
  X(deviceGetAttribute, "cuDeviceGetAttribute", 2000, (int *value, int attribute, DeviceNumber device))                \
  X(deviceGetUuid, "cuDeviceGetUuid", 9020, (Uuid * uuid, DeviceNumber device))                                        \
  X(deviceTotalMem, "cuDeviceTotalMem_v2", 3020, (size_t *bytes, DeviceNumber device))                                 \
  X(deviceCanAccessPeer, "cuDeviceCanAccessPeer", 4000, (int *can, DeviceNumber device, DeviceNumber peer))            \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000, (ContextHandle * context, DeviceNumber device))                \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", 11000, (DeviceNumber device))                                   \
  X(primaryCtxReset, "cuDevicePrimaryCtxReset_v2", 11000, (DeviceNumber device))                                       \
  X(ctxGetCurrent, "cuCtxGetCurrent", 4000, (ContextHandle * context))                                                 \
  X(ctxSetCurrent, "cuCtxSetCurrent", 4000, (ContextHandle context))                                                   \
  X(ctxPushCurrent, "cuCtxPushCurrent_v2", 4000, (ContextHandle context))                                              \
  X(ctxPopCurrent, "cuCtxPopCurrent_v2", 4000, (ContextHandle * context))                                              \
  X(ctxGetDevice, "cuCtxGetDevice", 2000, (DeviceNumber * device))                                                     \
  X(ctxSynchronize, "cuCtxSynchronize", 2000, ())                                                                      \
  X(ctxEnablePeerAccess, "cuCtxEnablePeerAccess", 4000, (ContextHandle peer, unsigned flags))                          \
  X(memGetInfo, "cuMemGetInfo_v2", 3020, (size_t *free, size_t *total))                                                \
  X(memAlloc, "cuMemAlloc_v2", 3020, (DevicePointer * memory, size_t bytes))                                           \
  X(memFree, "cuMemFree_v2", 3020, (DevicePointer memory))                                                             \
  X(memHostAlloc, "cuMemHostAlloc", 2020, (void **memory, size_t bytes, unsigned flags))                               \
  X(memFreeHost, "cuMemFreeHost", 2000, (void *memory))                                                                \
  X(memAllocManaged, "cuMemAllocManaged", 6000, (DevicePointer * memory, size_t bytes, unsigned flags))                \
  X(memGetAddressRange, "cuMemGetAddressRange_v2", 3020, (DevicePointer * begin, size_t *bytes, DevicePointer memory)) \
  X(ipcGetMemHandle, "cuIpcGetMemHandle", 4010, (IpcHandle * handle, DevicePointer memory))                            \
  X(ipcOpenMemHandle, "cuIpcOpenMemHandle_v2", 11000, (DevicePointer * memory, IpcHandle handle, unsigned flags))      \
  X(ipcCloseMemHandle, "cuIpcCloseMemHandle", 4010, (DevicePointer memory))                                            \
  X(memHostRegister, "cuMemHostRegister_v2", 6050, (void *memory, size_t bytes, unsigned flags))                       \
  X(memHostUnregister, "cuMemHostUnregister", 4000, (void *memory))                                                    \
  X(pointerGetAttributes, "cuPointerGetAttributes", 7000,                                                              \
    (unsigned count, const PointerAttribute *attributes, void **values, DevicePointer pointer))                        \
  X(memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", 3020,                                                                     \
    (DevicePointer to, const void *from, size_t bytes, StreamHandle stream))                                           \
  X(memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", 3020, (void *to, DevicePointer from, size_t bytes, StreamHandle stream))  \
  X(memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", 3020,                                                                     \
    (DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream))                                         \
  X(memcpyPeerAsync, "cuMemcpyPeerAsync", 4000,                                                                        \
    (DevicePointer to, ContextHandle toContext, DevicePointer from, ContextHandle fromContext, size_t bytes,           \
     StreamHandle stream))                                                                                             \
  X(memcpy2DAsync, "cuMemcpy2DAsync_v2", 3020, (const Copy2D *copy, StreamHandle stream))                              \
  X(memsetD8Async, "cuMemsetD8Async", 3020,                                                                            \
    (DevicePointer to, unsigned char value, size_t bytes, StreamHandle stream))                                        \
  X(streamCreate, "cuStreamCreate", 2000, (StreamHandle * stream, unsigned flags))                                     \
  X(streamDestroy, "cuStreamDestroy_v2", 4000, (StreamHandle stream))                                                  \
  X(streamSynchronize, "cuStreamSynchronize", 2000, (StreamHandle stream))                                             \
  X(streamGetCtx, "cuStreamGetCtx", 9020, (StreamHandle stream, ContextHandle * context))                              \
  X(streamBeginCapture, "cuStreamBeginCapture_v2", 10010, (StreamHandle stream, CaptureMode mode))                     \
  X(streamEndCapture, "cuStreamEndCapture", 10000, (StreamHandle stream, GraphHandle * graph))                         \
  X(streamGetCaptureInfo, "cuStreamGetCaptureInfo_v2", 11030,                                                          \
    (StreamHandle stream, CaptureStatus * status, uint64_t *id, GraphHandle *graph, const void **nodes,                \
     size_t *nodeCount))                                                                                               \
  X(threadExchangeCaptureMode, "cuThreadExchangeStreamCaptureMode", 10010, (CaptureMode * mode))                       \
  X(graphGetNodes, "cuGraphGetNodes", 10000, (GraphHandle graph, void *nodes, size_t *count))                          \
  X(graphInstantiate, "cuGraphInstantiateWithFlags", 11040,                                                            \
    (GraphExecHandle * exec, GraphHandle graph, unsigned long long flags))                                             \
  X(graphLaunch, "cuGraphLaunch", 10000, (GraphExecHandle exec, StreamHandle stream))                                  \
  X(graphDestroy, "cuGraphDestroy", 10000, (GraphHandle graph))                                                        \
  X(graphExecDestroy, "cuGraphExecDestroy", 10000, (GraphExecHandle exec))                                             \
  X(graphRetainUserObject, "cuGraphRetainUserObject", 11030,                                                           \
    (GraphHandle graph, UserObjectHandle object, unsigned count, unsigned flags))                                      \
  X(userObjectCreate, "cuUserObjectCreate", 11030,                                                                     \
    (UserObjectHandle * object, void *what, void (*destroy)(void *), unsigned count, unsigned flags))                  \
  X(userObjectRelease, "cuUserObjectRelease", 11030, (UserObjectHandle object, unsigned count))                        \
  X(streamGetFlags, "cuStreamGetFlags", 5050, (StreamHandle stream, unsigned *flags))                                  \
  X(streamWaitEvent, "cuStreamWaitEvent", 3020, (StreamHandle stream, EventHandle event, unsigned flags))              \
  X(launchHostFunc, "cuLaunchHostFunc", 10000, (StreamHandle stream, void (*function)(void *), void *data))            \
  X(eventCreate, "cuEventCreate", 2000, (EventHandle * event, unsigned flags))                                         \
  X(eventRecord, "cuEventRecord", 2000, (EventHandle event, StreamHandle stream))                                      \
  X(eventQuery, "cuEventQuery", 2000, (EventHandle event))                                                             \
  X(eventElapsedTime, "cuEventElapsedTime", 2000, (float *milliseconds, EventHandle from, EventHandle to))             \
  X(moduleLoadDataEx, "cuModuleLoadDataEx", 2010,                                                                      \
    (ModuleHandle * module, const void *image, unsigned count, JitOption *options, void **values))                     \
  X(moduleUnload, "cuModuleUnload", 2000, (ModuleHandle module))                                                       \
  X(moduleGetFunction, "cuModuleGetFunction", 2000,                                                                    \
    (FunctionHandle * function, ModuleHandle module, const char *name))                                                \
  X(moduleGetGlobal, "cuModuleGetGlobal_v2", 3020,                                                                     \
    (DevicePointer * address, size_t *bytes, ModuleHandle module, const char *name))                                   \
  X(funcGetAttribute, "cuFuncGetAttribute", 2020, (int *value, FunctionAttribute attribute, FunctionHandle function))  \
  X(ctxSetLimit, "cuCtxSetLimit", 3010, (ContextLimit limit, size_t value))                                            \
  X(ctxGetLimit, "cuCtxGetLimit", 3010, (size_t *value, ContextLimit limit))                                           \
  X(funcSetAttribute, "cuFuncSetAttribute", 9000, (FunctionHandle function, FunctionAttribute attribute, int value))   \
  X(launchKernelEx, "cuLaunchKernelEx", 11060,                                                                         \
    (const DriverLaunch *launch, FunctionHandle function, void **parameters, void **extra))                            \
  X(occupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 7000,                            \
    (int *blocks, FunctionHandle function, int threads, size_t sharedBytes, unsigned flags))                           \
  X(occupancyMaxPotentialBlockSize, "cuOccupancyMaxPotentialBlockSizeWithFlags", 7000,                                 \
    (int *grid, int *threads, FunctionHandle function, BlockSharedBytes shared, size_t sharedBytes, int mostThreads,   \
     unsigned flags))                                                                                                  \
  X(profilerStart, "cuProfilerStart", 4000, ())                                                                        \
  X(profilerStop, "cuProfilerStop", 4000, ())                                                                          \
  X(linkCreate, "cuLinkCreate_v2", 6050, (unsigned count, JitOption *options, void **values, LinkHandle *link))        \
  X(linkAddData, "cuLinkAddData_v2", 6050,                                                                             \
    (LinkHandle link, JitInput type, void *data, size_t bytes, const char *name, unsigned count, JitOption *options,   \
     void **values))                                                                                                   \
  X(linkComplete, "cuLinkComplete", 5050, (LinkHandle link, void **code, size_t *bytes))                               \
  X(linkDestroy, "cuLinkDestroy", 5050, (LinkHandle link))

/// Complete: no function is missing. Lives as long as the process.
struct DriverTable {
#define TREADLE_MEMBER(member, symbol, version, parameters) Result(*member) parameters = nullptr;
  TREADLE_DRIVER_FUNCTIONS(TREADLE_MEMBER)
#undef TREADLE_MEMBER

  int version = 0; ///< of the driver API: 12020 for 12.2
  /// Whether some thread may be capturing a stream, of any device, so that calls need a CaptureRelaxed.
  std::shared_ptr<std::atomic<bool>> seesCaptures = std::make_shared<std::atomic<bool>>(false);

  /// Drivers from 525 on.
  static constexpr int leastVersion = 12000;

  /// Opens the driver's library and initialises it. Throws CudaSupportError with a remedy.
  static const DriverTable &open();

  /// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
  std::string describe(Result result) const;
};

} // namespace treadle::cuda
