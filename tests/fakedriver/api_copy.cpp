// The driver API: copies and memsets.
#include "call.h"
#include "copies.h"

using namespace fakecuda;

namespace {

/// Stream 0, or the thread's default stream in a _ptds function.
constexpr CUstream defaultStream = nullptr;

CopySide deviceSide(CUdeviceptr pointer) { return {pointer}; }
CopySide hostSide(const void *pointer) { return {reinterpret_cast<uint64_t>(pointer), 0, true, false}; }
CopySide anySide(uint64_t pointer) { return {pointer, 0, true, true}; }

CopySide sideOf(CUmemorytype type, const void *host, CUdeviceptr device) {
  switch (type) {
  case CU_MEMORYTYPE_HOST:
    return hostSide(host);
  case CU_MEMORYTYPE_DEVICE:
    return deviceSide(device);
  default:
    return anySide(device);
  }
}

CUresult copy2D(Driver &d, const CUDA_MEMCPY2D &copy, CUstream stream, bool isAsync) {
  if (copy.srcMemoryType == CU_MEMORYTYPE_ARRAY || copy.dstMemoryType == CU_MEMORYTYPE_ARRAY)
    return CUDA_ERROR_NOT_SUPPORTED;
  CopyRequest request{"copy2D", sideOf(copy.dstMemoryType, copy.dstHost, copy.dstDevice),
                      sideOf(copy.srcMemoryType, copy.srcHost, copy.srcDevice), copy.WidthInBytes};
  request.height = copy.Height;
  request.isAsync = isAsync;
  request.to.pitch = copy.dstPitch;
  request.from.pitch = copy.srcPitch;
  request.to.address += copy.dstY * copy.dstPitch + copy.dstXInBytes;
  request.from.address += copy.srcY * copy.srcPitch + copy.srcXInBytes;
  return copyMemory(d, request, stream);
}

/// A pitch or height of 0 is that of what is copied.
CUresult copy3D(Driver &d, const CUDA_MEMCPY3D &copy, CUstream stream, bool isAsync) {
  if (copy.srcMemoryType == CU_MEMORYTYPE_ARRAY || copy.dstMemoryType == CU_MEMORYTYPE_ARRAY)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (copy.srcLOD || copy.dstLOD || copy.reserved0 || copy.reserved1)
    return d.violate(Rule::InvalidArgument, "reserved fields and levels of detail must be 0", CUDA_ERROR_INVALID_VALUE);
  CopyRequest request{"copy3D", sideOf(copy.dstMemoryType, copy.dstHost, copy.dstDevice),
                      sideOf(copy.srcMemoryType, copy.srcHost, copy.srcDevice), copy.WidthInBytes};
  request.height = copy.Height;
  request.depth = copy.Depth;
  request.isAsync = isAsync;
  request.to.pitch = copy.dstPitch ? copy.dstPitch : copy.WidthInBytes;
  request.from.pitch = copy.srcPitch ? copy.srcPitch : copy.WidthInBytes;
  request.to.slice = request.to.pitch * (copy.dstHeight ? copy.dstHeight : copy.Height);
  request.from.slice = request.from.pitch * (copy.srcHeight ? copy.srcHeight : copy.Height);
  request.to.address += copy.dstZ * request.to.slice + copy.dstY * request.to.pitch + copy.dstXInBytes;
  request.from.address += copy.srcZ * request.from.slice + copy.srcY * request.from.pitch + copy.srcXInBytes;
  return copyMemory(d, request, stream);
}

struct PeerPlace {
  CUdeviceptr pointer;
  CUcontext context;
};

CUresult copyPeer(Driver &d, const PeerPlace &to, const PeerPlace &from, CopyRequest request, CUstream stream) {
  for (const PeerPlace &place : {to, from}) {
    const std::shared_ptr<Context> context = d.find<Context>(place.context, Kind::Context);
    if (!context)
      return CUDA_ERROR_INVALID_CONTEXT;
    const std::shared_ptr<Allocation> found = d.memory.find(place.pointer);
    if (found && found->device != context->device)
      return d.violate(Rule::ContextMismatch, hex(place.pointer) + " is memory of another device than its context's",
                       CUDA_ERROR_INVALID_VALUE);
  }
  request.to = deviceSide(to.pointer);
  request.from = deviceSide(from.pointer);
  return copyMemory(d, request, stream);
}

} // namespace

