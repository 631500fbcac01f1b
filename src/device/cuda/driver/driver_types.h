// The few types and numbers of the CUDA driver API that Treadle uses, as the toolkit's cuda.h has them
// (tests/fakedriver compares them with it where it is installed). Nothing of the toolkit is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treadle::cuda {

/// CUresult, which can be any number; those that code refers to by name.
enum class Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  StubLibrary = 34,
  NoDevice = 100,
  InvalidContext = 201,
  EccUncorrectable = 214,
  NvlinkUncorrectable = 220,
  InvalidPtx = 218,
  UnsupportedPtxVersion = 222,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  PeerAccessAlreadyEnabled = 704,
  ContextIsDestroyed = 709,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
  CooperativeLaunchTooLarge = 720,
  StreamCaptureImplicit = 906,
  InvalidClusterSize = 912,
};

using DeviceNumber = int;                ///< CUdevice
using DevicePointer = uint64_t;          ///< CUdeviceptr
using ContextHandle = struct CUctx_st *; ///< CUcontext, and so on
using StreamHandle = struct CUstream_st *;
using EventHandle = struct CUevent_st *;
using ModuleHandle = struct CUmod_st *;
using FunctionHandle = struct CUfunc_st *;
using GraphHandle = struct CUgraph_st *;
using GraphExecHandle = struct CUgraphExec_st *;
using UserObjectHandle = struct CUuserObject_st *;
using LinkHandle = struct CUlinkState_st *;

/// CUoccupancyB2DSize: the dynamic shared memory of a block of so many threads.
using BlockSharedBytes = size_t (*)(int threads);

struct Uuid {
  unsigned char bytes[16];
};

/// CUpointer_attribute.
enum class PointerAttribute : int { MemoryType = 2, DevicePointer = 3, IsManaged = 8, DeviceOrdinal = 9 };

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedBytes = 1,
  ConstBytes = 2,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
  PreferredSharedCarveout = 9,
  NonPortableClusterAllowed = 14,
};

/// CUstreamCaptureStatus.
enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };

/// CUstreamCaptureMode.
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };

/// CUlimit.
enum class ContextLimit : int { StackBytes = 0, MallocHeapBytes = 2 };

/// CUjit_option.
enum class JitOption : int {
  InfoLogBuffer = 3,
  InfoLogBufferBytes = 4,
  ErrorLogBuffer = 5,
  ErrorLogBufferBytes = 6,
  DebugInfo = 11,
  LogVerbose = 12,
  LineInfo = 13,
};

/// CUjitInputType.
enum class JitInput : int { Cubin = 0, Ptx = 1 };

/// CUmemorytype; Unknown is the driver's answer for an address that it does not know.
enum class MemoryType : int { Unknown = 0, Host = 1, Device = 2 };

/// CUDA_MEMCPY2D.
struct Copy2D {
  size_t fromX, fromY;
  MemoryType fromType;
  const void *fromHost;
  DevicePointer fromDevice;
  void *fromArray;
  size_t fromPitch;
  size_t toX, toY;
  MemoryType toType;
  void *toHost;
  DevicePointer toDevice;
  void *toArray;
  size_t toPitch;
  size_t rowBytes, rows;
};

/// CUipcMemHandle.
struct IpcHandle {
  char bytes[64];
};
constexpr unsigned ipcLazyPeerAccess = 1;

/// CUlaunchAttribute, of the kinds CU_LAUNCH_ATTRIBUTE_COOPERATIVE and CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION.
struct LaunchAttribute {
  int id;
  char unused[4];
  union {
    char bytes[64];
    int cooperative;
    unsigned cluster[3];
  };
};
constexpr int cooperativeAttribute = 2, clusterAttribute = 4;

/// CUlaunchConfig.
struct DriverLaunch {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

// The keys of a launch's `extra` list, which passes all parameters as one block.
inline void *const parameterBlockKey = reinterpret_cast<void *>(1);
inline void *const parameterBytesKey = reinterpret_cast<void *>(2);

enum : unsigned {
  streamNonBlocking = 1,
  eventDefault = 0,
  eventDisableTiming = 2,
  hostAllocPortable = 1,
  hostAllocMapped = 2,
  hostRegisterPortable = 1,
  hostRegisterMapped = 2,
  memAttachGlobal = 1,
  userObjectNoSync = 1,
  graphUserObjectMove = 1,
};

/// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD. The null handle is the legacy stream, too.
inline const StreamHandle legacyStream = reinterpret_cast<StreamHandle>(1);
inline const StreamHandle perThreadStream = reinterpret_cast<StreamHandle>(2);

} // namespace treadle::cuda
