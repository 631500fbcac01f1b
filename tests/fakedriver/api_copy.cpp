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

CopySide side2D(CUmemorytype type, const void *host, CUdeviceptr device) {
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
  CopyRequest request{"copy2D", side2D(copy.dstMemoryType, copy.dstHost, copy.dstDevice),
                      side2D(copy.srcMemoryType, copy.srcHost, copy.srcDevice), copy.WidthInBytes};
  request.height = copy.Height;
  request.isAsync = isAsync;
  request.to.pitch = copy.dstPitch;
  request.from.pitch = copy.srcPitch;
  request.to.address += copy.dstY * copy.dstPitch + copy.dstXInBytes;
  request.from.address += copy.srcY * copy.srcPitch + copy.srcXInBytes;
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

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes,
                           CUstream stream) {
  return apiCall(
      {"cuMemcpyPeerAsync", NeedsContext, {{"to", to}, {"from", from}, {"bytes", bytes}, {"stream", stream}}},
      [&](Driver &d) {
        if (!d.find<Context>(toContext, Kind::Context) || !d.find<Context>(fromContext, Kind::Context))
          return CUDA_ERROR_INVALID_CONTEXT;
        return copyMemory(d, {"DtoD", deviceSide(to), deviceSide(from), bytes, 1, true}, stream);
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
      [&](Driver &d) { return fillMemory(d, {to, value, 1, count}, stream); });
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return apiCall(
      {"cuMemsetD16Async", NeedsContext, {{"to", to}, {"value", value}, {"count", count}, {"stream", stream}}},
      [&](Driver &d) { return fillMemory(d, {to, value, 2, count}, stream); });
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return apiCall(
      {"cuMemsetD32Async", NeedsContext, {{"to", to}, {"value", value}, {"count", count}, {"stream", stream}}},
      [&](Driver &d) { return fillMemory(d, {to, value, 4, count}, stream); });
}

} // extern "C"
