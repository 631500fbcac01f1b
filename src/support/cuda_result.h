// CudaResult: the codes with which devices refuse an operation, numbered as the CUDA driver's CUresult.
#pragma once

namespace treadle {

// X(name, number, the driver's name without CUDA_ERROR_): those that Treadle itself raises; a driver may return others.
#define TREADLE_CUDA_RESULTS(X)                                                                                        \
  X(InvalidValue, 1, INVALID_VALUE)                                                                                    \
  X(OutOfMemory, 2, OUT_OF_MEMORY)                                                                                     \
  X(NoDevice, 100, NO_DEVICE)                                                                                          \
  X(InvalidDevice, 101, INVALID_DEVICE)                                                                                \
  X(InvalidContext, 201, INVALID_CONTEXT)                                                                              \
  X(PeerAccessUnsupported, 217, PEER_ACCESS_UNSUPPORTED)                                                               \
  X(InvalidHandle, 400, INVALID_HANDLE)                                                                                \
  X(IllegalState, 401, ILLEGAL_STATE)                                                                                  \
  X(NotReady, 600, NOT_READY)                                                                                          \
  X(PeerAccessAlreadyEnabled, 704, PEER_ACCESS_ALREADY_ENABLED)                                                        \
  X(ContextIsDestroyed, 709, CONTEXT_IS_DESTROYED)                                                                     \
  X(HostMemoryAlreadyRegistered, 712, HOST_MEMORY_ALREADY_REGISTERED)                                                  \
  X(CooperativeLaunchTooLarge, 720, COOPERATIVE_LAUNCH_TOO_LARGE)                                                      \
  X(StreamCaptureUnsupported, 900, STREAM_CAPTURE_UNSUPPORTED)                                                         \
  X(StreamCaptureUnmatched, 903, STREAM_CAPTURE_UNMATCHED)                                                             \
  X(StreamCaptureUnjoined, 904, STREAM_CAPTURE_UNJOINED)                                                               \
  X(StreamCaptureImplicit, 906, STREAM_CAPTURE_IMPLICIT)                                                               \
  X(CapturedEvent, 907, CAPTURED_EVENT)                                                                                \
  X(StreamCaptureWrongThread, 908, STREAM_CAPTURE_WRONG_THREAD)

enum class CudaResult : int {
#define TREADLE_ENUMERATOR(name, number, driver) name = number,
  TREADLE_CUDA_RESULTS(TREADLE_ENUMERATOR)
#undef TREADLE_ENUMERATOR
};

} // namespace treadle
