// The driver API: allocating and freeing.
#include "call.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace fakecuda;

namespace {

std::shared_ptr<Allocation> describeNew(Driver &d, MemoryKind kind, size_t bytes) {
  auto allocation = std::make_shared<Allocation>();
  allocation->kind = kind;
  allocation->bytes = bytes;
  allocation->context = d.currentContext();
  allocation->device = allocation->context->device;
  return allocation;
}

CUresult allocate(Driver &d, CUdeviceptr *pointer, MemoryKind kind, size_t bytes) {
  if (!pointer)
    return d.violate(Rule::InvalidArgument, "no place for the pointer", CUDA_ERROR_INVALID_VALUE);
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  const std::shared_ptr<Allocation> allocation = describeNew(d, kind, bytes);
  if (const CUresult result = d.allocate(allocation); result != CUDA_SUCCESS)
    return result;
  *pointer = allocation->address;
  return CUDA_SUCCESS;
}

CUresult allocateHost(Driver &d, void **pointer, size_t bytes, unsigned flags) {
  if (!pointer || flags > 7)
    return d.violate(Rule::InvalidArgument, "no place for the pointer, or unknown flags", CUDA_ERROR_INVALID_VALUE);
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(mapped, 0xCB, bytes);
  const std::shared_ptr<Allocation> allocation = describeNew(d, MemoryKind::Pinned, bytes);
  allocation->address = reinterpret_cast<uint64_t>(mapped);
  allocation->view = static_cast<std::byte *>(mapped);
  allocation->mapped = mapped;
  allocation->mappedBytes = bytes;
  allocation->flags = flags;
  *pointer = mapped;
  return d.allocate(allocation);
}

/// The live allocation that begins at the address and whose kind the caller may free, or null after a violation.
std::shared_ptr<Allocation> findToFree(Driver &d, uint64_t address, std::initializer_list<MemoryKind> kinds) {
  std::shared_ptr<Allocation> found = d.memory.find(address);
  std::string problem;
  if (!found) {
    const std::shared_ptr<Allocation> dead = d.memory.findDead(address);
    problem = dead && dead->address == address ? " was freed before, by " + dead->freedBy : " is no allocation";
  } else if (found->address != address) {
    problem = " lies inside of the allocation made by " + found->madeBy;
  } else if (std::find(kinds.begin(), kinds.end(), found->kind) == kinds.end()) {
    problem = " is " + std::string(memoryKindName(found->kind)) + " memory, made by " + found->madeBy;
  } else if (!found->freedBy.empty()) {
    problem = " was freed before, by " + found->freedBy;
  } else {
    return found;
  }
  d.violate(Rule::InvalidFree, hex(address) + problem, CUDA_ERROR_INVALID_VALUE);
  return nullptr;
}

CUresult freeHost(Driver &d, void *pointer, MemoryKind kind) {
  const std::shared_ptr<Allocation> found = findToFree(d, reinterpret_cast<uint64_t>(pointer), {kind});
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  if (found->pendingUses) {
    d.violate(Rule::FreeInUse, "work that has not run uses the memory made by " + found->madeBy,
              CUDA_ERROR_INVALID_VALUE);
    d.synchronize(found->context);
  }
  d.release(found, d.here());
  return CUDA_SUCCESS;
}

CUresult freeAsync(Driver &d, CUdeviceptr pointer, CUstream handle) {
  const std::shared_ptr<Stream> stream = d.findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!pointer)
    return CUDA_SUCCESS; // NVIDIA's cuda.core frees what it never allocated, an array without elements
  const std::shared_ptr<Allocation> found = findToFree(d, pointer, {MemoryKind::Async});
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  auto work = std::make_shared<Work>();
  work->name = "free";
  work->unsafeInCapture = true;
  work->accesses = {{found->address, found->bytes, AccessKind::Free}};
  work->run = [found, by = d.here()](Driver &driver) {
    driver.release(found, by);
    return CUDA_SUCCESS;
  };
  const Enqueued queued = d.enqueue(stream, work);
  if (queued.id)
    found->freedBy = d.here();
  return queued.result;
}

