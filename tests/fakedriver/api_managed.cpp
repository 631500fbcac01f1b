// The driver API: hints and attachments of managed memory.
#include "call.h"

using namespace fakecuda;

namespace {

constexpr CUdevice host = -1; ///< CU_DEVICE_CPU
constexpr unsigned attachSingle = 4;

/// The managed allocation that has all of these bytes; null after a violation.
std::shared_ptr<Allocation> findManaged(Driver &d, CUdeviceptr pointer, size_t bytes) {
  std::shared_ptr<Allocation> found = d.memory.find(pointer);
  if (found && found->kind == MemoryKind::Managed && bytes <= found->end() - pointer)
    return found;
  d.violate(Rule::NotDeviceMemory, hex(pointer) + " (" + std::to_string(bytes) + " bytes) is not in managed memory",
            CUDA_ERROR_INVALID_VALUE);
  return nullptr;
}

bool isPlace(Driver &d, CUdevice device) { return device == host || (device >= 0 && device < d.deviceCount()); }

/// Devices without concurrent access get no managed memory ahead of time.
CUresult prefetch(Driver &d, const Access &range, CUdevice device, CUstream handle) {
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  if (!stream || !findManaged(d, range.address, range.bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (!isPlace(d, device) || (device != host && !d.config.concurrentManagedAccess))
    return CUDA_ERROR_INVALID_DEVICE;
  auto work = std::make_shared<Work>();
  work->name = "prefetch";
  return d.enqueue(stream, work).result;
}

CUresult advise(Driver &d, const Access &range, CUmem_advise advice, CUdevice device) {
  if (!findManaged(d, range.address, range.bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
    return d.violate(Rule::InvalidArgument, "an unknown advice", CUDA_ERROR_INVALID_VALUE);
  const bool namesPlace = advice >= CU_MEM_ADVISE_SET_PREFERRED_LOCATION;
  return !namesPlace || isPlace(d, device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUdevice deviceOf(const CUmemLocation &location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : host;
}

CUresult attach(Driver &d, CUstream handle, const Access &range, unsigned flags) {
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  const std::shared_ptr<Allocation> found = findManaged(d, range.address, range.bytes);
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  if (found->address != range.address || (range.bytes && range.bytes != found->bytes))
    return d.violate(Rule::InvalidArgument, "managed memory is attached as a whole", CUDA_ERROR_INVALID_VALUE);
  const bool isKnown = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST || flags == attachSingle;
  if (!isKnown || (flags == attachSingle && stream->role != Stream::Role::Created))
    return d.violate(Rule::InvalidArgument, "unknown flags, or a default stream as the only user",
                     CUDA_ERROR_INVALID_VALUE);
  auto work = std::make_shared<Work>();
  work->name = "attach";
  return d.enqueue(stream, work).result;
}

Access readOf(CUdeviceptr pointer, size_t bytes) { return {pointer, bytes, AccessKind::Read}; }

} // namespace

extern "C" {

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned flags) {
  return apiCall({"cuStreamAttachMemAsync", NeedsContext, {{"stream", stream}, {"pointer", pointer}, {"flags", flags}}},
                 [&](Driver &d) { return attach(d, stream, readOf(pointer, bytes), flags); });
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream) {
  return apiCall({"cuMemPrefetchAsync", NeedsContext, {{"pointer", pointer}, {"bytes", bytes}, {"stream", stream}}},
                 [&](Driver &d) { return prefetch(d, readOf(pointer, bytes), device, stream); });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned flags,
                               CUstream stream) {
  return apiCall({"cuMemPrefetchAsync", NeedsContext, {{"pointer", pointer}, {"bytes", bytes}, {"stream", stream}}},
                 [&](Driver &d) {
                   if (flags)
                     return d.violate(Rule::InvalidArgument, "flags must be 0", CUDA_ERROR_INVALID_VALUE);
                   return prefetch(d, readOf(pointer, bytes), deviceOf(location), stream);
                 });
}

CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device) {
  return apiCall({"cuMemAdvise", NeedsContext, {{"pointer", pointer}, {"bytes", bytes}, {"advice", advice}}},
                 [&](Driver &d) { return advise(d, readOf(pointer, bytes), advice, device); });
}

CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation location) {
  return apiCall({"cuMemAdvise", NeedsContext, {{"pointer", pointer}, {"bytes", bytes}, {"advice", advice}}},
                 [&](Driver &d) { return advise(d, readOf(pointer, bytes), advice, deviceOf(location)); });
}

} // extern "C"
