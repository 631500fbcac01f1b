// Allocations of the driver: limits, lifetimes, and the rules about addresses.
#include "driver.h"
#include "pools.h"

#include <sys/mman.h>

namespace fakecuda {

void Driver::makePools() {
  for (size_t at = 0; at < devices.size(); ++at) {
    devices[at].defaultPool = devices[at].pool = make<Pool>(nullptr);
    devices[at].pool->device = static_cast<int>(at);
    devices[at].pool->isDefault = true;
  }
}

/// Waiting gives unused memory beyond the threshold back.
void Driver::trimPools(int device) {
  for (const auto &[value, object] : handles)
    if (object->kind == Kind::Pool) {
      auto &each = static_cast<Pool &>(*object);
      if (each.device == device)
        each.trim(each.threshold);
    }
}

/// Enabling peer access does not open memory of pools, which have lists of their own.
bool isReachable(const Allocation &allocation, const Context &context) {
  if (allocation.device == context.device || isHostMemory(allocation.kind))
    return true;
  return allocation.pool ? allocation.pool->isOpenTo(context.device)
                         : context.peers.contains(allocation.context->handle);
}

CUresult Driver::allocate(std::shared_ptr<Allocation> allocation) {
  const bool onDevice = allocation->kind != MemoryKind::Pinned && allocation->kind != MemoryKind::Registered &&
                        allocation->kind != MemoryKind::Imported;
  if (onDevice) {
    size_t &used = usedBytes(allocation->device);
    if (allocation->bytes > config.memoryBytes || used > config.memoryBytes - allocation->bytes)
      return CUDA_ERROR_OUT_OF_MEMORY;
    DeviceMemory &device = deviceMemory(allocation->device);
    allocation->address = device.allocate(allocation->bytes, allocation->kind == MemoryKind::Managed);
    if (!allocation->address)
      return CUDA_ERROR_OUT_OF_MEMORY;
    allocation->view = device.view(allocation->address);
    if (allocation->kind == MemoryKind::Managed)
      device.protect(allocation->address, allocation->bytes, !managedHidden);
    used += allocation->bytes;
  }
  allocation->madeBy = here();
  allocation->bufferId = nextBufferId();
  memory.add(std::move(allocation));
  return CUDA_SUCCESS;
}

void Driver::release(const std::shared_ptr<Allocation> &allocation, std::string freedBy) {
  allocation->freedBy = std::move(freedBy);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the argument may be in what forgets it
  const std::shared_ptr<Allocation> kept = allocation;
  memory.remove(kept);
  if (kept->mapped) {
    munmap(kept->mapped, kept->mappedBytes);
    return;
  }
  if (kept->kind == MemoryKind::Registered)
    return;
  if (kept->pool)
    kept->pool->give(kept->bytes);
  usedBytes(kept->device) -= kept->bytes;
  DeviceMemory &device = deviceMemory(kept->device);
  if (kept->kind == MemoryKind::Managed)
    device.protect(kept->address, kept->bytes, false);
  device.release(kept->address, kept->bytes, config.reuse && kept->kind != MemoryKind::Managed);
}

std::byte *Driver::resolve(const Access &access, const std::string &who, Rule outOfBounds) {
  const std::string range = hex(access.address) + " (" + std::to_string(access.bytes) + " bytes)";
  const std::shared_ptr<Allocation> found = memory.find(access.address);
  if (!found) {
    if (const std::shared_ptr<Allocation> dead = memory.findDead(access.address)) {
      violate(Rule::UseAfterFree,
              who + " touches " + range + " of memory made by " + dead->madeBy + " and freed by " + dead->freedBy,
              CUDA_ERROR_ILLEGAL_ADDRESS);
      return nullptr;
    }
    bool ours = false;
    for (const Device &device : devices)
      ours |= device.memory->contains(access.address);
    violate(ours ? outOfBounds : Rule::NotDeviceMemory,
            who + " touches " + range + (ours ? ", which lies in no allocation" : ", which is no memory of a device"),
            CUDA_ERROR_ILLEGAL_ADDRESS);
    return nullptr;
  }
  if (access.bytes > found->end() - access.address) {
    violate(outOfBounds,
            who + " touches " + range + ", " + std::to_string(access.address + access.bytes - found->end()) +
                " bytes beyond the " + std::to_string(found->bytes) + " made by " + found->madeBy,
            CUDA_ERROR_ILLEGAL_ADDRESS);
    return nullptr;
  }
  if (access.kind == AccessKind::Write)
    markWritten(*this, *found, access);
  return found->view + (access.address - found->address);
}

/// Without concurrent access the host must not access managed memory while any work is in flight.
void Driver::watchManaged(bool inFlight) {
  if (config.concurrentManagedAccess || managedHidden == inFlight)
    return;
  managedHidden = inFlight;
  for (const auto &[address, allocation] : memory.all())
    if (allocation->kind == MemoryKind::Managed)
      deviceMemory(allocation->device).protect(address, allocation->bytes, !inFlight);
}

} // namespace fakecuda
