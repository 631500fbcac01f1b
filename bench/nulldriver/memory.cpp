// Memory: each address is given out once, of a reservation that nobody can read; memory of the host is the host's.
#include "cuda_driver_api.h"

#include <atomic>
#include <cstdlib>
#include <sys/mman.h>

namespace {

constexpr size_t reserved = size_t{1} << 34;
constexpr size_t alignment = 512;

char *reservation() {
  static char *const begin =
      static_cast<char *>(mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return begin;
}

std::atomic<size_t> used{0};

CUresult take(CUdeviceptr *pointer, size_t bytes) {
  const size_t whole = (bytes + alignment - 1) / alignment * alignment;
  const size_t at = used.fetch_add(whole, std::memory_order_relaxed);
  if (at + whole > reserved || reservation() == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *pointer = reinterpret_cast<CUdeviceptr>(reservation() + at);
  return CUDA_SUCCESS;
}

bool isDevices(CUdeviceptr pointer) {
  const auto begin = reinterpret_cast<CUdeviceptr>(reservation());
  return pointer >= begin && pointer < begin + used.load(std::memory_order_relaxed);
}

CUresult takeOfHost(void **pointer, size_t bytes) {
  *pointer = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return *pointer ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

void answer(void *data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  const bool isOfDevice = isDevices(pointer);
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *static_cast<CUcontext *>(data) = reinterpret_cast<CUcontext>(uintptr_t{0x1000});
    return;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *static_cast<unsigned *>(data) = isOfDevice ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    return;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *static_cast<CUdeviceptr *>(data) = pointer;
    return;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    *static_cast<CUdeviceptr *>(data) = isOfDevice ? 0 : pointer;
    return;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *static_cast<unsigned *>(data) = 0;
    return;
  default:
    return;
  }
}

} // namespace

extern "C" {

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  *total = size_t{64} << 30;
  *free = size_t{63} << 30;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) { return take(pointer, bytes); }
CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream) { return take(pointer, bytes); }
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool, CUstream) {
  return take(pointer, bytes);
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned) {
  void *memory = nullptr;
  const CUresult result = takeOfHost(&memory, bytes);
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return result;
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  if (!isDevices(pointer))
    std::free(reinterpret_cast<void *>(pointer));
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) { return takeOfHost(pointer, bytes); }
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned) { return takeOfHost(pointer, bytes); }

CUresult cuMemFreeHost(void *pointer) {
  std::free(pointer);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned) {
  *device = reinterpret_cast<CUdeviceptr>(host);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned *flags, void *) {
  *flags = 0;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer) {
  if (base)
    *base = pointer;
  if (bytes)
    *bytes = alignment;
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  answer(data, attribute, pointer);
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer) {
  for (unsigned i = 0; i < count; ++i)
    answer(data[i], attributes[i], pointer);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute, void *value) {
  *static_cast<uint64_t *>(value) = 0;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool, CUmemLocation *) {
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

} // extern "C"
