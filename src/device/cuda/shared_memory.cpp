// Sharing with other processes on a CUDA device: whole allocations, by the driver's IPC handles.
#include "device/cuda/cuda_device.h"

#include <cstring>

namespace treadle::cuda {

namespace {

// NOLINTNEXTLINE(performance-no-int-to-ptr)
char *hostAddress(DevicePointer address) { return reinterpret_cast<char *>(address); }
DevicePointer deviceAddress(const char *memory) { return reinterpret_cast<uintptr_t>(memory); }

} // namespace

std::span<char> CudaDevice::allocationAround(char *memory) const {
  const Current current(context);
  DevicePointer begin = 0;
  size_t bytes = 0;
  if (context.driver.memGetAddressRange(&begin, &bytes, deviceAddress(memory)) != Result::Success)
    return {};
  return {hostAddress(begin), bytes};
}

SharedHandle CudaDevice::share(char *memory) {
  const Current current(context);
  DevicePointer begin = 0;
  IpcHandle handle;
  context.check(context.driver.memGetAddressRange(&begin, nullptr, deviceAddress(memory)),
                "find the allocation to share with other processes");
  context.check(context.driver.ipcGetMemHandle(&handle, begin), "share memory with other processes");
  SharedHandle shared{.offset = size_t(deviceAddress(memory) - begin)};
  std::memcpy(shared.bytes.data(), handle.bytes, sizeof handle.bytes);
  return shared;
}

char *CudaDevice::openShared(const SharedHandle &handle, size_t) {
  const Current current(context);
  IpcHandle of;
  std::memcpy(of.bytes, handle.bytes.data(), sizeof of.bytes);
  DevicePointer memory = 0;
  context.check(context.driver.ipcOpenMemHandle(&memory, of, ipcLazyPeerAccess), "open memory of another process");
  return hostAddress(memory);
}

void CudaDevice::closeShared(char *memory) {
  if (!context.isUsable())
    return;
  const Current current(context);
  context.check(context.driver.ipcCloseMemHandle(deviceAddress(memory)), "close memory of another process");
}

} // namespace treadle::cuda
