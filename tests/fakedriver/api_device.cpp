// The driver API: initialisation, devices, error names.
#include "call.h"
#include "device_limits.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

using namespace fakecuda;

namespace {

CUresult checkDevice(Driver &driver, CUdevice device) {
  if (device >= 0 && device < driver.deviceCount())
    return CUDA_SUCCESS;
  return CUDA_ERROR_INVALID_DEVICE;
}

/// A fork must not leave the lock held in the child, whose calls must still be reported as violations.
void guardForks() {
  pthread_atfork([] { driver().mutex.lock(); }, [] { driver().mutex.unlock(); }, [] { driver().mutex.unlock(); });
}

struct AttributeValue {
  CUdevice_attribute attribute;
  int value;
};

/// Attributes that do not depend on the configuration: those of an average device.
constexpr AttributeValue attributeValues[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, maxThreadsPerBlock},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, maxBlock[0]},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, maxBlock[1]},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, maxBlock[2]},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, maxGrid[0]},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, maxGrid[1]},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, maxGrid[2]},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, defaultShared},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 64 << 10},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, registersPerBlock},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1500000},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 6000000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 256},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 4 << 20},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, registersPerMultiprocessor},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 1},
};

int attributeOfCapability(const FakeCudaConfig &config, CUdevice_attribute attribute) {
  const Limits &limits = limitsOf(config);
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return config.computeCapability / 10;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return config.computeCapability % 10;
  case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
    return hasClusters(config);
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return limits.optInShared;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    return limits.sharedPerMultiprocessor;
  case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
    return limits.reservedShared;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    return limits.threadsPerMultiprocessor;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
    return limits.blocksPerMultiprocessor;
  default:
    return 0;
  }
}

/// 0 for attributes that are not modelled.
int attributeOf(const FakeCudaConfig &config, CUdevice_attribute attribute, CUdevice device) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    return config.concurrentManagedAccess;
  case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
    return device + 1;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return config.multiprocessors;
  default:
    break;
  }
  for (const AttributeValue &known : attributeValues)
    if (known.attribute == attribute)
      return known.value;
  return attributeOfCapability(config, attribute);
}

void copyText(char *to, int length, const char *text) {
  if (length > 0)
    std::snprintf(to, static_cast<size_t>(length), "%s", text);
}

} // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
  return apiCall({"cuInit", NeedsNothing, {{"flags", flags}}}, [&](Driver &d) -> CUresult {
    if (flags)
      return d.violate(Rule::InvalidArgument, "flags must be 0", CUDA_ERROR_INVALID_VALUE);
    if (const auto fault = d.deviceCount() ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE; fault != CUDA_SUCCESS)
      return fault;
    static std::once_flag once;
    std::call_once(once, [] {
      std::atexit([] { driver().exiting = true; });
      guardForks();
    });
    d.initialized = true;
    return CUDA_SUCCESS;
  });
}

CUresult cuDriverGetVersion(int *version) {
  return apiCall({"cuDriverGetVersion", NeedsNothing, {}}, [&](Driver &d) {
    *version = d.config.driverVersion;
    return CUDA_SUCCESS;
  });
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  return apiCall({"cuGetErrorName", NeedsNothing, {{"error", error}}}, [&](Driver &) {
    *name = resultName(error);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  return apiCall({"cuGetErrorString", NeedsNothing, {{"error", error}}}, [&](Driver &) {
    *text = resultText(error);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return apiCall({"cuDeviceGet", NeedsInit, {{"ordinal", ordinal}}}, [&](Driver &d) {
    *device = ordinal;
    return checkDevice(d, ordinal);
  });
}

CUresult cuDeviceGetCount(int *count) {
  return apiCall({"cuDeviceGetCount", NeedsInit, {}}, [&](Driver &d) {
    *count = d.deviceCount();
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return apiCall({"cuDeviceGetName", NeedsInit, {{"device", device}}}, [&](Driver &d) {
    copyText(name, length, ("Fake CUDA Device " + std::to_string(device)).c_str());
    return checkDevice(d, device);
  });
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
  return apiCall({"cuDeviceGetPCIBusId", NeedsInit, {{"device", device}}}, [&](Driver &d) {
    copyText(text, length, ("0000:0" + std::to_string(device + 1) + ":00.0").c_str());
    return checkDevice(d, device);
  });
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return apiCall({"cuDeviceGetAttribute", NeedsInit, {{"attribute", attribute}, {"device", device}}}, [&](Driver &d) {
    if (attribute == 0 || attribute > 200)
      return CUDA_ERROR_INVALID_VALUE;
    *value = attributeOf(d.config, attribute, device);
    return checkDevice(d, device);
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return apiCall({"cuDeviceGetUuid", NeedsInit, {{"device", device}}}, [&](Driver &d) {
    std::memcpy(uuid->bytes, "FakeCudaDevice0", 16);
    uuid->bytes[14] = static_cast<char>('0' + device);
    return checkDevice(d, device);
  });
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return apiCall({"cuDeviceTotalMem", NeedsInit, {{"device", device}}}, [&](Driver &d) {
    *bytes = d.config.memoryBytes;
    return checkDevice(d, device);
  });
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  return apiCall({"cuDeviceCanAccessPeer", NeedsInit, {{"device", device}, {"peer", peer}}}, [&](Driver &d) {
    *can = device != peer && d.config.peerAccess;
    return checkDevice(d, device) == CUDA_SUCCESS ? checkDevice(d, peer) : CUDA_ERROR_INVALID_DEVICE;
  });
}

} // extern "C"
