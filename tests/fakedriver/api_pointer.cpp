// The driver API: attributes of pointers, and memory shared between processes.
#include "call.h"
#include "pools.h"

#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace fakecuda;

namespace {

template <class T> void put(void *to, T value) { std::memcpy(to, &value, sizeof value); }

/// False if the attribute is unknown.
bool putAttribute(const Allocation &allocation, CUpointer_attribute attribute, uint64_t pointer, void *to) {
  const bool pinned = allocation.kind == MemoryKind::Pinned || allocation.kind == MemoryKind::Registered;
  const bool ipc = allocation.kind == MemoryKind::Device || allocation.kind == MemoryKind::Imported;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    put(to, allocation.context->handle);
    return true;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    put(to, pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    return true;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    put(to, pointer);
    return true;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    put(to, isHostMemory(allocation.kind) ? pointer : uint64_t{0});
    return isHostMemory(allocation.kind);
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    put(to, allocation.bufferId);
    return true;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    put(to, static_cast<uint32_t>(allocation.kind == MemoryKind::Managed));
    return true;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    put(to, allocation.device);
    return true;
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    put(to, static_cast<uint32_t>(ipc));
    return true;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    put(to, allocation.address);
    return true;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    put(to, allocation.bytes);
    return true;
  case CU_POINTER_ATTRIBUTE_MAPPED:
    put(to, uint32_t{1});
    return true;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    put(to, static_cast<uint32_t>(allocation.isSynchronous));
    return true;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    put(to, allocation.pool ? allocation.pool->handle : uint64_t{0});
    return allocation.pool != nullptr;
  }
  return false;
}

/// Size of the value that cuPointerGetAttributes clears for an unknown pointer.
size_t attributeBytes(CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return 4;
  default:
    return 8;
  }
}

/// The content of a CUipcMemHandle.
struct IpcPayload {
  uint64_t magic;
  int process;
  int file;
  uint64_t offset; ///< in the file
  uint64_t bytes;
};
constexpr uint64_t ipcMagic = 0x4642434950434d46ull;