CUresult registerHost(Driver &d, void *pointer, size_t bytes, unsigned flags) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (!pointer || !bytes)
    return d.violate(Rule::InvalidArgument, "nothing to register", CUDA_ERROR_INVALID_VALUE);
  if (const auto other = d.memory.overlapping(address, bytes))
    return d.violate(Rule::HostRegistration, hex(address) + " overlaps memory made by " + other->madeBy,
                     isHostMemory(other->kind) ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED : CUDA_ERROR_INVALID_VALUE);
  const std::shared_ptr<Allocation> allocation = describeNew(d, MemoryKind::Registered, bytes);
  allocation->address = address;
  allocation->view = static_cast<std::byte *>(pointer);
  allocation->flags = flags;
  return d.allocate(allocation);
}

} // namespace

extern "C" {

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  return apiCall({"cuMemGetInfo", NeedsContext, {}}, [&](Driver &d) {
    *total = d.config.memoryBytes;
    *free = d.config.memoryBytes - d.usedBytes(d.currentContext()->device);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  return apiCall({"cuMemAlloc", NeedsContext | UnsafeInCapture, {{"bytes", bytes}}},
                 [&](Driver &d) { return allocate(d, pointer, MemoryKind::Device, bytes); });
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags) {
  return apiCall({"cuMemAllocManaged", NeedsContext | UnsafeInCapture, {{"bytes", bytes}, {"flags", flags}}},
                 [&](Driver &d) {
                   if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
                     return d.violate(Rule::InvalidArgument, "flags must be global or host", CUDA_ERROR_INVALID_VALUE);
                   return allocate(d, pointer, MemoryKind::Managed, bytes);
                 });
}

/// Waits for all work of the allocation's context: callers may free memory that is in use.
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return apiCall({"cuMemFree", NeedsContext | UnsafeInCapture | EndsSomething, {{"pointer", pointer}}}, [&](Driver &d) {
    const auto kinds = {MemoryKind::Device, MemoryKind::Async, MemoryKind::Managed};
    const std::shared_ptr<Allocation> found = findToFree(d, pointer, kinds);
    if (!found)
      return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = d.synchronize(found->context);
    if (found->freedBy.empty())
      d.release(found, d.here());
    return result;
  });
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return apiCall({"cuMemFreeAsync", NeedsContext | EndsSomething, {{"pointer", pointer}, {"stream", stream}}},
                 [&](Driver &d) { return freeAsync(d, pointer, stream); });
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return apiCall({"cuMemAllocHost", NeedsContext | UnsafeInCapture, {{"bytes", bytes}}},
                 [&](Driver &d) { return allocateHost(d, pointer, bytes, 0); });
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return apiCall({"cuMemHostAlloc", NeedsContext | UnsafeInCapture, {{"bytes", bytes}, {"flags", flags}}},
                 [&](Driver &d) { return allocateHost(d, pointer, bytes, flags); });
}

CUresult cuMemFreeHost(void *pointer) {
  return apiCall({"cuMemFreeHost", NeedsContext | UnsafeInCapture | EndsSomething, {{"pointer", pointer}}},
                 [&](Driver &d) { return freeHost(d, pointer, MemoryKind::Pinned); });
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
  return apiCall({"cuMemHostRegister", NeedsContext | UnsafeInCapture, {{"pointer", pointer}, {"bytes", bytes}}},
                 [&](Driver &d) { return registerHost(d, pointer, bytes, flags); });
}

CUresult cuMemHostUnregister(void *pointer) {
  return apiCall({"cuMemHostUnregister", NeedsContext | UnsafeInCapture | EndsSomething, {{"pointer", pointer}}},
                 [&](Driver &d) {
                   if (!d.memory.find(reinterpret_cast<uint64_t>(pointer)))
                     return d.violate(Rule::HostRegistration, "the memory is not registered",
                                      CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
                   return freeHost(d, pointer, MemoryKind::Registered);
                 });
}

} // extern "C"