extern "C" {

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return apiCall({"cuMemcpyHtoD", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}}}, [&](Driver &d) {
    return copyMemory(d, {"HtoD", deviceSide(to), hostSide(from), bytes}, defaultStream);
  });
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return apiCall({"cuMemcpyDtoH", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}}}, [&](Driver &d) {
    return copyMemory(d, {"DtoH", hostSide(to), deviceSide(from), bytes}, defaultStream);
  });
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return apiCall({"cuMemcpyDtoD", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}}}, [&](Driver &d) {
    return copyMemory(d, {"DtoD", deviceSide(to), deviceSide(from), bytes}, defaultStream);
  });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return apiCall({"cuMemcpy", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}}},
                 [&](Driver &d) { return copyMemory(d, {"copy", anySide(to), anySide(from), bytes}, defaultStream); });
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return apiCall(
      {"cuMemcpyHtoDAsync", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}, {"stream", stream}}},
      [&](Driver &d) { return copyMemory(d, {"HtoD", deviceSide(to), hostSide(from), bytes, 1, true}, stream); });
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return apiCall(
      {"cuMemcpyDtoHAsync", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}, {"stream", stream}}},
      [&](Driver &d) { return copyMemory(d, {"DtoH", hostSide(to), deviceSide(from), bytes, 1, true}, stream); });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return apiCall(
      {"cuMemcpyDtoDAsync", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}, {"stream", stream}}},
      [&](Driver &d) { return copyMemory(d, {"DtoD", deviceSide(to), deviceSide(from), bytes, 1, true}, stream); });
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return apiCall(
      {"cuMemcpyAsync", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}, {"stream", stream}}},
      [&](Driver &d) { return copyMemory(d, {"copy", anySide(to), anySide(from), bytes, 1, true}, stream); });
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes) {
  return apiCall({"cuMemcpyPeer", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}}}, [&](Driver &d) {
    return copyPeer(d, {to, toContext}, {from, fromContext}, {"DtoD", {}, {}, bytes}, defaultStream);
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes,
                           CUstream stream) {
  return apiCall(
      {"cuMemcpyPeerAsync", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}, {"stream", stream}}},
      [&](Driver &d) {
        return copyPeer(d, {to, toContext}, {from, fromContext}, {"DtoD", {}, {}, bytes, 1, true}, stream);
      });
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  return apiCall({"cuMemcpy2D", NeedsContext, {{"width", copy->WidthInBytes}, {"height", copy->Height}}},
                 [&](Driver &d) { return copy2D(d, *copy, defaultStream, false); });
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return apiCall({"cuMemcpy2DUnaligned", NeedsContext, {{"width", copy->WidthInBytes}, {"height", copy->Height}}},
                 [&](Driver &d) { return copy2D(d, *copy, defaultStream, false); });
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return apiCall({"cuMemcpy2DAsync", NeedsContext, {{"width", copy->WidthInBytes}, {"height", copy->Height}}},
                 [&](Driver &d) { return copy2D(d, *copy, stream, true); });
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) {
  return apiCall({"cuMemcpy3D", NeedsContext, {{"width", copy->WidthInBytes}, {"height", copy->Height}}},
                 [&](Driver &d) { return copy3D(d, *copy, defaultStream, false); });
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return apiCall({"cuMemcpy3DAsync", NeedsContext, {{"width", copy->WidthInBytes}, {"height", copy->Height}}},
                 [&](Driver &d) { return copy3D(d, *copy, stream, true); });
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return apiCall({"cuMemsetD8", NeedsContext, {{"to", to}, {"value", value}, {"count", count}}},
                 [&](Driver &d) { return fillMemory(d, {to, value, 1, count}, defaultStream); });
}

CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  return apiCall({"cuMemsetD16", NeedsContext, {{"to", to}, {"value", value}, {"count", count}}},
                 [&](Driver &d) { return fillMemory(d, {to, value, 2, count}, defaultStream); });
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return apiCall({"cuMemsetD32", NeedsContext, {{"to", to}, {"value", value}, {"count", count}}},
                 [&](Driver &d) { return fillMemory(d, {to, value, 4, count}, defaultStream); });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return apiCall(
      {"cuMemsetD8Async", NeedsContext, {{"to", to}, {"value", value}, {"count", count}, {"stream", stream}}},
      [&](Driver &d) { return fillMemory(d, {to, value, 1, count, true}, stream); });
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return apiCall(
      {"cuMemsetD16Async", NeedsContext, {{"to", to}, {"value", value}, {"count", count}, {"stream", stream}}},
      [&](Driver &d) { return fillMemory(d, {to, value, 2, count, true}, stream); });
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return apiCall(
      {"cuMemsetD32Async", NeedsContext, {{"to", to}, {"value", value}, {"count", count}, {"stream", stream}}},
      [&](Driver &d) { return fillMemory(d, {to, value, 4, count, true}, stream); });
}

} // extern "C"
