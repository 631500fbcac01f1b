// What is done, or said, where a device lacks a part.
#include "device/device_parts.h"

#include "device/device.h"
#include "device/device_attribute.h"
#include "device/loaded_code.h"

#include <algorithm>

namespace treadle {

ForeignCode &foreignCodeOf(Device &device) {
  if (ForeignCode *const part = device.parts.foreignCode)
    return *part;
  throw UsageError(UsageError::Kind::NotImplemented, "the " + device.kind() +
                                                         " device runs no PTX of others: write the kernel in Python, "
                                                         "under cuda.jit");
}

MemorySharing &sharingOf(Device &device) {
  if (MemorySharing *const part = device.parts.sharing)
    return *part;
  throw UsageError(UsageError::Kind::NotImplemented,
                   "the " + device.kind() + " device shares no memory with other processes");
}

namespace {

uint64_t processorsOf(const Device &device) { return uint64_t(device.attribute(DeviceAttribute::MultiprocessorCount)); }

} // namespace

uint64_t activeBlocks(const Device &device, const Kernel &kernel, const OccupancyQuery &query) {
  if (const Occupancy *const part = device.parts.occupancy)
    return part->activeBlocks(kernel, query);
  LaunchConfig config;
  config.block[0] = query.threads;
  config.sharedBytes = query.sharedBytes;
  return std::max<uint64_t>(1, device.code().cooperativeBlocks(kernel, config) / processorsOf(device));
}

PotentialBlock potentialBlock(const Device &device, const Kernel &kernel, const OccupancyQuery &query) {
  if (const Occupancy *const part = device.parts.occupancy)
    return part->potentialBlock(kernel, query);
  return {query.threads, activeBlocks(device, kernel, query) * processorsOf(device)};
}

SelectedDevice::SelectedDevice(const Device *device) : pushed(device ? device->parts.selection : nullptr) {
  if (pushed && !pushed->pushSelected())
    pushed = nullptr;
}

LoadedCode::~LoadedCode() = default;

} // namespace treadle