CUresult openIpc(Driver &d, CUdeviceptr *pointer, const CUipcMemHandle &handle) {
  IpcPayload payload;
  std::memcpy(&payload, &handle, sizeof payload);
  if (payload.magic != ipcMagic)
    return d.violate(Rule::InvalidHandle, "not a handle of cuIpcGetMemHandle", CUDA_ERROR_INVALID_HANDLE);
  if (payload.process == getpid())
    return d.violate(Rule::InvalidArgument, "memory cannot be opened in the process that exported it",
                     CUDA_ERROR_INVALID_CONTEXT);
  const std::string bytes(reinterpret_cast<const char *>(&handle), sizeof handle);
  if (const std::shared_ptr<Allocation> known = d.memory.imported(bytes, *d.currentContext())) {
    ++known->timesOpened;
    *pointer = known->address;
    return CUDA_SUCCESS;
  }
  const std::string path = "/proc/" + std::to_string(payload.process) + "/fd/" + std::to_string(payload.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    return CUDA_ERROR_INVALID_HANDLE;
  // An inaccessible guard page, followed by the bytes.
  constexpr uint64_t page = 4096;
  const uint64_t skew = payload.offset % page;
  const size_t half = (payload.bytes + skew + page - 1) / page * page;
  const auto base = static_cast<std::byte *>(mmap(nullptr, 2 * half, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const bool isMapped = mmap(base + half, half, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                             static_cast<off_t>(payload.offset - skew)) != MAP_FAILED;
  close(file);
  if (!isMapped)
    return CUDA_ERROR_INVALID_HANDLE;

  auto allocation = std::make_shared<Allocation>();
  allocation->kind = MemoryKind::Imported;
  allocation->bytes = payload.bytes;
  allocation->address = reinterpret_cast<uint64_t>(base) + skew;
  allocation->view = base + half + skew;
  allocation->context = d.currentContext();
  allocation->device = allocation->context->device;
  allocation->mapped = base;
  allocation->mappedBytes = 2 * half;
  allocation->importedBy = bytes;
  allocation->timesOpened = 1;
  *pointer = allocation->address;
  return d.allocate(allocation);
}

} // namespace

extern "C" {

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags) {
  return apiCall({"cuMemHostGetDevicePointer", NeedsContext, {{"host", host}, {"flags", flags}}}, [&](Driver &d) {
    const std::shared_ptr<Allocation> found = d.memory.find(reinterpret_cast<uint64_t>(host));
    if (!found || !isHostMemory(found->kind))
      return d.violate(Rule::NotHostMemory, "the memory is not pinned", CUDA_ERROR_INVALID_VALUE);
    *device = reinterpret_cast<CUdeviceptr>(host);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostGetFlags(unsigned *flags, void *host) {
  return apiCall({"cuMemHostGetFlags", NeedsContext, {{"host", host}}}, [&](Driver &d) {
    const std::shared_ptr<Allocation> found = d.memory.find(reinterpret_cast<uint64_t>(host));
    if (!found || found->kind != MemoryKind::Pinned)
      return d.violate(Rule::NotHostMemory, "the memory is not pinned", CUDA_ERROR_INVALID_VALUE);
    *flags = found->flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer) {
  return apiCall({"cuMemGetAddressRange", NeedsContext, {{"pointer", pointer}}}, [&](Driver &d) {
    const std::shared_ptr<Allocation> found = d.memory.find(pointer);
    if (!found)
      return CUDA_ERROR_NOT_FOUND;
    if (base)
      *base = found->address;
    if (bytes)
      *bytes = found->bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return apiCall(
      {"cuPointerGetAttribute", NeedsInit, {{"attribute", attribute}, {"pointer", pointer}}}, [&](Driver &d) {
        const std::shared_ptr<Allocation> found = d.memory.find(pointer);
        return found && putAttribute(*found, attribute, pointer, data) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
      });
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer) {
  return apiCall({"cuPointerGetAttributes", NeedsInit, {{"count", count}, {"pointer", pointer}}}, [&](Driver &d) {
    const std::shared_ptr<Allocation> found = d.memory.find(pointer);
    for (unsigned at = 0; at < count; ++at)
      if (!found || !putAttribute(*found, attributes[at], pointer, data[at]))
        std::memset(data[at], 0, attributeBytes(attributes[at]));
    return CUDA_SUCCESS;
  });
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return apiCall({"cuPointerSetAttribute", NeedsInit, {{"attribute", attribute}, {"pointer", pointer}}},
                 [&](Driver &d) {
                   const std::shared_ptr<Allocation> found = d.memory.find(pointer);
                   if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !found || found->address != pointer ||
                       found->kind != MemoryKind::Device)
                     return d.violate(Rule::InvalidArgument,
                                      "only CU_POINTER_ATTRIBUTE_SYNC_MEMOPS of memory of cuMemAlloc can be set",
                                      CUDA_ERROR_INVALID_VALUE);
                   unsigned wanted;
                   std::memcpy(&wanted, value, sizeof wanted);
                   found->isSynchronous = wanted != 0;
                   return CUDA_SUCCESS;
                 });
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr pointer) {
  return apiCall({"cuIpcGetMemHandle", NeedsContext, {{"pointer", pointer}}}, [&](Driver &d) {
    const std::shared_ptr<Allocation> found = d.memory.find(pointer);
    if (!found || found->kind != MemoryKind::Device)
      return CUDA_ERROR_INVALID_VALUE;
    const DeviceMemory &device = d.deviceMemory(found->device);
    const IpcPayload payload{ipcMagic, getpid(), device.descriptor(), device.offset(found->address), found->bytes};
    static_assert(sizeof payload <= sizeof *handle);
    *handle = {};
    std::memcpy(handle, &payload, sizeof payload);
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned flags) {
  return apiCall({"cuIpcOpenMemHandle", NeedsContext, {{"flags", flags}}},
                 [&](Driver &d) { return openIpc(d, pointer, handle); });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
  return apiCall({"cuIpcCloseMemHandle", NeedsContext | EndsSomething, {{"pointer", pointer}}}, [&](Driver &d) {
    const std::shared_ptr<Allocation> found = d.memory.find(pointer);
    if (!found || found->kind != MemoryKind::Imported || found->address != pointer)
      return d.violate(Rule::InvalidFree, hex(pointer) + " was not opened by cuIpcOpenMemHandle",
                       CUDA_ERROR_INVALID_VALUE);
    if (--found->timesOpened > 0)
      return CUDA_SUCCESS;
    const CUresult result = d.synchronize(found->context);
    d.release(found, d.here());
    return result;
  });
}

} // extern "C"
