// The driver API: memory pools and what is allocated from them in stream order.
#include "call.h"
#include "pools.h"

#include <algorithm>
#include <cstring>

using namespace fakecuda;

namespace {

bool isDevice(Driver &d, int device) { return device >= 0 && device < d.deviceCount(); }

CUmemoryPool handleOf(const std::shared_ptr<Pool> &pool) { return reinterpret_cast<CUmemoryPool>(pool->handle); }

CUresult create(Driver &d, CUmemoryPool *pool, const CUmemPoolProps *properties) {
  if (!pool || !properties)
    return d.violate(Rule::InvalidArgument, "no place for the pool, or no properties", CUDA_ERROR_INVALID_VALUE);
  const bool isClean = std::all_of(std::begin(properties->reserved), std::end(properties->reserved),
                                   [](unsigned char byte) { return byte == 0; });
  if (!isClean || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
    return d.violate(Rule::InvalidArgument, "the properties' reserved bytes are not 0, or the type is not pinned",
                     CUDA_ERROR_INVALID_VALUE);
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE || properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!isDevice(d, properties->location.id))
    return CUDA_ERROR_INVALID_DEVICE;
  const std::shared_ptr<Pool> made = d.make<Pool>(nullptr);
  made->device = properties->location.id;
  made->maxBytes = properties->maxSize;
  *pool = handleOf(made);
  return CUDA_SUCCESS;
}

/// Memory that is in use stays valid; the pool goes when all of it is freed.
CUresult destroy(Driver &d, CUmemoryPool handle) {
  const std::shared_ptr<Pool> pool = d.find<Pool>(handle, Kind::Pool, true);
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  if (pool->isDefault)
    return d.violate(Rule::WrongKind, "a device's default pool cannot be destroyed", CUDA_ERROR_INVALID_VALUE);
  d.end(*pool);
  for (int device = 0; device < d.deviceCount(); ++device)
    if (d.pool(device) == pool)
      d.pool(device) = d.defaultPool(device);
  return CUDA_SUCCESS;
}

/// Null: the attribute is not one of these numbers.
uint64_t *numberOf(Pool &pool, CUmemPool_attribute attribute) {
  switch (attribute) {
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    return &pool.threshold;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    return &pool.reserved;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    return &pool.reservedHigh;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    return &pool.used;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    return &pool.usedHigh;
  default:
    return nullptr;
  }
}

bool isSwitch(CUmemPool_attribute attribute) {
  return attribute >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
         attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

CUresult getAttribute(Driver &d, CUmemoryPool handle, CUmemPool_attribute attribute, void *value) {
  const std::shared_ptr<Pool> pool = d.find<Pool>(handle, Kind::Pool);
  if (!pool || !value)
    return CUDA_ERROR_INVALID_VALUE;
  if (const uint64_t *number = numberOf(*pool, attribute)) {
    std::memcpy(value, number, sizeof *number);
    return CUDA_SUCCESS;
  }
  if (!isSwitch(attribute))
    return d.violate(Rule::InvalidArgument, "an unknown attribute of a pool", CUDA_ERROR_INVALID_VALUE);
  std::memcpy(value, &pool->switches[attribute], sizeof(int));
  return CUDA_SUCCESS;
}

CUresult setAttribute(Driver &d, CUmemoryPool handle, CUmemPool_attribute attribute, const void *value) {
  const std::shared_ptr<Pool> pool = d.find<Pool>(handle, Kind::Pool);
  if (!pool || !value)
    return CUDA_ERROR_INVALID_VALUE;
  if (isSwitch(attribute)) {
    std::memcpy(&pool->switches[attribute], value, sizeof(int));
    return CUDA_SUCCESS;
  }
  uint64_t wanted;
  std::memcpy(&wanted, value, sizeof wanted);
  switch (attribute) {
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    pool->threshold = wanted;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    pool->reservedHigh = pool->reserved;
    break;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    pool->usedHigh = pool->used;
    break;
  default:
    return d.violate(Rule::InvalidArgument, "an attribute of a pool that cannot be set", CUDA_ERROR_INVALID_VALUE);
  }
  return wanted ? d.violate(Rule::InvalidArgument, "a high watermark can only be set to 0", CUDA_ERROR_INVALID_VALUE)
                : CUDA_SUCCESS;
}

CUresult setAccess(Driver &d, CUmemoryPool handle, const CUmemAccessDesc *list, size_t count) {
  const std::shared_ptr<Pool> pool = d.find<Pool>(handle, Kind::Pool);
  if (!pool || (count && !list))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t at = 0; at < count; ++at) {
    const int device = list[at].location.id;
    if (list[at].location.type != CU_MEM_LOCATION_TYPE_DEVICE || !isDevice(d, device))
      return CUDA_ERROR_INVALID_DEVICE;
    const bool isOpen = list[at].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (device == pool->device && !isOpen)
      return d.violate(Rule::InvalidArgument, "a pool's own device cannot lose its access", CUDA_ERROR_INVALID_VALUE);
    if (device != pool->device && isOpen && !d.config.peerAccess)
      return CUDA_ERROR_INVALID_DEVICE;
    if (isOpen)
      pool->openTo.insert(device);
    else
      pool->openTo.erase(device);
  }
  return CUDA_SUCCESS;
}

CUresult allocateFrom(Driver &d, CUdeviceptr *pointer, size_t bytes, const PoolPlace &place) {
  if (!pointer)
    return d.violate(Rule::InvalidArgument, "no place for the pointer", CUDA_ERROR_INVALID_VALUE);
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  auto work = std::make_shared<Work>();
  work->name = "alloc";
  work->unsafeInCapture = true;
  if (place.stream->capture)
    return d.enqueue(place.stream, work).result;
  const auto allocation = std::make_shared<Allocation>();
  allocation->kind = MemoryKind::Async;
  allocation->bytes = bytes;
  allocation->context = place.stream->context;
  allocation->device = place.pool->device;
  allocation->pool = place.pool;
  if (!place.pool->hasRoom(bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (const CUresult result = d.allocate(allocation); result != CUDA_SUCCESS)
    return result;
  place.pool->take(bytes);
  work->accesses = {{allocation->address, bytes, AccessKind::Allocate}};
  const CUresult result = d.enqueue(place.stream, work).result;
  if (result == CUDA_SUCCESS)
    *pointer = allocation->address;
  else
    d.release(allocation, d.here());
  return result;
}

} // namespace

extern "C" {

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  return apiCall({"cuDeviceGetDefaultMemPool", NeedsInit, {{"device", device}}}, [&](Driver &d) {
    if (!isDevice(d, device))
      return CUDA_ERROR_INVALID_DEVICE;
    *pool = handleOf(d.defaultPool(device));
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  return apiCall({"cuDeviceGetMemPool", NeedsInit, {{"device", device}}}, [&](Driver &d) {
    if (!isDevice(d, device))
      return CUDA_ERROR_INVALID_DEVICE;
    *pool = handleOf(d.pool(device));
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return apiCall({"cuDeviceSetMemPool", NeedsInit, {{"device", device}, {"pool", pool}}}, [&](Driver &d) {
    if (!isDevice(d, device))
      return CUDA_ERROR_INVALID_DEVICE;
    const std::shared_ptr<Pool> found = d.find<Pool>(pool, Kind::Pool);
    if (!found)
      return CUDA_ERROR_INVALID_VALUE;
    if (found->device != device)
      return d.violate(Rule::InvalidArgument, "the pool is one of another device", CUDA_ERROR_INVALID_VALUE);
    d.pool(device) = found;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  return apiCall({"cuMemPoolCreate", NeedsInit, {{"properties", properties}}},
                 [&](Driver &d) { return create(d, pool, properties); });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return apiCall({"cuMemPoolDestroy", NeedsInit | EndsSomething, {{"pool", pool}}},
                 [&](Driver &d) { return destroy(d, pool); });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  return apiCall({"cuMemPoolTrimTo", NeedsInit, {{"pool", pool}, {"bytes", bytes}}}, [&](Driver &d) {
    const std::shared_ptr<Pool> found = d.find<Pool>(pool, Kind::Pool);
    if (!found)
      return CUDA_ERROR_INVALID_VALUE;
    found->trim(bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  return apiCall({"cuMemPoolSetAttribute", NeedsInit, {{"pool", pool}, {"attribute", attribute}}},
                 [&](Driver &d) { return setAttribute(d, pool, attribute, value); });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  return apiCall({"cuMemPoolGetAttribute", NeedsInit, {{"pool", pool}, {"attribute", attribute}}},
                 [&](Driver &d) { return getAttribute(d, pool, attribute, value); });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t count) {
  return apiCall({"cuMemPoolSetAccess", NeedsInit, {{"pool", pool}, {"count", count}}},
                 [&](Driver &d) { return setAccess(d, pool, list, count); });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
  return apiCall({"cuMemPoolGetAccess", NeedsInit, {{"pool", pool}}}, [&](Driver &d) {
    const std::shared_ptr<Pool> found = d.find<Pool>(pool, Kind::Pool);
    if (!found || !flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE || !isDevice(d, location->id))
      return CUDA_ERROR_INVALID_VALUE;
    *flags = found->isOpenTo(location->id) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
  return apiCall({"cuMemAllocAsync", NeedsContext, {{"bytes", bytes}, {"stream", stream}}}, [&](Driver &d) {
    const std::shared_ptr<Stream> found = d.findStream(stream);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    return allocateFrom(d, pointer, bytes, {d.pool(found->context->device), found});
  });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return apiCall({"cuMemAllocFromPoolAsync", NeedsContext, {{"bytes", bytes}, {"pool", pool}, {"stream", stream}}},
                 [&](Driver &d) {
                   const std::shared_ptr<Stream> found = d.findStream(stream);
                   const std::shared_ptr<Pool> from = d.find<Pool>(pool, Kind::Pool);
                   return found && from ? allocateFrom(d, pointer, bytes, {from, found}) : CUDA_ERROR_INVALID_VALUE;
                 });
}

} // extern "C"
